/// @file
/// The choice of backends by name.
#include "backends/registry.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

TEST_CASE("gloo serves CPU and CUDA tensors, in whatever case it is written (case 68)", "[backends]") {
  for (const char* name : {"gloo", "GLOO", "Gloo"}) {
    const auto selected = select_backends(name);
    REQUIRE(selected.size() == 2);
    CHECK(selected[0].device == c10::DeviceType::CPU);
    CHECK(selected[1].device == c10::DeviceType::CUDA);
    CHECK(selected[0].backend.name == "gloo");
  }
  CHECK(canonical_backend_name("CPU:Gloo") == "cpu:gloo");
}

TEST_CASE("a list gives each device its backend", "[backends]") {
  const auto selected = select_backends("cpu:gloo");
  REQUIRE(selected.size() == 1);
  CHECK(selected[0].device == c10::DeviceType::CPU);
  CHECK(select_backends("cuda:gloo,cpu:gloo").size() == 2);
}

TEST_CASE("an unknown backend and one that isn't in this build are told apart (cases 56, 68)", "[backends]") {
  CHECK_THROWS_WITH(select_backends("bogus"), "backend 'bogus' is unknown; available here: gloo");
  CHECK_THROWS_AS(select_backends("mpi"), BackendError);
  CHECK_THROWS_WITH(select_backends("mpi"), ContainsSubstring("not part of this build") && ContainsSubstring("gloo"));
  CHECK_THROWS_AS(select_backends("cpu:gloo,cuda:bogus"), BackendError);
  CHECK_THROWS_AS(select_backends(""), BackendError);
}

TEST_CASE("a malformed list is refused", "[backends]") {
  for (const char* list :
       {"cpu:gloo,", ",cpu:gloo", "cpu:gloo,gloo", "cpu:gloo:x", ":", "tpu:gloo", "cpu:gloo,cpu:gloo"}) {
    CAPTURE(list);
    CHECK_THROWS_AS(select_backends(list), Error);
  }
  CHECK_THROWS_WITH(select_backends("tpu:gloo"), ContainsSubstring("'tpu:gloo'"));
}

TEST_CASE("the default timeout is torch.distributed's", "[backends]") {
  CHECK(default_timeout("nccl") == std::chrono::minutes(10));
  CHECK(default_timeout("NCCL") == std::chrono::minutes(10));
  CHECK(default_timeout("gloo") == std::chrono::minutes(30));
  CHECK(default_timeout("cpu:gloo,cuda:nccl") == std::chrono::minutes(30));
}

TEST_CASE("GLOO_SOCKET_IFNAME names interfaces that exist, and '^' lists are refused (case 23)", "[backends]") {
  const BackendEntry gloo = select_backends("gloo").front().backend;
  CHECK_NOTHROW(gloo.check(Environment(Environment::Variables{{"GLOO_SOCKET_IFNAME", "lo"}}), nullptr));
  CHECK_THROWS_WITH(
      gloo.check(Environment(Environment::Variables{{"GLOO_SOCKET_IFNAME", "nowhere0"}}), nullptr),
      ContainsSubstring("no interface 'nowhere0'") && ContainsSubstring("it has:") && ContainsSubstring(" lo"));
  CHECK_THROWS_WITH(gloo.check(Environment(Environment::Variables{{"GLOO_SOCKET_IFNAME", "^lo,docker"}}), nullptr),
                    ContainsSubstring("GLOO_SOCKET_IFNAME") && ContainsSubstring("does not accept '^'"));
}
