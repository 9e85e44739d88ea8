/// @file
/// Ranks that leave, properly or not, and what becomes of the others.
#include <signal.h>

#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

namespace {

std::vector<std::string> five_worlds() {
  std::vector<std::string> arguments;
  for (int i = 0; i < 5; ++i) {
    arguments.insert(arguments.end(), {"do=init", "do=all_reduce", "do=barrier", "do=destroy"});
  }
  return arguments;
}

}  // namespace

TEST_CASE("ranks leave and join again on the same port, five times over", "[integration]") {
  for (Process& rank : start_ranks(3, five_worlds())) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "sum=6\n") == 5);
  }
}

TEST_CASE("a file serves one world only", "[integration]") {
  const TemporaryFolder folder;
  const std::string file = "init_method=file://" + folder.path() + "/store";
  for (Process& rank : start_ranks(2, {file, "do=init", "do=all_reduce", "do=destroy", "do=init"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3") && ContainsSubstring("each world needs a file of its own"));
  }
}

TEST_CASE("a program that holds its former group while it joins again is told so (case 100)", "[integration]") {
  const Outcome outcome =
      run_program({"do=init", "do=hold", "do=destroy", "do=init"}, rank_variables(0, 1, free_port()));
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("something in this program holds the former process group"));
}

TEST_CASE("rank 0 waits for the others to leave, and says for whom (case 41)", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=120", "do=init", "do=destroy", "do=report"}, rank_variables(0, 2, port));
  Process rank_1 = start_program({"timeout=120", "do=init", "do=pause"}, rank_variables(1, 2, port));
  REQUIRE(rank_0.wait_for_output("waits, with the store, for rank(s) 1 to leave"));
  const Outcome outcome = rank_0.wait(soon);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("leaves, and takes the store with it, before rank(s) 1. Store: ") &&
                                 ContainsSubstring("initialized=0"));
}

TEST_CASE("a program that ends without destroy_process_group exits cleanly", "[integration]") {
  for (Process& rank : start_ranks(2, {"do=init", "do=all_reduce", "do=exit_without_destroy"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("rank 0 does not wait for a rank that has just exited (case 40)", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"do=init", "do=all_reduce", "do=destroy"}, rank_variables(0, 2, port));
  Process rank_1 = start_program({"do=init", "do=all_reduce", "do=exit_without_destroy"}, rank_variables(1, 2, port));
  for (Process* rank : {&rank_0, &rank_1}) {
    const Outcome outcome = rank->wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, !ContainsSubstring("to leave") && !ContainsSubstring("leaves, and"));
  }
}

TEST_CASE("a global object that holds the group does no harm (case 98)", "[integration]") {
  for (const char* end : {"do=report", "do=exit_without_destroy"}) {
    for (Process& rank : start_ranks(2, {"do=init", "do=hold", "do=all_reduce", end})) {
      const Outcome outcome = rank.wait();
      INFO(outcome.output);
      CHECK(outcome.status == 0);
      CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
    }
  }
}

TEST_CASE("a forked process is refused, and its end does no harm to its parent's group", "[integration]") {
  for (Process& rank : start_ranks(2, {"do=init", "do=fork", "do=all_reduce", "do=barrier"})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "child: RendezvousError: process ") == 3);
    CHECK(count(outcome.output, " was forked from process " + std::to_string(rank.pid()) + ", which is rank ") == 3);
    CHECK_THAT(outcome.output, ContainsSubstring("child's status 0\n") && ContainsSubstring("sum=3"));
  }
}

TEST_CASE("a rank that is killed while it waits to join ends the others within the timeout", "[integration]") {
  const int port = free_port();
  const auto start = [port](int rank) {
    return start_program({"timeout=8", "do=init", "do=all_reduce"}, rank_variables(rank, 3, port));
  };
  Process rank_0 = start(0);
  Process rank_1 = start(1);
  REQUIRE(rank_0.wait_for_output("2 of 3 ranks are here; missing: 2"));
  rank_1.signal(SIGKILL);
  rank_1.wait();
  Process rank_2 = start(2);
  check_failure(rank_0, "Error: rank 0 on host");
  check_failure(rank_2, "Error: rank 2 on host");
}

TEST_CASE("if rank 0 is killed while the others wait to join, they fail within the timeout", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=8", "do=init"}, rank_variables(0, 3, port));
  Process rank_1 = start_program({"timeout=8", "do=init"}, rank_variables(1, 3, port));
  REQUIRE(rank_0.wait_for_output("2 of 3 ranks are here; missing: 2"));
  rank_0.signal(SIGKILL);
  check_failure(rank_1, "missing: 2 (as last seen; the store is gone with rank 0)");
}

TEST_CASE("a rank that is killed, rank 0 or another, fails the others' collectives", "[integration]") {
  for (const int killed : {0, 1}) {
    const int port = free_port();
    Process victim = start_program({"do=init", "do=pause"}, rank_variables(killed, 2, port));
    Process other = start_program({"do=init", "do=report", "do=barrier"}, rank_variables(1 - killed, 2, port));
    REQUIRE(victim.wait_for_output("pausing"));
    REQUIRE(other.wait_for_output("initialized=1"));
    victim.signal(SIGKILL);
    check_failure(other, "BackendError: rank " + std::to_string(1 - killed) + " on host");
  }
}

TEST_CASE("a rank that is killed instead of leaving keeps rank 0 for a bounded time", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=5", "do=init", "do=destroy"}, rank_variables(0, 2, port));
  Process rank_1 = start_program({"timeout=5", "do=init", "do=pause"}, rank_variables(1, 2, port));
  REQUIRE(rank_1.wait_for_output("pausing"));
  rank_1.signal(SIGKILL);
  const Outcome outcome = rank_0.wait(soon);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
}

TEST_CASE("some ranks of a job make a world of their own at another port, whose rank 0 serves (case 103)",
          "[integration]") {
  const std::string port = "port=" + std::to_string(free_port());
  std::vector<Process> ranks;
  for (int rank = 2; rank < 4; ++rank) {
    ranks.push_back(
        start_program({port, "rank=" + std::to_string(rank - 2), "world_size=2", "do=init", "do=all_reduce"},
                      rank_variables(rank, 4, free_port())));
  }
  for (Process& rank : ranks) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("a plugin that uses the library can be unloaded (case 104)", "[integration]") {
  for (const int size : {1, 2}) {
    const int port = free_port();
    std::vector<Process> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back(std::vector<std::string>{PLUGIN_PROGRAM, PLUGIN}, rank_variables(rank, size, port));
    }
    for (Process& rank : ranks) {
      const Outcome outcome = rank.wait();
      INFO(outcome.output);
      CHECK(outcome.status == 0);
      CHECK_THAT(outcome.output, ContainsSubstring("sum=" + std::to_string(size) + "\nunloaded\n"));
    }
  }
}
