/// @file
/// The errors' names, and their vtables in one place, so that an exception thrown here is caught by type everywhere.
#include <torch_dist_init/error.h>

namespace torch_dist_init {

Error::~Error() = default;

const char* TypeError::type() const noexcept { return "TypeError"; }
const char* ValueError::type() const noexcept { return "ValueError"; }
const char* LaunchError::type() const noexcept { return "LaunchError"; }
const char* RendezvousError::type() const noexcept { return "RendezvousError"; }
const char* TimeoutError::type() const noexcept { return "TimeoutError"; }
const char* BackendError::type() const noexcept { return "BackendError"; }

}  // namespace torch_dist_init
