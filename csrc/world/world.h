/// @file
/// The default group: the one piece of global state.
#pragma once

#include <torch_dist_init/launch.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <sys/types.h>

#include <memory>
#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// What a successful init leaves.
struct World {
  /// Before the group: the group is released first, since its backends use the store.
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  LaunchInfo launch;
  RendezvousPlan plan;
  std::string backend;
  /// The process that joined: one that it forks has the world's connections too, and must not use them.
  pid_t pid = 0;
};

/// The world, which lives on for as long as the caller holds it; null if there is none.
std::shared_ptr<const World> current_world();

void set_world(World world);

/// Forgets the world and returns it; null if there is none.
std::shared_ptr<const World> take_world();

/// @throws RendezvousError if there is a world, and it is that of the process from which this one was forked.
void refuse_if_forked(const std::shared_ptr<const World>& world);

/// Has a process that ends without leave_world tell the other ranks, so that nobody waits for it.
void leave_at_exit();

/// Leaves the world: shuts the group down, and if `stays` waits a bounded time where this rank serves the store. Does
/// nothing in a forked process.
/// @throws std::exception, as the backends do when they shut down.
void leave_world(bool stays);

}  // namespace torch_dist_init::detail
