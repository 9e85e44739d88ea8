/// @file
/// Which of the visible devices is this rank's.
#pragma once

#include <torch_dist_init/launch.h>

#include <optional>
#include <string>

namespace torch_dist_init::detail {

/// What the choice is made from.
struct DeviceSetting {
  /// The caller's choice, which wins.
  std::optional<int> device_id;
  /// As LaunchInfo has them.
  int rank = 0;
  std::optional<int> local_rank;
  std::optional<int> local_world_size;
  /// How many devices this process sees, at least 1.
  int visible = 1;
  /// The value of CUDA_VISIBLE_DEVICES, in whatever form; nothing if it is not set. It isn't parsed.
  std::optional<std::string> visible_devices;
};

/// The number of this rank's device among the visible ones: `device_id`, else the local rank modulo their number.
/// @throws ValueError if there is no device `device_id`.
/// @throws LaunchError if the launcher didn't tell the local rank and there are several devices.
/// @throws BackendError if ranks of this node would certainly share a device: all of its devices are visible, and they
/// are fewer than its ranks. Where CUDA_VISIBLE_DEVICES is set, each rank may see others.
int choose_device(const DeviceSetting& setting);

}  // namespace torch_dist_init::detail
