/// @file
/// The variables that a successful init leaves in the environment, for what reads them later, as mmengine's init_dist
/// does.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Sets RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as far as they are known and
/// differ from what `environment` says.
void export_variables(const Environment& environment, const LaunchInfo& launch, const RendezvousPlan& plan);

}  // namespace torch_dist_init::detail
