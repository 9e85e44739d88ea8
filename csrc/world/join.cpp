/// @file
/// From a plan to a process group.
#include "world/join.h"

#include <torch_dist_init/error.h>

#include <algorithm>

#include "backends/process_group.h"
#include "host.h"
#include "libtorch_error.h"
#include "rendezvous/handshake.h"
#include "rendezvous/own_address.h"
#include "rendezvous/watch.h"

namespace torch_dist_init::detail {
namespace {

/// The address of this host by which the other ranks reach it.
std::optional<std::string> own_address(const RendezvousPlan& plan) {
  switch (plan.kind) {
    case RendezvousPlan::Kind::tcp:
      return address_for_others(plan.host, plan.port);
    case RendezvousPlan::Kind::local:
      return "127.0.0.1";
    case RendezvousPlan::Kind::file:
    case RendezvousPlan::Kind::given:
    case RendezvousPlan::Kind::registered:
    case RendezvousPlan::Kind::mpi:
      break;
  }
  return std::nullopt;
}

void announce(c10d::Store& store, const RendezvousPlan& plan) {
  try {
    announce_rank(store, plan);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw RendezvousError(describe_rank(plan.rank) + " lost the store at " + plan.endpoint() + ": " + reason(failure));
  }
}

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> join_group(const RendezvousPlan& plan, const JoinSetting& setting,
                                                  const c10::intrusive_ptr<c10d::Store>& store,
                                                  const c10::intrusive_ptr<c10d::Store>& parent_store,
                                                  std::chrono::steady_clock::time_point start,
                                                  const std::string& description,
                                                  const c10::intrusive_ptr<c10d::ProcessGroup>& default_group) {
  const std::vector<int> members = plan.members();
  const auto place = std::find(members.begin(), members.end(), plan.rank);
  BackendRequest request;
  request.store = parent_store;
  request.rank = place != members.end() ? static_cast<int>(place - members.begin()) : -1;
  request.world_size = static_cast<int>(members.size());
  request.global_ranks = plan.group_ranks;
  request.timeout = plan.timeout;
  request.deadline = start + plan.timeout;
  request.group_name = plan.group_name;
  request.launcher = setting.launcher;
  request.options = setting.pg_options;
  request.own_address = own_address(plan);
  request.environment = setting.environment;
  request.device = setting.device;
  request.connects_now = setting.connects_now;

  const auto make = [selected = setting.selected, request, description, default_group] {
    return make_process_group(selected, request, description, default_group);
  };
  if (request.rank < 0) {
    return make();
  }
  if (plan.kind != RendezvousPlan::Kind::mpi) {
    announce(*store, plan);
  }
  return make_while_watching(plan, store, start, make);
}

}  // namespace torch_dist_init::detail
