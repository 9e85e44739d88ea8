/// @file
/// Ranks started by hand, with the variables that torch.distributed's env:// reads.
#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

TEST_CASE("two ranks join by plain variables, know who they are, and all-reduce (case 26)", "[integration]") {
  auto ranks = start_ranks(2, {"do=init", "do=report", "do=all_reduce", "do=barrier"});
  for (int rank = 0; rank < 2; ++rank) {
    const Outcome outcome = ranks[static_cast<std::size_t>(rank)].wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output,
               ContainsSubstring("rank=" + std::to_string(rank) + " world_size=2 local_rank=" + std::to_string(rank) +
                                 " local_size=2 backend=gloo main=" + (rank == 0 ? "1" : "0") + " initialized=1"));
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("the README's program does what the README says", "[integration]") {
  const int port = free_port();
  Process rank_0({README_PROGRAM}, rank_variables(0, 2, port));
  Process rank_1({README_PROGRAM}, rank_variables(1, 2, port));
  CHECK_THAT(rank_0.wait().output, ContainsSubstring("torch_dist_init: launcher pytorch (auto: RANK, WORLD_SIZE)\n") &&
                                       ContainsSubstring("rank 0: 2 ranks are here\n"));
  CHECK_THAT(rank_1.wait().output, ContainsSubstring("rank 1: 2 ranks are here\n"));
  CHECK_THAT(rank_1.output(), !ContainsSubstring("launcher"));
}

TEST_CASE("a world of one needs no variable and no network", "[integration]") {
  const Outcome outcome = run_program({"launcher=none", "do=report", "do=init", "do=report", "do=all_reduce"}, {});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("backend=none main=1 initialized=0"));
  CHECK_THAT(outcome.output,
             ContainsSubstring("rank=0 world_size=1 local_rank=0 local_size=1 backend=gloo main=1 initialized=1"));
  CHECK_THAT(outcome.output, ContainsSubstring("sum=1"));
}

TEST_CASE("functional collectives find the default group by its name", "[integration]") {
  for (Process& rank : start_ranks(2, {"do=init", "do=functional"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("functional sum=3"));
  }
}

TEST_CASE("without a seed all ranks get the one that rank 0 draws", "[integration]") {
  std::vector<std::string> seeds;
  for (Process& rank : start_ranks(3, {"do=init", "do=seed"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    REQUIRE(outcome.status == 0);
    const std::size_t found = outcome.output.find("seed=");
    REQUIRE(found != std::string::npos);
    seeds.push_back(outcome.output.substr(found, outcome.output.find('\n', found) - found));
  }
  CHECK(seeds[0] == seeds[1]);
  CHECK(seeds[0] == seeds[2]);
}

TEST_CASE("an IPv6 literal is a master address, with and without brackets (case 19)", "[integration]") {
  for (const char* address : {"::1", "[::1]"}) {
    for (Process& rank : start_ranks(2, {"do=init", "do=all_reduce"}, {{"MASTER_ADDR", address}})) {
      const Outcome outcome = rank.wait();
      INFO(outcome.output);
      CHECK(outcome.status == 0);
      CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
    }
  }
}

TEST_CASE("the longest timeout overflows nowhere", "[integration]") {
  for (Process& rank : start_ranks(2, {"timeout=2147483", "do=init", "do=all_reduce", "do=barrier"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("64 ranks join", "[integration]") {
  for (Process& rank : start_ranks(64, {"timeout=240", "do=init", "do=all_reduce"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=2080"));
  }
}

TEST_CASE("ranks that come long before rank 0 say that they wait, and join", "[integration]") {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank : {2, 1}) {
    ranks.push_back(start_program({"timeout=240", "do=init", "do=all_reduce"}, rank_variables(rank, 3, port)));
    CHECK(ranks.back().wait_for_output("rank " + std::to_string(rank) + " on host "));
  }
  ranks.push_back(start_program({"timeout=240", "do=init", "do=all_reduce"}, rank_variables(0, 3, port)));
  for (Process& rank : ranks) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=6"));
  }
  CHECK_THAT(ranks[0].output(), ContainsSubstring(" waits for the store at 127.0.0.1:") &&
                                    ContainsSubstring("connection refused: nothing listens there (3 s of 240 s)"));
}

TEST_CASE("ranks meet by a tcp:// URL and by a file", "[integration]") {
  const std::string url = "init_method=tcp://127.0.0.1:" + std::to_string(free_port());
  for (Process& rank : start_ranks(2, {url, "do=init", "do=all_reduce"}, {{"MASTER_ADDR", ""}, {"MASTER_PORT", ""}})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
  const TemporaryFolder folder;
  const std::string file = "init_method=file://" + folder.path() + "/store";
  for (Process& rank : start_ranks(2, {file, "do=init", "do=all_reduce"}, {{"MASTER_ADDR", ""}, {"MASTER_PORT", ""}})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("after init the environment says what was used, for what reads it later", "[integration]") {
  const std::string port = std::to_string(free_port());
  const Variables variables = {{"OMPI_COMM_WORLD_RANK", "0"},
                               {"OMPI_COMM_WORLD_SIZE", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}};
  const Outcome outcome = run_program({"launcher=mpi", "port=" + port, "do=init", "do=environment"}, variables);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("RANK=0\nWORLD_SIZE=1\nLOCAL_RANK=0\nLOCAL_WORLD_SIZE=1\n"
                                               "MASTER_ADDR=127.0.0.1\nMASTER_PORT=" +
                                               port + "\n"));
  const Outcome off =
      run_program({"launcher=mpi", "port=" + port, "export_environment=false", "do=init", "do=environment"}, variables);
  CHECK(off.status == 0);
  CHECK_THAT(off.output, ContainsSubstring("RANK=unset\nWORLD_SIZE=unset\n") && ContainsSubstring("MASTER_PORT=unset"));
  const Outcome none = run_program({"launcher=none", "do=init", "do=environment"}, {});
  CHECK_THAT(none.output, ContainsSubstring("RANK=unset\nWORLD_SIZE=unset\n"));
}
