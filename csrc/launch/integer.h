/// @file
/// Whole numbers, read strictly: decimal digits and nothing else.
#pragma once

#include <torch_dist_init/environment.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torch_dist_init::detail {

/// The number that `text` is, if it is one or more decimal digits and at most `maximum`; else nothing. No sign, no
/// blank, no fraction: nothing for "", "abc", "1x", "+1", " 1", "1.0".
std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t maximum);

/// The value of a variable that holds a whole number from `minimum` (0 or more) to `maximum`; nothing if it is unset.
/// @throws LaunchError, with the variable's name, the range and the value, if it is set to anything else.
std::optional<int> read_integer(const Environment& environment, const std::string& name, int minimum, int maximum);

}  // namespace torch_dist_init::detail
