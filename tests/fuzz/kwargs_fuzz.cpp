/// @file
/// Fuzzing of keyword arguments: any names and values are options in range, or a TypeError or ValueError.
#include <torch_dist_init/error.h>
#include <torch_dist_init/kwargs.h>

#include <cstring>
#include <string_view>

#include "expect.h"

using namespace torch_dist_init;

namespace {

template <class T>
T number_from(std::string_view bytes) {
  T number{};
  std::memcpy(&number, bytes.data(), std::min(sizeof(number), bytes.size()));
  return number;
}

/// The value that a line's text stands for: its first character is the type, the rest the bytes of the value.
Value value_from(std::string_view text) {
  const std::string_view rest = text.substr(std::min<std::size_t>(1, text.size()));
  switch (text.empty() ? 'n' : text.front()) {
    case 'b':
      return !rest.empty();
    case 'i':
      return number_from<std::int64_t>(rest);
    case 'f':
      return number_from<double>(rest);
    case 's':
      return std::string(rest);
    default:
      return nullptr;
  }
}

/// One argument a line: name=value.
Kwargs kwargs_from(std::string_view text) {
  Kwargs kwargs;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = std::min(line.find('='), line.size());
    kwargs.insert_or_assign(std::string(line.substr(0, equals)),
                            value_from(line.substr(std::min(equals + 1, line.size()))));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return kwargs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const KwargOptions options = parse_kwargs(kwargs_from({reinterpret_cast<const char*>(data), size}));
    expect(!options.timeout || (options.timeout->count() >= 1 && options.timeout->count() <= 2147483000));
    expect(!options.rank || *options.rank >= 0);
    expect(!options.world_size || *options.world_size >= 1);
    expect(!options.port || (*options.port >= 1 && *options.port <= 65535));
    expect(!options.device_id || *options.device_id >= 0);
  } catch (const TypeError&) {
  } catch (const ValueError&) {
  }
  return 0;
}
