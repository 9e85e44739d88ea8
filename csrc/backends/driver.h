/// @file
/// NVIDIA's driver.
#pragma once

#include <optional>
#include <string>

namespace torch_dist_init::detail {

/// What is wrong with NVIDIA's driver on this machine; nothing if it can be loaded.
std::optional<std::string> driver_problem();

}  // namespace torch_dist_init::detail
