/// @file
/// Groups beside the default one.
#include <torch_dist_init/dist.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/group.h>
#include <torch_dist_init/init.h>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <numeric>

#include "backends/compat.h"
#include "host.h"
#include "options/check.h"
#include "quoted.h"
#include "rendezvous/handshake.h"
#include "world/join.h"
#include "world/world.h"

namespace torch_dist_init {
namespace {

using namespace detail;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

std::shared_ptr<const World> require_world(const char* function) {
  auto world = current_world();
  if (!world) {
    throw RendezvousError(std::string(function) + " needs the default process group: call init_dist first");
  }
  refuse_if_forked(world);
  return world;
}

std::string text_of(const std::vector<int>& ranks, const char* separator) {
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : separator) + std::to_string(rank);
  }
  return text;
}

/// The members, sorted; all ranks if none are given.
std::vector<int> members_of(const World& world, const std::vector<int>& ranks) {
  const int world_size = world.launch.world_size;
  std::vector<int> members = ranks;
  if (members.empty()) {
    members.resize(static_cast<std::size_t>(world_size));
    std::iota(members.begin(), members.end(), 0);
  }
  std::sort(members.begin(), members.end());
  for (const int rank : {members.front(), members.back()}) {
    if (rank < 0 || rank >= world_size) {
      throw ValueError("a group's ranks must be from 0 to " + std::to_string(world_size - 1) + ", but there is " +
                       std::to_string(rank) + " among " + text_of(ranks, ", "));
    }
  }
  const auto twice = std::adjacent_find(members.begin(), members.end());
  if (twice != members.end()) {
    throw ValueError("a group's ranks must be distinct, but " + std::to_string(*twice) + " is twice among " +
                     text_of(ranks, ", "));
  }
  return members;
}

/// Agrees over the ranks by construction: all of them count the groups that all make, and a group's members those that
/// they make by themselves.
std::string next_name(SubGroups& sub_groups, const std::vector<int>& members, bool is_local) {
  if (is_local) {
    return "ranks_" + text_of(members, "_") + "/" + std::to_string(sub_groups.local_counts[members]++);
  }
  return std::to_string(sub_groups.count++);
}

/// @throws ValueError, BackendError if the backends can't make such a group.
void check_selection(const World& world, const std::vector<DeviceBackend>& selected, const GroupOptions& options) {
  if (world.plan.kind == RendezvousPlan::Kind::mpi && !meet_by_mpi(selected)) {
    throw BackendError("backend " + detail::quoted(*options.backend) +
                       " needs a store where its ranks meet, but the default group has none, since MPI started its "
                       "ranks: give init_dist an init_method or a port, so that there is one");
  }
  if (options.use_local_synchronization && !meet_by_store(selected)) {
    throw ValueError("MPI backend doesn't support use_local_synchronization=True");
  }
}

/// Calls `make` with the world's store. If it fails, its threads may still wait over that store's connection, which
/// serves one at a time: then the world gets another one.
template <class Make>
GroupPtr make_or_free_store(const World& world, const Make& make) {
  const StorePtr store = world.free_store();
  if (!store) {
    throw RendezvousError(describe_rank(world.launch.rank) +
                          " can't make a group: an earlier one failed, and the store at " + world.plan.endpoint() +
                          " can't be reached again");
  }
  try {
    return make(store);
  } catch (...) {
    world.sub_groups->other_store = beside(store, world.plan);
    throw;
  }
}

GroupPtr make_sub_group(const World& world, const std::vector<int>& ranks, const GroupOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (options.timeout) {
    check_timeout(*options.timeout);
  }
  const std::vector<int> members = members_of(world, ranks);
  const bool is_member = std::binary_search(members.begin(), members.end(), world.launch.rank);
  if (options.use_local_synchronization && !is_member) {
    return nullptr;
  }
  JoinSetting setting;
  setting.selected = select_backends(options.backend.value_or(world.backend));
  check_selection(world, setting.selected, options);
  setting.environment = world.environment;
  setting.launcher = world.launch.launcher;
  setting.pg_options = options.pg_options;
  setting.device = check_backends(
      setting.selected, {setting.environment, world.launch,
                         world.device ? std::optional<int>(world.device->index()) : std::nullopt, options.pg_options});
  setting.connects_now = world.connects_now;

  RendezvousPlan plan = world.plan;
  plan.timeout = options.timeout.value_or(world.plan.timeout);
  plan.group_ranks = members;
  plan.group_name = next_name(*world.sub_groups, members, options.use_local_synchronization);
  GroupPtr group = make_or_free_store(world, [&](const StorePtr& store) {
    const StorePtr default_group_store = c10::make_intrusive<c10d::PrefixStore>(
        std::string(default_group_name) + "/", parent_of_default_group(store, world.from_rendezvous));
    return join_group(plan, setting, store, default_group_store, start, options.group_desc,
                      options.use_local_synchronization ? nullptr : world.group);
  });
  if (group) {
    c10d::register_process_group(plan.group_name, group);
    world.sub_groups->groups.push_back({group, plan.group_name, members});
  }
  return group;
}

}  // namespace

