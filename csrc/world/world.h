/// @file
/// The default group and those beside it: the one piece of global state.
#pragma once

#include <sys/types.h>
#include <torch_dist_init/environment.h>
#include <torch_dist_init/export.h>
#include <torch_dist_init/launch.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// A group beside the default one, of which this rank is a member.
struct SubGroup {
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  std::string name;
  std::vector<int> ranks;
};

/// The groups beside the default one.
struct SubGroups {
  /// Held while one is made or destroyed: two at once would take each other's names.
  std::mutex mutex;
  /// In the order in which they were made.
  std::vector<SubGroup> groups;
  /// How many groups all ranks together have made, the default group included: the next one's name.
  int count = 1;
  /// How many groups of the same ranks their members have made by themselves.
  std::map<std::vector<int>, int> local_counts;
  /// init_local_group's; null if there is none.
  c10::intrusive_ptr<c10d::ProcessGroup> local_group;
  /// The world's store by another connection, since a group that could not be made may keep the first one busy; null if
  /// there is none to be had.
  std::optional<c10::intrusive_ptr<c10d::Store>> other_store;
};

/// What a successful init leaves.
struct World {
  /// Before the group: the group is released first, since its backends use the store.
  c10::intrusive_ptr<c10d::Store> store;
  /// Whether it is the store that ranks in Python would have, and not one that the caller gave.
  bool from_rendezvous = true;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  /// As it was at init: reading it again would race with threads that change it.
  Environment environment{{}};
  LaunchInfo launch;
  RendezvousPlan plan;
  std::string backend;
  /// The device that is this rank's, if a backend wanted one.
  std::optional<c10::Device> device;
  /// Whether the default group was made with its devices connected.
  bool connects_now = false;
  /// Ends the job, where exiting isn't enough; may be empty.
  std::function<void()> abort_job;
  /// The process that joined: one that it forks has the world's connections too, and must not use them.
  pid_t pid = 0;
  std::shared_ptr<SubGroups> sub_groups = std::make_shared<SubGroups>();

  /// The store that isn't busy, or null. The sub groups' mutex must be held.
  c10::intrusive_ptr<c10d::Store> free_store() const { return sub_groups->other_store.value_or(store); }
};

/// Where the default group lies in the world's store: as in torch.distributed, where a store that the caller gave has
/// one prefix less.
c10::intrusive_ptr<c10d::Store> parent_of_default_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                        bool from_rendezvous);

/// The world, which lives on for as long as the caller holds it; null if there is none. For torch-dist check too.
TORCH_DIST_INIT_API std::shared_ptr<const World> current_world();

/// Waits for the other ranks of a group. For torch-dist check too.
TORCH_DIST_INIT_API void wait_at_barrier(c10d::ProcessGroup& group);

void set_world(World world);

/// Forgets the world and returns it; null if there is none.
std::shared_ptr<const World> take_world();

/// @throws RendezvousError if there is a world, and it is that of the process from which this one was forked.
void refuse_if_forked(const std::shared_ptr<const World>& world);

/// Has a process that ends without leave_world tell the other ranks, so that nobody waits for it.
void leave_at_exit();

/// Leaves the world: shuts all groups down, and waits a bounded time where this rank serves the store. Does nothing in
/// a forked process.
/// @throws std::exception, as the backends do when they shut down.
void leave_world();

/// The same after a failure: nobody is waited for. Where the other ranks would wait for this one, ends the job and this
/// process with it.
void leave_world_after_failure();

}  // namespace torch_dist_init::detail
