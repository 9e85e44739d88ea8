/// @file
/// The launchers that torch_dist_init knows: for each the variables and the reader. One file each; CONTRIBUTING.md
/// says how to add one.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include "launch/family.h"

namespace torch_dist_init::detail {

/// torchrun's variables, which PyTorchJob and people set too: RANK, WORLD_SIZE, LOCAL_RANK ...
const Family& torchrun_family();

/// The variables of the Slurm step that this process is a task of; where the step's are missing, the job's.
const Family& slurm_family(const Environment& environment);

/// True if srun started this process as one of a step's tasks; false in a batch script, in a shell of salloc, and under
/// the daemon that an MPI launcher started by srun.
bool is_slurm_task(const Environment& environment);

/// The variables of mpirun, mpiexec and the like, innermost first.
std::vector<const Family*> mpi_families();

/// The innermost MPI launcher whose variables are complete; null if there is none. Variables that srun itself set, in
/// the name of an MPI launcher, don't count: Slurm's own say the same and more.
const Family* complete_mpi_family(const Environment& environment);

/// "pytorch": torchrun, Kubernetes' PyTorchJob, or RANK and WORLD_SIZE set by hand.
LaunchInfo read_pytorch(const Environment& environment);

/// "slurm": a task that srun started.
LaunchInfo read_slurm(const Environment& environment);

/// "mpi": a process that mpirun, mpiexec, flux or jsrun started.
LaunchInfo read_mpi(const Environment& environment);

/// "auto": the innermost of the above whose variables are complete, else "none".
LaunchInfo read_auto(const Environment& environment);

/// "none": a world of one, whatever the environment says.
LaunchInfo read_none(const Environment& environment);

}  // namespace torch_dist_init::detail
