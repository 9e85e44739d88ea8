/// @file
/// Launcher "pytorch": torchrun, PyTorchJob, and variables set by hand.
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>

#include "catch.h"
#include "variables.h"

using namespace torch_dist_init;

namespace {

/// What torchrun 2.15 gave rank 3 of a job of two agents with two workers each.
Variables torchrun_variables() {
  return {
      {"RANK", "3"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"GROUP_RANK", "1"},
      {"GROUP_WORLD_SIZE", "2"},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", "3"},
      {"ROLE_WORLD_SIZE", "4"},
      {"MASTER_ADDR", "localhost"},
      {"MASTER_PORT", "33451"},
      {"TORCHELASTIC_RUN_ID", "77"},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"TORCHELASTIC_RESTART_COUNT", "2"},
      {"TORCHELASTIC_MAX_RESTARTS", "3"},
      {"TORCHELASTIC_ERROR_FILE", ""},
  };
}

LaunchInfo read(Variables variables) { return ::read("pytorch", std::move(variables)); }

LaunchInfo read_torchrun_with(const std::string& name, const std::string& value) {
  auto variables = torchrun_variables();
  variables[name] = value;
  return read(variables);
}

}  // namespace

TEST_CASE("all of torchrun's variables are read, each with its source", "[launch][torchrun]") {
  const LaunchInfo info = read(torchrun_variables());
  CHECK(info.launcher == "pytorch");
  CHECK(info.rank == 3);
  CHECK(info.world_size == 4);
  CHECK(info.local_rank == 1);
  CHECK(info.local_world_size == 2);
  CHECK(info.node_rank == 1);
  CHECK(info.num_nodes == 2);
  CHECK(info.master_addr == "localhost");
  CHECK(info.master_port == 33451);
  CHECK(info.job_id == "77");
  CHECK(info.restart_count == 2);
  CHECK(info.agent_store);
  // The captured job's two nodes were one host.
  REQUIRE(info.warnings.size() == 1);
  CHECK_THAT(info.warnings[0], ContainsSubstring("the master address is localhost (MASTER_ADDR), but"));
  CHECK(info.master_addr_help.empty());
  const std::map<std::string, std::string> sources = {
      {"launcher", "argument"},
      {"rank", "RANK"},
      {"world_size", "WORLD_SIZE"},
      {"local_rank", "LOCAL_RANK"},
      {"local_world_size", "LOCAL_WORLD_SIZE"},
      {"node_rank", "GROUP_RANK"},
      {"num_nodes", "GROUP_WORLD_SIZE"},
      {"master_addr", "MASTER_ADDR"},
      {"master_port", "MASTER_PORT"},
      {"job_id", "TORCHELASTIC_RUN_ID"},
      {"restart_count", "TORCHELASTIC_RESTART_COUNT"},
      {"agent_store", "TORCHELASTIC_USE_AGENT_STORE"},
  };
  CHECK(info.sources == sources);
}

TEST_CASE("RANK and WORLD_SIZE alone are enough; the rest is empty or default", "[launch][torchrun]") {
  const LaunchInfo info = read({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  CHECK(info.rank == 1);
  CHECK(info.world_size == 2);
  CHECK_FALSE(info.local_rank);
  CHECK_FALSE(info.local_world_size);
  CHECK_FALSE(info.node_rank);
  CHECK_FALSE(info.num_nodes);
  CHECK_FALSE(info.master_addr);
  CHECK_THAT(info.master_addr_help, ContainsSubstring("MASTER_ADDR isn't set"));
  CHECK(info.master_port == 29500);
  CHECK(info.sources.at("master_port") == "default");
  CHECK_FALSE(info.job_id);
  CHECK_FALSE(info.restart_count);
  CHECK_FALSE(info.agent_store);
}

TEST_CASE("all that is missing for launcher pytorch is named at once", "[launch][torchrun]") {
  REQUIRE_THROWS_AS(read({}), LaunchError);
  REQUIRE_THROWS_WITH(read({}), ContainsSubstring("needs RANK and WORLD_SIZE, but neither is set"));
  REQUIRE_THROWS_WITH(read({{"RANK", "0"}}), ContainsSubstring("but WORLD_SIZE isn't set"));
  REQUIRE_THROWS_WITH(read({{"WORLD_SIZE", "2"}, {"RANK", ""}}), ContainsSubstring("but RANK isn't set"));
}

TEST_CASE("torchrun's variables must be whole numbers", "[launch][torchrun]") {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE",
                           "TORCHELASTIC_RESTART_COUNT"}) {
    for (const char* value : {"abc", "1x", "-1", "1.0", "99999999999"}) {
      INFO(name << "=" << value);
      REQUIRE_THROWS_AS(read_torchrun_with(name, value), LaunchError);
      REQUIRE_THROWS_WITH(read_torchrun_with(name, value),
                          Catch::Matchers::StartsWith(std::string(name) + " must be a whole number") &&
                              ContainsSubstring("'" + std::string(value) + "'"));
    }
  }
}

