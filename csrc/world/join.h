/// @file
/// From a plan to a process group: what the default group and the others have in common.
#pragma once

#include <torch_dist_init/init.h>

#include <chrono>

#include "backends/selection.h"
#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Everything that is known before the ranks meet.
struct JoinSetting {
  std::vector<DeviceBackend> selected;
  Environment environment{{}};
  std::string launcher;
  /// The caller's options; null if there are none.
  c10::intrusive_ptr<c10d::Backend::Options> pg_options;
  /// The device that is this rank's, if a backend wants one.
  std::optional<c10::Device> device;
  bool connects_now = false;
};

/// Makes this rank known over `store`, and makes the plan's group, whose part of the store lies in `parent_store`.
/// @param start when init began: the plan's timeout counts from there.
/// @param default_group for a sub group that all ranks make: it may be split from that; else null.
/// @return null on a rank that is no member of the plan's group.
/// @throws RendezvousError, TimeoutError, BackendError as init_dist.
c10::intrusive_ptr<c10d::ProcessGroup> join_group(
    const RendezvousPlan& plan, const JoinSetting& setting, const c10::intrusive_ptr<c10d::Store>& store,
    const c10::intrusive_ptr<c10d::Store>& parent_store, std::chrono::steady_clock::time_point start,
    const std::string& description, const c10::intrusive_ptr<c10d::ProcessGroup>& default_group = nullptr);

}  // namespace torch_dist_init::detail
