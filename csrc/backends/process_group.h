/// @file
/// A c10d::ProcessGroup with its backends, put together as torch.distributed does, so that ranks in Python can share
/// it.
#pragma once

#include "backends/registry.h"

namespace torch_dist_init::detail {

/// The name of the default group, in C++ and in Python.
inline constexpr const char* default_group_name = "0";

/// Makes the default group over `request.store`, the bare store, with its backends; waits for the other ranks. A store
/// that the caller gave (`from_rendezvous` false) gets one prefix less, as in torch.distributed.
c10::intrusive_ptr<c10d::ProcessGroup> make_default_group(const std::vector<DeviceBackend>& selected,
                                                          const BackendRequest& request, bool from_rendezvous);

}  // namespace torch_dist_init::detail