TEST_CASE("torchrun's numbers must go together", "[launch][torchrun]") {
  REQUIRE_THROWS_WITH(read_torchrun_with("RANK", "4"), ContainsSubstring("RANK=4 must be below WORLD_SIZE=4"));
  REQUIRE_THROWS_WITH(read_torchrun_with("LOCAL_RANK", "2"),
                      ContainsSubstring("LOCAL_RANK=2 must be below LOCAL_WORLD_SIZE=2"));
  REQUIRE_THROWS_WITH(read_torchrun_with("LOCAL_WORLD_SIZE", "5"),
                      ContainsSubstring("LOCAL_WORLD_SIZE=5 must be at most WORLD_SIZE=4"));
  REQUIRE_THROWS_WITH(read_torchrun_with("GROUP_RANK", "2"),
                      ContainsSubstring("GROUP_RANK=2 must be below GROUP_WORLD_SIZE=2"));
  REQUIRE_THROWS_WITH(read_torchrun_with("GROUP_WORLD_SIZE", "5"),
                      ContainsSubstring("GROUP_WORLD_SIZE=5 must be at most WORLD_SIZE=4"));
  REQUIRE_THROWS_WITH(read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "2"}}),
                      ContainsSubstring("LOCAL_RANK=2 must be below WORLD_SIZE=2"));
}

TEST_CASE("case 8: the local rank is LOCAL_RANK, never derived from the global rank", "[launch][torchrun]") {
  const LaunchInfo info = read({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}});
  CHECK(info.rank == 5);
  CHECK(info.local_rank == 0);
}

TEST_CASE("the agent serves the store only if the variable is exactly True", "[launch][torchrun]") {
  CHECK(read_torchrun_with("TORCHELASTIC_USE_AGENT_STORE", "True").agent_store);
  for (const char* value : {"False", "true", "1", "TRUE", " True", ""}) {
    INFO(value);
    CHECK_FALSE(read_torchrun_with("TORCHELASTIC_USE_AGENT_STORE", value).agent_store);
  }
}

TEST_CASE("an agent store at an unknown place isn't used, with a warning", "[launch][torchrun]") {
  const LaunchInfo info = read_torchrun_with("MASTER_PORT", "");
  CHECK_FALSE(info.agent_store);
  CHECK_THAT(warnings_of(info), ContainsSubstring("TORCHELASTIC_USE_AGENT_STORE"));
}

TEST_CASE("PyTorchJob with one process a pod is a world of local ranks 0", "[launch][torchrun]") {
  const Variables pod = {
      {"RANK", "1"},       {"WORLD_SIZE", "2"},    {"MASTER_ADDR", "job-master-0"}, {"MASTER_PORT", "23456"},
      {"PET_NNODES", "2"}, {"PET_NODE_RANK", "1"}, {"PET_MASTER_PORT", "23456"},
  };
  for (const char* processes : {"", "1", "auto"}) {
    INFO("PET_NPROC_PER_NODE=" << processes);
    auto variables = pod;
    variables["PET_NPROC_PER_NODE"] = processes;
    const LaunchInfo info = read(variables);
    CHECK(info.rank == 1);
    CHECK(info.local_rank == 0);
    CHECK(info.local_world_size == 1);
    CHECK(info.node_rank == 1);
    CHECK(info.num_nodes == 2);
    CHECK(info.master_addr == "job-master-0");
    CHECK(info.master_port == 23456);
  }
}

TEST_CASE("several processes a pod without torchrun are refused", "[launch][torchrun]") {
  const std::vector<Variables> pods = {
      {{"RANK", "1"}, {"WORLD_SIZE", "16"}, {"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "8"}},
      {{"RANK", "1"}, {"WORLD_SIZE", "16"}, {"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "gpu"}},
      {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"NPROC_PER_NODE", "8"}},
  };
  for (const auto& pod : pods) {
    REQUIRE_THROWS_AS(read(pod), LaunchError);
    REQUIRE_THROWS_WITH(read(pod), ContainsSubstring("LOCAL_RANK") && ContainsSubstring("torchrun in each pod"));
  }
}

TEST_CASE("torchrun inside a pod of several processes is read as torchrun", "[launch][torchrun]") {
  auto variables = torchrun_variables();
  variables["PET_NNODES"] = "2";
  variables["PET_NPROC_PER_NODE"] = "2";
  CHECK(read(variables).local_rank == 1);
}

TEST_CASE("a pod that expects torchrun is told so when RANK is missing", "[launch][torchrun]") {
  REQUIRE_THROWS_WITH(read({{"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "8"}, {"PET_NODE_RANK", "0"}}),
                      ContainsSubstring("expects torchrun"));
}
