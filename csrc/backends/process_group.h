/// @file
/// A c10d::ProcessGroup with its backends, put together as torch.distributed does, so that ranks in Python can share
/// it.
#pragma once

#include "backends/selection.h"

namespace torch_dist_init::detail {

/// Makes the group that `request` describes, with its backends; waits for its other ranks. Its part of `request.store`
/// has the group's name as prefix. For a sub group, `default_group`, if not null, lends its backends to be split; a
/// rank that is no member takes part where backends want that, and gets null.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(
    const std::vector<DeviceBackend>& selected, const BackendRequest& request, const std::string& description,
    const c10::intrusive_ptr<c10d::ProcessGroup>& default_group = nullptr);

}  // namespace torch_dist_init::detail
