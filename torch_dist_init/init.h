/// @file
/// Joining the distributed job and leaving it.
#pragma once

#include <torch_dist_init/export.h>
#include <torch_dist_init/kwargs.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <optional>
#include <string>
#include <utility>

namespace torch_dist_init {

/// What init_process_group takes: all that keyword arguments can say, and two things that only C++ can.
struct InitOptions : KwargOptions {
  InitOptions() = default;
  InitOptions(KwargOptions options) : KwargOptions(std::move(options)) {}

  /// A ready store that all ranks share; then `init_method` and `port` can't be given.
  c10::intrusive_ptr<c10d::Store> store;
  /// Options of the backend's own type (c10d::ProcessGroupGloo::Options …), used as they are; `timeout` is put into
  /// them.
  c10::intrusive_ptr<c10d::Backend::Options> pg_options;
};

/// Joins the distributed job that `launcher` started and makes the default process group, as mmengine.dist.init_dist.
///
/// Reads and checks all arguments and variables first; nothing is changed before they are known to be good, and after a
/// failure a second try works. Waits for all ranks, at most `timeout`; a wait of more than a few seconds says on stderr
/// what it waits for.
/// @param launcher "pytorch" (torchrun), "slurm" (srun), "mpi" (mpirun), "none" (a world of one), "auto", or
/// registered.
/// @param backend "gloo", "nccl", "mpi", a list by device ("cpu:gloo,cuda:nccl"), or registered; case doesn't matter.
/// @param kwargs see parse_kwargs.
/// @return the default group, also registered with c10d under the name "0".
/// @throws TypeError, ValueError for wrong arguments; "Invalid launcher type: X" for an unknown launcher.
/// @throws LaunchError if the launcher's variables are incomplete, malformed or contradictory.
/// @throws RendezvousError if the ranks can't meet; TimeoutError, naming the missing ranks, if they didn't in time.
/// @throws BackendError if the backend is unknown, not in this LibTorch, or can't be constructed.
/// @throws RendezvousError if there is a default group already, or the process that this one was forked from has one.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> init_dist(const std::string& launcher,
                                                                     const std::string& backend = "nccl",
                                                                     const Kwargs& kwargs = {});

/// The same with typed options, which can carry a store and backend options.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> init_dist(const std::string& launcher,
                                                                     const std::string& backend,
                                                                     const InitOptions& options);

/// Makes the default process group as torch.distributed.init_process_group: by default from RANK, WORLD_SIZE,
/// MASTER_ADDR and MASTER_PORT (`env://`); a given `rank` and `world_size` win over the variables. Errors as init_dist.
/// @param backend as init_dist's. Not given: "nccl" with a `device_id`, "cuda:nccl" where there is a GPU, else
/// "cpu:gloo". With "mpi" the variables are those of whatever launcher is there, and must say what MPI says.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> init_process_group(
    const std::optional<std::string>& backend = std::nullopt, const InitOptions& options = {});

/// Leaves the job: shuts the default group and all others down and forgets them, as
/// torch.distributed.destroy_process_group. Does nothing if there is none. Where rank 0 serves the store, it stays
/// until the other ranks have left too, at most ten seconds. Afterwards init_dist may be called again, also at the same
/// port, if the program holds the group no more.
/// @throws RendezvousError in a process that was forked from the one that joined.
TORCH_DIST_INIT_API void destroy_process_group();

}  // namespace torch_dist_init
