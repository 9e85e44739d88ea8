/// @file
/// The default group in a world of one: its life, and what is answered before and after.
#include <ATen/Context.h>
#include <torch_dist_init/torch_dist_init.h>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <ATen/ops/rand.h>

#include <cstdlib>

#include "catch.h"

using namespace torch_dist_init;

namespace {

/// Leaves the group, whatever a test does.
struct Leave {
  ~Leave() { destroy_process_group(); }
};

}  // namespace

TEST_CASE("outside a distributed job all answers are those of rank 0 of 1, as mmengine's", "[world]") {
  CHECK_FALSE(is_initialized());
  CHECK(get_rank() == 0);
  CHECK(get_world_size() == 1);
  CHECK(get_local_rank() == 0);
  CHECK(get_local_size() == 1);
  CHECK(get_dist_info().rank == 0);
  CHECK(get_dist_info().world_size == 1);
  CHECK_FALSE(get_backend().has_value());
  CHECK(is_main_process());
  CHECK_NOTHROW(barrier());
  CHECK_NOTHROW(destroy_process_group());
}

TEST_CASE("the default group is found by c10d under the name 0 until it is destroyed", "[world]") {
  const Leave leave;
  const auto group = init_dist("none", "gloo");
  CHECK(is_initialized());
  CHECK(get_backend() == "gloo");
  CHECK(group->getGroupName() == "0");
  CHECK(c10d::resolve_process_group("0") == group);
  destroy_process_group();
  CHECK_FALSE(is_initialized());
  CHECK_THROWS(c10d::resolve_process_group("0"));
}

TEST_CASE("a group can be made and destroyed five times over", "[world]") {
  const Leave leave;
  for (int i = 0; i < 5; ++i) {
    CHECK(init_dist("none", "gloo")->getSize() == 1);
    barrier();
    destroy_process_group();
  }
}

TEST_CASE("gloo takes CPU and CUDA tensors, as in torch.distributed's device map", "[world]") {
  const Leave leave;
  const auto group = init_dist("none", "gloo");
  CHECK(group->getBackend(c10::DeviceType::CPU)->getBackendName() == "gloo");
  CHECK(group->getBackend(c10::DeviceType::CUDA) == group->getBackend(c10::DeviceType::CPU));
  CHECK(group->getBackendType() == c10d::ProcessGroup::BackendType::GLOO);
}

TEST_CASE("a second init is refused", "[world]") {
  const Leave leave;
  init_dist("none", "gloo");
  CHECK_THROWS_AS(init_dist("none", "gloo"), RendezvousError);
  CHECK(is_initialized());
}

TEST_CASE("wrong arguments are found before anything is made", "[world]") {
  CHECK_THROWS_AS(init_dist("none", "gloo", {{"timeout", "5"}}), TypeError);
  CHECK_THROWS_AS(init_dist("no-such-launcher", "gloo"), ValueError);
  CHECK_THROWS_AS(init_dist("none", "no-such-backend"), BackendError);
  CHECK_FALSE(is_initialized());
}

TEST_CASE("a caller's store is used as it is", "[world]") {
  const Leave leave;
  InitOptions options;
  options.store = c10::make_intrusive<c10d::HashStore>();
  options.rank = 0;
  options.world_size = 1;
  CHECK(init_process_group("gloo", options)->getSize() == 1);
  CHECK(options.store->check({"torch_dist_init/0/rank/0"}));
}

TEST_CASE("rank and world_size may stand in init_process_group's URL; without them the error names the variables",
          "[world]") {
  const Leave leave;
  InitOptions options;
  options.init_method = "test-world://?rank=0&world_size=1";
  options.export_environment = false;
  register_rendezvous_handler("test-world",
                              [](const std::string&, int rank, int world_size, std::chrono::milliseconds) {
                                return Rendezvous{c10::make_intrusive<c10d::HashStore>(), rank, world_size};
                              });
  CHECK(init_process_group("gloo", options)->getSize() == 1);
  destroy_process_group();
  options.init_method = "test-world://";
  // What former tests of this process have exported.
  ::unsetenv("RANK");
  ::unsetenv("WORLD_SIZE");
  CHECK_THROWS_WITH(init_process_group("gloo", options), ContainsSubstring("needs RANK and WORLD_SIZE"));
}

TEST_CASE("options of another backend are refused", "[world]") {
  InitOptions options;
  options.pg_options = c10::make_intrusive<c10d::Backend::Options>("smoke");
  CHECK_THROWS_AS(init_dist("none", "gloo", options), TypeError);
}

TEST_CASE("the same seed draws the same numbers, and another rank's seed others", "[world]") {
  CHECK(set_random_seed(7) == 7);
  const at::Tensor first = at::rand({4});
  set_random_seed(7);
  CHECK(at::rand({4}).equal(first));
  CHECK(set_random_seed(7, /*deterministic=*/false, /*diff_rank_seed=*/true) == 7);
  const std::int64_t drawn = sync_random_seed();
  CHECK(drawn >= 0);
  CHECK(drawn <= 0x7fffffff);
  CHECK_THROWS_AS(set_random_seed(-1), ValueError);
}

TEST_CASE("a deterministic seed asks LibTorch for deterministic algorithms", "[world]") {
  set_random_seed(7, /*deterministic=*/true);
  CHECK(at::globalContext().deterministicAlgorithms());
  CHECK(at::globalContext().deterministicCuDNN());
  CHECK_FALSE(at::globalContext().benchmarkCuDNN());
  at::globalContext().setDeterministicAlgorithms(false, false);
}
