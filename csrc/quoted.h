/// @file
/// Foreign text, made fit to stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace torch_dist_init::detail {

/// `text` in single quotes: 'abc'. Control characters become escapes (\n, \x1b), so that a message stays one line; a
/// long text is cut and its length told.
std::string quoted(std::string_view text);

}  // namespace torch_dist_init::detail
