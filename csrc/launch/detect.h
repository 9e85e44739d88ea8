/// @file
/// Which launcher started this process, as far as the environment shows.
#pragma once

#include <torch_dist_init/environment.h>

#include <optional>
#include <string>

#include "launch/family.h"

namespace torch_dist_init::detail {

/// A launcher by its name for read_launch_info, and its variables.
struct Detected {
  std::string launcher;
  const Family* family;
};

/// The innermost launcher whose variables are complete; nothing if there is none. torchrun runs inside mpirun and srun,
/// and mpirun inside a Slurm job, whose variables their processes inherit. Never decides by the prefix of a name: Slurm
/// exports settings of every MPI launcher in each allocation.
std::optional<Detected> detect_launcher(const Environment& environment);

/// What to add to the message that `launcher` lacks its variables: "; this looks like torchrun, use launcher
/// "pytorch"". Empty if no other launcher's are there.
std::string hint_at_other_launcher(const Environment& environment, const std::string& launcher);

}  // namespace torch_dist_init::detail
