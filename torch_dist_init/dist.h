/// @file
/// Questions about the default group, and the barrier; names and answers are mmengine.dist's. Knows no LibTorch.
#pragma once

#include <torch_dist_init/export.h>

#include <optional>
#include <string>

namespace torch_dist_init {

/// A rank and the number of ranks.
struct DistInfo {
  int rank;
  int world_size;
};

/// True between a successful init_dist and destroy_process_group, as torch.distributed.is_initialized.
TORCH_DIST_INIT_API bool is_initialized();

/// This process's rank in the default group; 0 if there is none.
TORCH_DIST_INIT_API int get_rank();

/// The number of ranks of the default group; 1 if there is none.
TORCH_DIST_INIT_API int get_world_size();

/// This process's number among those of its node; 0 if there is no default group.
/// @throws LaunchError if the launcher didn't say.
TORCH_DIST_INIT_API int get_local_rank();

/// The number of the default group's processes on this node; 1 if there is no default group.
/// @throws LaunchError if the launcher didn't say.
TORCH_DIST_INIT_API int get_local_size();

/// Rank and size of the default group; {0, 1} if there is none.
TORCH_DIST_INIT_API DistInfo get_dist_info();

/// The default group's backend in lower case, as "gloo" or "cpu:gloo,cuda:nccl"; nothing if there is no default group.
TORCH_DIST_INIT_API std::optional<std::string> get_backend();

/// True on rank 0, and where there is no default group.
TORCH_DIST_INIT_API bool is_main_process();

/// Waits until all ranks of the default group have come here; returns at once if there is none.
/// @throws BackendError if a rank is lost or the group's timeout passes.
/// @throws RendezvousError in a process that was forked from the one that joined.
TORCH_DIST_INIT_API void barrier();

}  // namespace torch_dist_init
