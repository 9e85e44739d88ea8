/// @file
/// The ranges of options that were set as fields.
#include "options/check.h"

#include <torch_dist_init/error.h>

#include <limits>
#include <string>

namespace torch_dist_init::detail {
namespace {

void check_range(const char* name, const std::optional<int>& value, int min, int max) {
  if (value && (*value < min || *value > max)) {
    throw ValueError("option '" + std::string(name) + "' must be from " + std::to_string(min) + " to " +
                     std::to_string(max) + ", but it is " + std::to_string(*value));
  }
}

}  // namespace

void check_timeout(std::chrono::milliseconds timeout) {
  if (timeout < std::chrono::milliseconds(1) || timeout > max_timeout) {
    throw ValueError("option 'timeout' must be from 1 ms to " + std::to_string(max_timeout.count()) + " s, but it is " +
                     std::to_string(timeout.count()) + " ms");
  }
}

void check_options(const KwargOptions& options) {
  constexpr int most = std::numeric_limits<int>::max();
  if (options.timeout) {
    check_timeout(*options.timeout);
  }
  check_range("rank", options.rank, 0, most - 1);
  check_range("world_size", options.world_size, 1, most);
  check_range("port", options.port, 1, 65535);
  check_range("device_id", options.device_id, 0, most);
}

}  // namespace torch_dist_init::detail
