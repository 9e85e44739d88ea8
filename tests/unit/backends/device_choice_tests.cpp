/// @file
/// Which of the visible devices is this rank's.
#include "backends/device_choice.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

DeviceSetting setting(int local_rank, int local_world_size, int visible,
                      std::optional<std::string> visible_devices = std::nullopt) {
  DeviceSetting setting;
  setting.rank = local_rank;
  setting.local_rank = local_rank;
  setting.local_world_size = local_world_size;
  setting.visible = visible;
  setting.visible_devices = std::move(visible_devices);
  return setting;
}

}  // namespace

TEST_CASE("the local rank chooses the device, never the rank (cases 8, 52)", "[backends]") {
  // Case 8: 5 + 3 ranks, 3 GPUs on the second node; 5 % 3 would be 2.
  DeviceSetting second_node = setting(0, 3, 3);
  second_node.rank = 5;
  CHECK(choose_device(second_node) == 0);
  // Case 52: one rank on each of two nodes with 2 GPUs.
  DeviceSetting other_node = setting(0, 1, 2);
  other_node.rank = 1;
  CHECK(choose_device(other_node) == 0);
}

TEST_CASE("all devices exported, or one for each task: no two ranks share one (case 53)", "[backends]") {
  for (int local_rank = 0; local_rank < 4; ++local_rank) {
    CHECK(choose_device(setting(local_rank, 4, 4, "0,1,2,3")) == local_rank);
    CHECK(choose_device(setting(local_rank, 4, 1, std::to_string(local_rank))) == 0);
  }
}

TEST_CASE("CUDA_VISIBLE_DEVICES may hold UUIDs: it is not parsed (case 85)", "[backends]") {
  CHECK(choose_device(setting(3, 4, 1, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6")) == 0);
  CHECK(choose_device(setting(1, 2, 2, "MIG-a,MIG-b")) == 1);
}

TEST_CASE("more ranks than devices on a node are refused with both numbers", "[backends]") {
  CHECK_THROWS_AS(choose_device(setting(0, 4, 2)), BackendError);
  CHECK_THROWS_WITH(choose_device(setting(0, 4, 2)),
                    ContainsSubstring("has 4 ranks") && ContainsSubstring("only 2 visible GPU(s)"));
  // Where it is set, each rank may see devices of its own.
  CHECK(choose_device(setting(3, 4, 2, "6,7")) == 1);
}

TEST_CASE("device_id wins, and must be there", "[backends]") {
  DeviceSetting chosen = setting(0, 1, 2);
  chosen.device_id = 1;
  CHECK(choose_device(chosen) == 1);
  chosen.device_id = 2;
  CHECK_THROWS_AS(choose_device(chosen), ValueError);
  CHECK_THROWS_WITH(choose_device(chosen),
                    ContainsSubstring("device_id is 2") && ContainsSubstring("2 visible GPU(s)"));
}

TEST_CASE("without a local rank the device is not guessed", "[backends]") {
  DeviceSetting unknown = setting(0, 1, 1);
  unknown.local_rank = std::nullopt;
  CHECK(choose_device(unknown) == 0);
  unknown.visible = 2;
  CHECK_THROWS_AS(choose_device(unknown), LaunchError);
  CHECK_THROWS_WITH(choose_device(unknown), ContainsSubstring("Set LOCAL_RANK"));
}
