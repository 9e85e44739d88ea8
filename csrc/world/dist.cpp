/// @file
/// Questions about the default group, and the barrier.
#include <torch_dist_init/dist.h>
#include <torch_dist_init/error.h>

#include "host.h"
#include "libtorch_error.h"
#include "world/world.h"

namespace torch_dist_init {
namespace {

/// A number that only the launcher can know; `alone` without a group.
int from_launcher(std::optional<int> LaunchInfo::*field, const char* name, const char* variable, int alone) {
  const auto world = detail::current_world();
  if (!world) {
    return alone;
  }
  const std::optional<int> value = world->launch.*field;
  if (!value) {
    throw LaunchError(detail::describe_rank(world->launch.rank) + ": launcher '" + world->launch.launcher +
                      "' did not say the " + name + "; set " + variable + " before init");
  }
  return *value;
}

}  // namespace

void detail::wait_at_barrier(c10d::ProcessGroup& group) {
  // Not the CPU, which a backend may not serve, nor whatever GPU is this thread's current one.
  c10d::BarrierOptions options;
  options.device = group.getBoundDeviceId();
  group.barrier(options)->wait();
}

bool is_initialized() { return detail::current_world() != nullptr; }

DistInfo get_dist_info() {
  const auto world = detail::current_world();
  return world ? DistInfo{world->launch.rank, world->launch.world_size} : DistInfo{0, 1};
}

int get_rank() { return get_dist_info().rank; }

int get_world_size() { return get_dist_info().world_size; }

int get_local_rank() { return from_launcher(&LaunchInfo::local_rank, "local rank", "LOCAL_RANK", 0); }

int get_local_size() {
  return from_launcher(&LaunchInfo::local_world_size, "number of ranks on this node", "LOCAL_WORLD_SIZE", 1);
}

std::optional<std::string> get_backend() {
  const auto world = detail::current_world();
  return world ? std::optional<std::string>(world->backend) : std::nullopt;
}

bool is_main_process() { return get_rank() == 0; }

void barrier() {
  const auto world = detail::current_world();
  if (!world) {
    return;
  }
  detail::refuse_if_forked(world);
  try {
    detail::wait_at_barrier(*world->group);
  } catch (const std::exception& failure) {
    throw BackendError(detail::describe_rank(world->launch.rank) + ": barrier failed: " + detail::reason(failure));
  }
}

}  // namespace torch_dist_init
