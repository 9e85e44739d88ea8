/// @file
/// Leaving the distributed job.
#include <torch_dist_init/error.h>
#include <torch_dist_init/init.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include <cstdlib>

#include "backends/compat.h"
#include "backends/process_group.h"
#include "host.h"
#include "rendezvous/leave.h"
#include "world/world.h"

namespace torch_dist_init {
namespace detail {

void refuse_if_forked(const std::shared_ptr<const World>& world) {
  if (world && world->pid != ::getpid()) {
    throw RendezvousError("process " + std::to_string(::getpid()) + " on host " + host_name() +
                          " was forked from process " + std::to_string(world->pid) + ", which is rank " +
                          std::to_string(world->launch.rank) +
                          " of the default process group: a forked process can't use its parent's connections. Start "
                          "it with exec, or fork before init");
  }
}

void leave_world(bool stays) {
  const auto held = current_world();
  if (!held || held->pid != ::getpid()) {
    return;
  }
  const auto world = take_world();
  if (!world) {
    return;
  }
  c10d::unregister_process_group(default_group_name);
  compat::shut_down(*world->group);
  leave_store(*world->store, world->plan, stays);
}

void leave_at_exit() {
  // Registered later than LibTorch's statics were made, so it runs before they are destroyed. The group itself is let
  // be.
  static const int registered = std::atexit([] {
    const auto world = current_world();
    if (world && world->pid == ::getpid()) {
      leave_store(*world->store, world->plan, /*stays=*/false);
    }
  });
  static_cast<void>(registered);
}

}  // namespace detail

void destroy_process_group() {
  detail::refuse_if_forked(detail::current_world());
  detail::leave_world(/*stays=*/true);
}

}  // namespace torch_dist_init
