/// @file
/// The process environment as a value: read once, then passed on, so that every rule about it can be tested without
/// setenv.
#pragma once

#include <torch_dist_init/export.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace torch_dist_init {

/// A copy of environment variables. An empty variable counts as unset, as in torch.distributed's env://.
class TORCH_DIST_INIT_API Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  /// An environment with just these variables.
  explicit Environment(Variables variables);

  /// A copy of this process's environment.
  static Environment current();

  /// The value of a variable, or nothing if it is unset or empty.
  std::optional<std::string> get(std::string_view name) const;

  /// True if get(name) has a value.
  bool has(std::string_view name) const;

  /// A copy in which `name` has `value`.
  Environment with(const std::string& name, std::string value) const;

 private:
  Variables variables_;
};

}  // namespace torch_dist_init
