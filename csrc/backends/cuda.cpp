/// @file
/// What can be known of CUDA without linking it.
#include "backends/cuda.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "backends/driver.h"
#include "backends/registry.h"

namespace torch_dist_init::detail {

bool cuda_is_available() {
  if (driver_problem()) {
    return false;
  }
  find_backend("nccl");
  return c10::impl::hasDeviceGuardImpl(c10::kCUDA) && c10::impl::getDeviceGuardImpl(c10::kCUDA)->deviceCount() > 0;
}

}  // namespace torch_dist_init::detail
