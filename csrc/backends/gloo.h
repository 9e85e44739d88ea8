/// @file
/// The gloo backend: LibTorch's c10d::ProcessGroupGloo on the right network interface.
#pragma once

#include "backends/registry.h"

namespace torch_dist_init::detail {

/// The registry's entry for gloo. It serves CPU and CUDA tensors and touches no GPU by itself.
BackendEntry gloo_backend();

}  // namespace torch_dist_init::detail
