/// @file
/// The choice among the backends.
#include "backends/selection.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

BackendSetting setting(Environment::Variables variables, c10::intrusive_ptr<c10d::Backend::Options> options = nullptr) {
  return {Environment(std::move(variables)), LaunchInfo(), std::nullopt, std::move(options)};
}

}  // namespace

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
  const auto gloo = select_backends("gloo");
  CHECK_NOTHROW(check_backends(gloo, setting({{"GLOO_SOCKET_IFNAME", "lo"}})));
  CHECK_THROWS_WITH(
      check_backends(gloo, setting({{"GLOO_SOCKET_IFNAME", "nowhere0"}})),
      ContainsSubstring("no interface 'nowhere0'") && ContainsSubstring("it has:") && ContainsSubstring(" lo"));
  CHECK_THROWS_WITH(check_backends(gloo, setting({{"GLOO_SOCKET_IFNAME", "^lo,docker"}})),
                    ContainsSubstring("GLOO_SOCKET_IFNAME") && ContainsSubstring("does not accept '^'"));
}

TEST_CASE("options go to the backend that they are for", "[backends]") {
  const auto gloo = select_backends("gloo");
  const auto options_of = [](const std::string& backend) {
    return c10::make_intrusive<c10d::Backend::Options>(backend);
  };
  CHECK_THROWS_WITH(check_backends(gloo, setting({}, options_of("nccl"))),
                    "pg_options are for backend 'nccl', but the backend is 'gloo'");
  CHECK_THROWS_AS(check_backends(gloo, setting({}, options_of("nccl"))), TypeError);
  CHECK_THROWS_WITH(check_backends(gloo, setting({}, options_of("gloo"))),
                    ContainsSubstring("must be a c10d::ProcessGroupGloo::Options"));
}

TEST_CASE("without a backend's name the machine decides, as in torch.distributed", "[backends]") {
  CHECK(default_backend(/*has_device_id=*/true) == "nccl");
  // This machine may have a GPU.
  CHECK_THAT(default_backend(/*has_device_id=*/false), Equals("cpu:gloo") || Equals("cuda:nccl"));
}
