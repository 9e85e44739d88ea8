/// @file
/// Launchers by name: known, unknown, registered; and the one that needs nothing.
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>

#include <algorithm>

#include "catch.h"
#include "variables.h"

using namespace torch_dist_init;

TEST_CASE("an unknown launcher is refused in mmengine's words, with the known ones", "[launch]") {
  REQUIRE_THROWS_AS(read("slrum", {}), ValueError);
  REQUIRE_THROWS_WITH(read("slrum", {}),
                      Catch::Matchers::StartsWith("Invalid launcher type: slrum. Known launchers: ") &&
                          ContainsSubstring("auto, mpi, none, pytorch, slurm"));
  REQUIRE_THROWS_AS(read("", {}), ValueError);
  REQUIRE_THROWS_AS(read("Pytorch", {}), ValueError);
}

TEST_CASE("launcher none is a world of one, whatever the environment says", "[launch]") {
  const LaunchInfo info = read("none", {{"RANK", "abc"}, {"WORLD_SIZE", "8"}});
  CHECK(info.launcher == "none");
  CHECK(info.rank == 0);
  CHECK(info.world_size == 1);
  CHECK(info.local_rank == 0);
  CHECK(info.local_world_size == 1);
  CHECK(info.node_rank == 0);
  CHECK(info.num_nodes == 1);
  CHECK_FALSE(info.master_addr);
  CHECK_FALSE(info.master_port);
  CHECK_FALSE(info.agent_store);
  CHECK(info.warnings.empty());
  CHECK(info.sources.at("rank") == "default");
}

TEST_CASE("a registered launcher is read like a built-in one", "[launch]") {
  register_launcher("test-registered", [](const Environment& environment) {
    LaunchInfo info = read_launch_info("none", environment);
    info.launcher.clear();
    info.rank = 3;
    info.world_size = 4;
    return info;
  });
  const LaunchInfo info = read("test-registered", {});
  CHECK(info.launcher == "test-registered");
  CHECK(info.rank == 3);
  CHECK(info.sources.at("launcher") == "argument");

  const auto names = launcher_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::count(names.begin(), names.end(), "test-registered") == 1);
  REQUIRE_THROWS_WITH(register_launcher("test-registered", [](const Environment&) { return LaunchInfo{}; }),
                      "launcher 'test-registered' is registered already");
}

TEST_CASE("a launcher can't be registered without a name, under a taken one, or without a reader", "[launch]") {
  const auto reader = [](const Environment&) { return LaunchInfo{}; };
  REQUIRE_THROWS_AS(register_launcher("", reader), ValueError);
  REQUIRE_THROWS_AS(register_launcher("pytorch", reader), ValueError);
  REQUIRE_THROWS_AS(register_launcher("test-no-reader", nullptr), ValueError);
}

TEST_CASE("what a registered launcher says is checked too", "[launch]") {
  static LaunchInfo said;
  register_launcher("test-inconsistent", [](const Environment&) { return said; });
  const auto said_with = [](auto change) {
    said = LaunchInfo{};
    said.world_size = 4;
    change(said);
    return read("test-inconsistent", {});
  };
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.rank = 4; }),
                      ContainsSubstring("rank=4 must be below world_size=4"));
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.rank = -1; }), "rank=-1 must be from 0 to 2147483647");
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.world_size = 0; }),
                      "world_size=0 must be from 1 to 2147483647");
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.local_rank = -1; }),
                      "local_rank=-1 must be from 0 to 2147483647");
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.master_port = 0; }),
                      "master_port=0 must be from 1 to 65535");
  REQUIRE_THROWS_WITH(said_with([](LaunchInfo& info) { info.master_port = 65536; }),
                      "master_port=65536 must be from 1 to 65535");
  CHECK(said_with([](LaunchInfo&) {}).master_addr_help ==
        "launcher 'test-inconsistent' tells no address where the ranks meet");
}
