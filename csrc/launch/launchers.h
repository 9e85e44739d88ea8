/// @file
/// The launchers that torch_dist_init knows, one file each. See CONTRIBUTING.md for adding one.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include "launch/family.h"

namespace torch_dist_init::detail {

/// torchrun's variables, which PyTorchJob and people set too: RANK, WORLD_SIZE, LOCAL_RANK ...
const Family& torchrun_family();

/// "pytorch": torchrun, Kubernetes' PyTorchJob, or RANK and WORLD_SIZE set by hand.
LaunchInfo read_pytorch(const Environment& environment);

/// "none": a world of one, whatever the environment says.
LaunchInfo read_none(const Environment& environment);

}  // namespace torch_dist_init::detail
