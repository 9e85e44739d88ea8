/// @file
/// The default group: the one piece of global state.
#pragma once

#include <torch_dist_init/launch.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <memory>
#include <string>

namespace torch_dist_init::detail {

/// What a successful init leaves.
struct World {
  /// Before the group: the group is released first, since its backends use the store.
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  LaunchInfo launch;
  std::string backend;
};

/// The world, which lives on for as long as the caller holds it; null if there is none.
std::shared_ptr<const World> current_world();

void set_world(World world);

/// Forgets the world and returns it; null if there is none.
std::shared_ptr<const World> take_world();

}  // namespace torch_dist_init::detail
