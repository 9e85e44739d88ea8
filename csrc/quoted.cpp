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

/// The number of bytes of the printable UTF-8 character at the start of `text`; 0 if there is none.
std::size_t printable_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7F ? 1 : 0;
  }
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (size == 0 || text.size() < size) {
    return 0;
  }
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  // U+0080 to U+009F are control characters too; what follows E0 and F0 may be a longer spelling of a control
  // character; what follows ED and F4 may be no character of Unicode.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_suspect = (first == 0xC2 && second < 0xA0) || (first == 0xE0 && second < 0xA0) ||
                          (first == 0xF0 && second < 0x90) || (first == 0xED && second >= 0xA0) ||
                          (first == 0xF4 && second >= 0x90);
  return is_suspect ? 0 : size;
}

}  // namespace

std::string quoted(std::string_view text) {
  const std::string_view shown = shown_part(text);
  const std::string result = "'" + escaped(shown);
  if (shown.size() < text.size()) {
    return result + "...' (" + std::to_string(text.size()) + " characters)";
  }
  return result + "'";
}

std::string escaped(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t size = printable_character(text);
    if (size > 0) {
      result += text.substr(0, size);
    } else if (text[0] == '\n') {
      result += "\\n";
    } else {
      const auto byte = static_cast<unsigned char>(text[0]);
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 0xF];
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

}  // namespace torch_dist_init::detail
