/// @file
/// Fuzzing of whole numbers, against the standard library's own reader.
#include "launch/integer.h"

#include <charconv>

#include "expect.h"

using torch_dist_init::detail::parse_decimal;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  for (const std::uint64_t maximum : {std::uint64_t{0}, std::uint64_t{65535}, UINT64_MAX}) {
    const auto parsed = parse_decimal(text, maximum);
    expect(parsed.has_value() == (is_number && number <= maximum));
    expect(!parsed || *parsed == number);
  }
  return 0;
}
