/// @file
/// Foreign text, made fit to stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace torch_dist_init::detail {

/// `text` in single quotes: 'abc'. It is escaped, so that a message stays one line; a long text is cut and its length
/// told.
std::string quoted(std::string_view text);

/// `text` with an escape (\n, \x1b) for each control character and each byte that is no UTF-8: no terminal obeys it.
std::string escaped(std::string_view text);

}  // namespace torch_dist_init::detail
