/// @file
/// Foreign text, made fit to stand in a message.
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

constexpr std::size_t longest_shown = 120;

/// The start of `text` that is shown, cut between two UTF-8 characters.
std::string_view shown_part(std::string_view text) {
  if (text.size() <= longest_shown) {
    return text;
  }
  std::size_t end = longest_shown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace

std::string quoted(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  const std::string_view shown = shown_part(text);
  std::string result = "'";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 0xF];
    } else {
      result += c;
    }
  }
  if (shown.size() < text.size()) {
    return result + "...' (" + std::to_string(text.size()) + " characters)";
  }
  return result + "'";
}

}  // namespace torch_dist_init::detail
