/// @file
/// The backends by name.
#include "backends/registry.h"

#include <torch_dist_init/backend.h>
#include <torch_dist_init/error.h>

#include "backends/library.h"
#include "catch.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

c10::intrusive_ptr<c10d::Backend> no_backend(const c10d::DistributedBackendOptions&,
                                             const c10::intrusive_ptr<c10d::Backend::Options>&) {
  return nullptr;
}

}  // namespace

TEST_CASE("a backend that is unknown, not built, and not installed are three messages (cases 56, 68)", "[backends]") {
  CHECK_THROWS_AS(find_backend("bogus"), BackendError);
  CHECK_THROWS_WITH(find_backend("bogus"), StartsWith("backend 'bogus' is unknown. Available here: gloo"));
  CHECK_THROWS_WITH(find_backend(""), StartsWith("backend '' is unknown"));
  // These programs' own folder has no such libraries.
  CHECK_THROWS_WITH(find_backend("nccl"),
                    ContainsSubstring(has_nccl ? "'nccl' is not installed: can't load" : "'nccl' is not available: ") &&
                        ContainsSubstring("Available here: gloo"));
  CHECK_THROWS_WITH(find_backend("mpi"),
                    ContainsSubstring(has_mpi ? "'mpi' is not installed: can't load" : "'mpi' is not available: ") &&
                        ContainsSubstring("Available here: gloo"));
  if (!libtorch_has_mpi) {
    CHECK_THROWS_WITH(find_backend("mpi"), ContainsSubstring("has none") && ContainsSubstring("libtorch-dev") &&
                                               ContainsSubstring("launcher 'mpi' goes with gloo and nccl"));
  }
}

TEST_CASE("a backend can be registered once, under a name that is free", "[backends]") {
  register_backend("Mine-2", {c10::kCPU}, no_backend);
  const BackendEntry entry = find_backend("mine-2");
  CHECK(entry.type == c10d::ProcessGroup::BackendType::CUSTOM);
  CHECK(entry.devices == std::vector<c10::DeviceType>{c10::kCPU});
  CHECK_THROWS_WITH(entry.create({}), "the creator of backend 'mine-2' returned null");
  CHECK_THROWS_WITH(find_backend("bogus"), ContainsSubstring("gloo, mine-2"));
  for (const char* name : {"mine-2", "MINE-2", "gloo", "nccl", "nccl2", "mpi"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(register_backend(name, {c10::kCPU}, no_backend), ContainsSubstring("already"));
  }
  for (const char* name : {"", "a:b", "a,b", "a b"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(register_backend(name, {c10::kCPU}, no_backend), ValueError);
  }
  CHECK_THROWS_WITH(register_backend("deviceless", {}, no_backend), ContainsSubstring("no devices are given"));
}
