/// @file
/// Wrapping a backend as torch.distributed does with TORCH_DISTRIBUTED_DEBUG=DETAIL.
#include "backends/debug_wrapper.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/ProcessGroupWrapper.hpp>

#include "backends/gloo.h"
#include "libtorch_error.h"

namespace torch_dist_init::detail {

void read_debug_level(const Environment& environment) {
  if (!environment.has("TORCH_DISTRIBUTED_DEBUG")) {
    return;
  }
  try {
    c10d::setDebugLevelFromEnvironment();
  } catch (const std::exception& failure) {
    throw LaunchError("TORCH_DISTRIBUTED_DEBUG must be OFF, INFO or DETAIL. LibTorch says: " + reason(failure));
  }
}

c10::intrusive_ptr<c10d::Backend> wrap_for_debugging(const c10::intrusive_ptr<c10d::Backend>& backend,
                                                     const BackendRequest& request) {
  if (c10d::debug_level() != c10d::DebugLevel::Detail) {
    return backend;
  }
  BackendRequest helper = request;
  helper.options = nullptr;
  // Python's keys: a prefix of its own inside the backend's.
  helper.prefix = request.prefix + "/pg_wrapper:" + request.group_name;
  return c10::make_intrusive<c10d::ProcessGroupWrapper>(backend, gloo_backend().create(helper));
}

}  // namespace torch_dist_init::detail
