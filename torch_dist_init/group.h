/// @file
/// Groups beside the default one; names and behaviour are torch.distributed's and mmengine.dist's.
#pragma once

#include <torch_dist_init/export.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch_dist_init {

/// The default group, as mmengine.dist.get_default_group; null if there is none.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> get_default_group();

/// Where a group's operations want their tensors, as mmengine.dist.get_comm_device: the CPU if it takes such, as gloo
/// and mpi do, else this rank's GPU.
/// @param group null: the default group; without one, the CPU.
TORCH_DIST_INIT_API c10::Device get_comm_device(const c10::intrusive_ptr<c10d::ProcessGroup>& group = nullptr);

/// How a group is made.
struct GroupOptions {
  /// How long making it and every later operation may wait; not given: as long as in the default group. MPI has no
  /// timeouts.
  std::optional<std::chrono::milliseconds> timeout;
  /// As init_dist's; not given: the default group's.
  std::optional<std::string> backend;
  /// Options of the backend's own type, used as they are; `timeout` is put into them.
  c10::intrusive_ptr<c10d::Backend::Options> pg_options;
  /// Only the members of the group call new_group, and none of the others has to. Then the group's name comes from its
  /// ranks, else from the number of groups made before, as in torch.distributed: ranks in Python can take part in
  /// those. Not with mpi.
  bool use_local_synchronization = false;
  /// For people.
  std::string group_desc = "undefined";
};

/// Makes a group of some ranks of the default group, as torch.distributed.new_group. All ranks of the default group
/// call it, in the same order, unless `use_local_synchronization` is set. Also registers it with c10d under its name.
/// @param ranks the members, in any order: they are sorted; empty: all ranks.
/// @return the group; null on a rank that is no member.
/// @throws ValueError if `ranks` has doubles, or numbers that are no ranks; if `timeout` is below 1 ms or above 2147483
/// s.
/// @throws RendezvousError if there is no default group, or another rank makes another group at this point.
/// @throws TimeoutError, naming the missing ranks; BackendError, TypeError as init_dist.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> new_group(const std::vector<int>& ranks = {},
                                                                     const GroupOptions& options = {});

/// Divides the default group into groups of `group_size` neighbours, as torch.distributed.new_subgroups. All ranks call
/// it.
/// @return this rank's group, and all of them, null where this rank is no member.
/// @throws ValueError if `group_size` doesn't divide the world; else as new_group.
TORCH_DIST_INIT_API
std::pair<c10::intrusive_ptr<c10d::ProcessGroup>, std::vector<c10::intrusive_ptr<c10d::ProcessGroup>>> new_subgroups(
    int group_size, const GroupOptions& options = {});

/// Makes the group of this node's ranks, `node_rank * num_gpus_per_node` and those that follow, as
/// mmengine.dist.init_local_group. All ranks of a node call it; others don't wait for them.
/// @throws RendezvousError if there is one already; ValueError if there are no such ranks, or this rank is none of
/// them; else as new_group.
TORCH_DIST_INIT_API void init_local_group(int node_rank, int num_gpus_per_node);

/// The group that init_local_group has made, as mmengine.dist.get_local_group; null without a default group.
/// @throws RendezvousError if init_local_group has not been called.
TORCH_DIST_INIT_API c10::intrusive_ptr<c10d::ProcessGroup> get_local_group();

/// The members of a group by their ranks in the default group, as torch.distributed.get_process_group_ranks.
/// @throws ValueError if `group` is null, or none of this world.
TORCH_DIST_INIT_API std::vector<int> get_process_group_ranks(const c10::intrusive_ptr<c10d::ProcessGroup>& group);

/// Shuts one group down and forgets it, as torch.distributed.destroy_process_group(group). Null: nothing happens. The
/// default group: as destroy_process_group(), which ends all of them.
/// @throws ValueError if `group` is none of this world.
TORCH_DIST_INIT_API void destroy_process_group(const c10::intrusive_ptr<c10d::ProcessGroup>& group);

}  // namespace torch_dist_init
