/// @file
/// The default group: the one piece of global state.
#pragma once

#include <torch_dist_init/launch.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <optional>
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

/// A copy of the world, which keeps it alive for as long as the copy lives; nothing if there is none.
std::optional<World> current_world();

void set_world(World world);

/// Forgets the world and returns it; nothing if there is none.
std::optional<World> take_world();

}  // namespace torch_dist_init::detail
