/// @file
/// The default group: the one piece of global state.
#include "world/world.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <mutex>
#include <utility>

namespace torch_dist_init::detail {
namespace {

struct State {
  std::mutex mutex;
  std::shared_ptr<const World> world;
};

/// Never destroyed: when a program ends without destroy_process_group, LibTorch's own statics may already be gone.
State& state() {
  static State* const instance = new State;
  return *instance;
}

}  // namespace

c10::intrusive_ptr<c10d::Store> parent_of_default_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                        bool from_rendezvous) {
  if (from_rendezvous) {
    return c10::make_intrusive<c10d::PrefixStore>("default_pg", store);
  }
  return store;
}

std::shared_ptr<const World> current_world() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().world;
}

void set_world(World world) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  state().world = std::make_shared<const World>(std::move(world));
}

std::shared_ptr<const World> take_world() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return std::exchange(state().world, nullptr);
}

}  // namespace torch_dist_init::detail
