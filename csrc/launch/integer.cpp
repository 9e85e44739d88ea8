/// @file
/// Whole numbers, read strictly: decimal digits and nothing else.
#include "launch/integer.h"

#include <torch_dist_init/error.h>

#include "quoted.h"

namespace torch_dist_init::detail {

std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t maximum) {
  if (text.empty()) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > maximum || number > (maximum - digit) / 10) {
      return std::nullopt;
    }
    number = number * 10 + digit;
  }
  return number;
}

std::optional<int> read_integer(const Environment& environment, const std::string& name, int minimum, int maximum) {
  const auto text = environment.get(name);
  if (!text) {
    return std::nullopt;
  }
  const auto number = parse_decimal(*text, static_cast<std::uint64_t>(maximum));
  if (!number || *number < static_cast<std::uint64_t>(minimum)) {
    throw LaunchError(name + " must be a whole number from " + std::to_string(minimum) + " to " +
                      std::to_string(maximum) + ", but it is " + quoted(*text));
  }
  return static_cast<int>(*number);
}

}  // namespace torch_dist_init::detail
