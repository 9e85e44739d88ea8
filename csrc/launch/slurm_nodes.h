/// @file
/// Which node of a Slurm step runs which rank, for messages.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

namespace torch_dist_init::detail {

/// Sets info.node_of_rank if the step's variables tell it: the ranks fill one node after the other (block distribution,
/// Slurm's default), which the place of this rank must confirm. Wrong variables are no error here.
void read_slurm_nodes(const Environment& environment, LaunchInfo& info);

}  // namespace torch_dist_init::detail
