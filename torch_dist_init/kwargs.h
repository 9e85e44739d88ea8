/// @file
/// Keyword arguments as Python's init_dist takes them, and the typed options they become. Knows no LibTorch.
#pragma once

#include <torch_dist_init/export.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace torch_dist_init {

/// A keyword argument's value: null (Python's None: as if not given), bool, int, float or string.
class Value {
 public:
  Value(std::nullptr_t = nullptr) : data_(nullptr) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(std::string text) : data_(std::move(text)) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Value(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      data_ = number;
    } else if constexpr (std::is_floating_point_v<T>) {
      data_ = static_cast<double>(number);
    } else {
      data_ = static_cast<std::int64_t>(number);
    }
  }

  using Data = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string>;
  const Data& data() const noexcept { return data_; }

 private:
  Data data_;
};

/// Keyword arguments by name: {{"timeout", 1800}, {"port", 29501}}.
using Kwargs = std::map<std::string, Value>;

/// What keyword arguments can say, typed. An empty field was not given.
struct KwargOptions {
  /// How long init and every later operation may wait, at most 2147483 s, which is what LibTorch's sockets can hold.
  /// Not given: 10 minutes with nccl, 30 minutes with other backends, as torch.distributed.
  std::optional<std::chrono::milliseconds> timeout;
  /// Where the ranks meet: "env://" (the default), "tcp://host:port", "file:///path". `rank` and `world_size` may be
  /// added as "?rank=0&world_size=2".
  std::optional<std::string> init_method;
  /// This process's rank; wins over the launcher's. Goes with world_size.
  std::optional<int> rank;
  /// The number of ranks; wins over the launcher's. Goes with rank.
  std::optional<int> world_size;
  /// The TCP port where the ranks meet, 1 to 65535; wins over MASTER_PORT.
  std::optional<int> port;
  /// A name for people; torch.distributed ignores it too: the default group is always "0".
  std::optional<std::string> group_name;
  /// The CUDA device of this rank, for CUDA backends; wins over the local rank.
  std::optional<int> device_id;
  /// Whether a successful init sets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as far
  /// as they are known and differ, for what reads them later, as mmengine.dist does. Launcher "none" sets nothing.
  /// setenv(3) is not safe while another thread calls getenv(3).
  bool export_environment = true;
};

/// Checks keyword arguments and makes them typed: `timeout` (int or float, seconds), `init_method` (string), `rank`,
/// `world_size`, `port`, `device_id` (int), `group_name` (string), `init_backend` (only "torch"). Null counts as not
/// given. `store` and `pg_options` can't be written as a value: they are fields of InitOptions.
/// @throws TypeError for an unknown name (with the nearest known one) or a wrong type; for `timeout` in mmengine's
/// words.
/// @throws ValueError for a value out of range: timeout zero, negative, NaN, infinite, below 1 ms, above 2147483 s.
TORCH_DIST_INIT_API KwargOptions parse_kwargs(const Kwargs& kwargs);

}  // namespace torch_dist_init
