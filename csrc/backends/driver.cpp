/// @file
/// NVIDIA's driver.
#include "backends/driver.h"

#include <dlfcn.h>

#include "quoted.h"

namespace torch_dist_init::detail {

std::optional<std::string> driver_problem() {
  if (void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY)) {
    ::dlclose(driver);
    return std::nullopt;
  }
  const char* failure = ::dlerror();
  return "NVIDIA's driver is not installed (" + escaped(failure != nullptr ? failure : "no libcuda.so.1") + ")";
}

}  // namespace torch_dist_init::detail
