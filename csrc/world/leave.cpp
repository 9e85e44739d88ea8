/// @file
/// Leaving the distributed job.
#include <torch_dist_init/error.h>
#include <torch_dist_init/init.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include <cstdlib>

#include "backends/compat.h"
#include "host.h"
#include "rendezvous/leave.h"
#include "world/world.h"

namespace torch_dist_init {
namespace detail {
namespace {

void shut_down(bool stays) {
  const auto held = current_world();
  if (!held || held->pid != ::getpid()) {
    return;
  }
  const auto world = take_world();
  if (!world) {
    return;
  }
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  auto& groups = world->sub_groups->groups;
  // In the same order on all ranks, the last first: NCCL's communicators may wait for each other.
  for (; !groups.empty(); groups.pop_back()) {
    c10d::unregister_process_group(groups.back().name);
    compat::shut_down(*groups.back().group);
  }
  world->sub_groups->local_group = nullptr;
  c10d::unregister_process_group(default_group_name);
  compat::shut_down(*world->group);
  if (const auto store = world->free_store()) {
    leave_store(*store, world->plan, stays);
  }
}

}  // namespace

void refuse_if_forked(const std::shared_ptr<const World>& world) {
  if (world && world->pid != ::getpid()) {
    throw RendezvousError("process " + std::to_string(::getpid()) + " on host " + host_name() +
                          " was forked from process " + std::to_string(world->pid) + ", which is rank " +
                          std::to_string(world->launch.rank) +
                          " of the default process group: a forked process can't use its parent's connections. Start "
                          "it with exec, or fork before init");
  }
}

void leave_world() { shut_down(/*stays=*/true); }

void leave_world_after_failure() {
  const auto world = current_world();
  if (world && world->pid == ::getpid() && world->abort_job) {
    world->abort_job();
  }
  shut_down(/*stays=*/false);
}

void leave_at_exit() {
  // Registered later than LibTorch's statics were made, so it runs before they are destroyed. The group itself is let
  // be.
  static const int registered = std::atexit([] {
    const auto world = current_world();
    // A thread that still makes a group holds the mutex, and the store.
    const auto lock = world ? std::unique_lock<std::mutex>(world->sub_groups->mutex, std::try_to_lock)
                            : std::unique_lock<std::mutex>();
    const auto store = lock && world->pid == ::getpid() ? world->free_store() : nullptr;
    if (store) {
      leave_store(*store, world->plan, /*stays=*/false);
    }
  });
  static_cast<void>(registered);
}

}  // namespace detail

void destroy_process_group() {
  detail::refuse_if_forked(detail::current_world());
  detail::leave_world();
}

}  // namespace torch_dist_init
