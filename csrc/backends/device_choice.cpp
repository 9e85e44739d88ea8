/// @file
/// Which of the visible devices is this rank's.
#include "backends/device_choice.h"

#include <torch_dist_init/error.h>

#include "host.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

std::string what_is_visible(const DeviceSetting& setting) {
  return std::to_string(setting.visible) + " visible GPU(s) (CUDA_VISIBLE_DEVICES is " +
         (setting.visible_devices ? detail::quoted(*setting.visible_devices) : "not set") + ")";
}

}  // namespace

int choose_device(const DeviceSetting& setting) {
  const std::string who = describe_rank(setting.rank);
  if (setting.device_id) {
    if (*setting.device_id >= setting.visible) {
      throw ValueError(who + ": device_id is " + std::to_string(*setting.device_id) + ", but there are " +
                       what_is_visible(setting) + ", numbered from 0");
    }
    return *setting.device_id;
  }
  if (!setting.local_rank) {
    if (setting.visible == 1) {
      return 0;
    }
    throw LaunchError(who + " can't tell which GPU is its own: the launcher told no local rank, and there are " +
                      what_is_visible(setting) + ". Set LOCAL_RANK, or the keyword argument 'device_id'");
  }
  if (!setting.visible_devices && setting.local_world_size && *setting.local_world_size > setting.visible) {
    throw BackendError(who + ": this node has " + std::to_string(*setting.local_world_size) + " ranks, but only " +
                       what_is_visible(setting) +
                       ", and NCCL takes one rank a GPU. Start at most as many ranks on a node as it has GPUs");
  }
  return *setting.local_rank % setting.visible;
}

}  // namespace torch_dist_init::detail
