/// @file
/// Wrapping a backend as torch.distributed does with TORCH_DISTRIBUTED_DEBUG=DETAIL.
#pragma once

#include "backends/registry.h"

namespace torch_dist_init::detail {

/// Reads TORCH_DISTRIBUTED_DEBUG, if it is set, as `import torch.distributed` does; else the program's own
/// c10d::setDebugLevel counts.
/// @throws LaunchError if it is none of OFF, INFO, DETAIL.
void read_debug_level(const Environment& environment);

/// With DETAIL the backend in a c10d::ProcessGroupWrapper, which checks over a Gloo of its own that all ranks call the
/// same operations; else the backend. Waits for the other ranks.
c10::intrusive_ptr<c10d::Backend> wrap_for_debugging(const c10::intrusive_ptr<c10d::Backend>& backend,
                                                     const BackendRequest& request);

}  // namespace torch_dist_init::detail