GroupPtr get_default_group() {
  const auto world = current_world();
  return world ? world->group : nullptr;
}

c10::Device get_comm_device(const GroupPtr& group) {
  const auto world = current_world();
  const c10::Device cpu(c10::kCPU);
  if (!world) {
    return cpu;
  }
  const GroupPtr& asked = group ? group : world->group;
  const std::vector<c10::Device> devices = asked->getDeviceTypes();
  if (devices.empty() || std::find(devices.begin(), devices.end(), cpu) != devices.end()) {
    return cpu;
  }
  return asked->getBoundDeviceId().value_or(world->device.value_or(devices.front()));
}

GroupPtr new_group(const std::vector<int>& ranks, const GroupOptions& options) {
  const auto world = require_world("new_group");
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  return make_sub_group(*world, ranks, options);
}

std::pair<GroupPtr, std::vector<GroupPtr>> new_subgroups(int group_size, const GroupOptions& options) {
  const auto world = require_world("new_subgroups");
  const int world_size = world->launch.world_size;
  if (group_size < 1 || world_size % group_size != 0) {
    throw ValueError("group_size must divide the world size " + std::to_string(world_size) + ", but it is " +
                     std::to_string(group_size));
  }
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  std::pair<GroupPtr, std::vector<GroupPtr>> made;
  for (int first = 0; first < world_size; first += group_size) {
    std::vector<int> ranks(static_cast<std::size_t>(group_size));
    std::iota(ranks.begin(), ranks.end(), first);
    made.second.push_back(make_sub_group(*world, ranks, options));
    if (made.second.back()) {
      made.first = made.second.back();
    }
  }
  return made;
}

void init_local_group(int node_rank, int num_gpus_per_node) {
  const auto world = require_world("init_local_group");
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  if (world->sub_groups->local_group) {
    throw RendezvousError("init_local_group has been called already: there is a local process group");
  }
  const DistInfo self{world->launch.rank, world->launch.world_size};
  if (node_rank < 0 || num_gpus_per_node < 1 || self.rank / num_gpus_per_node != node_rank) {
    throw ValueError(describe_rank(self.rank) + " is not among the " + std::to_string(num_gpus_per_node) +
                     " ranks of node_rank " + std::to_string(node_rank) +
                     ": expected node_rank * num_gpus_per_node <= rank < (node_rank + 1) * num_gpus_per_node");
  }
  GroupOptions options;
  options.group_desc = "local";
  options.use_local_synchronization = meet_by_store(select_backends(world->backend));
  for (int first = 0; first < self.world_size; first += num_gpus_per_node) {
    // The other nodes' groups are made with this rank's help or, mostly, without.
    std::vector<int> ranks(static_cast<std::size_t>(std::min(num_gpus_per_node, self.world_size - first)));
    std::iota(ranks.begin(), ranks.end(), first);
    if (const GroupPtr group = make_sub_group(*world, ranks, options)) {
      world->sub_groups->local_group = group;
    }
  }
}

GroupPtr get_local_group() {
  const auto world = current_world();
  if (!world) {
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  if (!world->sub_groups->local_group) {
    throw RendezvousError(
        "Local process group is not created, please use `init_local_group` to setup local process group.");
  }
  return world->sub_groups->local_group;
}

std::vector<int> get_process_group_ranks(const GroupPtr& group) {
  const auto world = require_world("get_process_group_ranks");
  if (group == world->group) {
    return world->plan.members();
  }
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  for (const SubGroup& sub_group : world->sub_groups->groups) {
    if (sub_group.group == group) {
      return sub_group.ranks;
    }
  }
  throw ValueError("this process group is not one of the world: it was made by others, or destroyed");
}

void destroy_process_group(const GroupPtr& group) {
  if (!group) {
    return;
  }
  const auto world = require_world("destroy_process_group");
  if (group == world->group) {
    destroy_process_group();
    return;
  }
  const std::lock_guard<std::mutex> lock(world->sub_groups->mutex);
  auto& groups = world->sub_groups->groups;
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const SubGroup& sub_group) { return sub_group.group == group; });
  if (found == groups.end()) {
    throw ValueError("this process group is not one of the world: it was made by others, or destroyed");
  }
  c10d::unregister_process_group(found->name);
  groups.erase(found);
  if (world->sub_groups->local_group == group) {
    world->sub_groups->local_group = nullptr;
  }
  compat::shut_down(*group);
}

}  // namespace torch_dist_init
