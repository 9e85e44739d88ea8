/// @file
/// What goes wrong when ranks meet: each failure has its message, and comes within its time.
#include <unistd.h>

#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;
using std::chrono::seconds;

namespace {

/// Far more than a failure may take that is found at once, far less than a wait for a timeout of ten minutes.
constexpr seconds at_once{20};

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

}  // namespace

TEST_CASE("a missing variable is named", "[integration]") {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR"}) {
    const Outcome outcome = run_program({"do=init"}, without(rank_variables(0, 2, free_port()), name));
    INFO(outcome.output);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("LaunchError"));
    CHECK_THAT(outcome.output, ContainsSubstring(name));
  }
}

TEST_CASE("a rank that is not below the world size is refused", "[integration]") {
  const Outcome outcome = run_program({"do=init"}, rank_variables(2, 2, free_port()));
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("LaunchError"));
  CHECK_THAT(outcome.output, ContainsSubstring("RANK"));
  CHECK_THAT(outcome.output, ContainsSubstring("WORLD_SIZE"));
}

TEST_CASE("an unknown launcher, keyword argument or backend ends the program with exit status 1", "[integration]") {
  const Outcome launcher = run_program({"launcher=carrier-pigeon", "do=init"}, {});
  CHECK(launcher.status == 1);
  CHECK_THAT(launcher.output, ContainsSubstring("ValueError: Invalid launcher type: carrier-pigeon"));
  const Outcome kwarg = run_program({"launcher=none", "timeot=5", "do=init"}, {});
  CHECK(kwarg.status == 1);
  CHECK_THAT(kwarg.output, ContainsSubstring("TypeError") && ContainsSubstring("'timeot'; did you mean 'timeout'?"));
  const Outcome backend = run_program({"launcher=none", "backend=smoke", "do=init"}, {});
  CHECK(backend.status == 1);
  CHECK_THAT(backend.output, ContainsSubstring("BackendError: backend 'smoke' is unknown. Available here: gloo"));
}

TEST_CASE("a busy port fails rank 0 at once, with the port, its owner and what to do (cases 13, 34)", "[integration]") {
  const int port = free_port();
  const Listener foreign(port);
  const Outcome outcome = start_program({"timeout=600", "do=init"}, rank_variables(0, 2, port)).wait(at_once);
  INFO(outcome.output);
  CHECK_FALSE(outcome.killed_at_deadline);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("RendezvousError: rank 0 on host"));
  CHECK_THAT(outcome.output, ContainsSubstring("port " + std::to_string(port) + " is in use by process " +
                                               std::to_string(::getpid()) + " ("));
  CHECK_THAT(outcome.output, ContainsSubstring("MASTER_PORT"));
}

TEST_CASE("a rank that meets a stranger on the port gives up at its timeout (case 34)", "[integration]") {
  const int port = free_port();
  const Listener foreign(port);
  const Outcome outcome = start_program({"timeout=2", "do=init"}, rank_variables(1, 2, port)).wait(at_once);
  INFO(outcome.output);
  CHECK_FALSE(outcome.killed_at_deadline);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("does not answer as a TCPStore"));
}

TEST_CASE("a master that doesn't resolve is an error of its own, on every rank (cases 29, 101)", "[integration]") {
  for (int rank = 0; rank < 2; ++rank) {
    Variables variables = rank_variables(rank, 2, 29500);
    variables["MASTER_ADDR"] = "does-not-exist.invalid";
    const Outcome outcome = start_program({"timeout=2", "do=init"}, variables).wait(at_once);
    INFO(outcome.output);
    CHECK_FALSE(outcome.killed_at_deadline);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("TimeoutError: rank " + std::to_string(rank)));
    CHECK_THAT(outcome.output, ContainsSubstring("'does-not-exist.invalid' does not resolve"));
  }
}

TEST_CASE("a rank that finds nobody at the port says that the connection was refused", "[integration]") {
  const int port = free_port();
  const Outcome outcome = start_program({"timeout=1", "do=init"}, rank_variables(1, 2, port)).wait(at_once);
  INFO(outcome.output);
  CHECK_FALSE(outcome.killed_at_deadline);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("TimeoutError: rank 1"));
  CHECK_THAT(outcome.output, ContainsSubstring("127.0.0.1:" + std::to_string(port)));
  CHECK_THAT(outcome.output, ContainsSubstring("connection refused"));
}

TEST_CASE("a peer that never arrives is named by every rank, within the timeout (cases 5, 43)", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=5", "do=init"}, rank_variables(0, 4, port));
  Process rank_2 = start_program({"timeout=5", "do=init"}, rank_variables(2, 4, port));
  for (Process* rank : {&rank_0, &rank_2}) {
    const Outcome outcome = rank->wait(at_once);
    INFO(outcome.output);
    CHECK_FALSE(outcome.killed_at_deadline);
    CHECK(outcome.status == 1);
    const std::size_t error = outcome.output.find("TimeoutError");
    REQUIRE(error != std::string::npos);
    CHECK_THAT(outcome.output.substr(error), ContainsSubstring("2 of 4 ranks are here; missing: 1, 3"));
    CHECK_THAT(outcome.output.substr(error), ContainsSubstring("127.0.0.1:" + std::to_string(port)));
  }
}

TEST_CASE("a long wait says on stderr which ranks are missing", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=120", "do=init", "do=all_reduce"}, rank_variables(0, 3, port));
  Process rank_2 = start_program({"timeout=120", "do=init", "do=all_reduce"}, rank_variables(2, 3, port));
  REQUIRE(rank_0.wait_for_output("waits: 2 of 3 ranks are here; missing: 1"));
  Process rank_1 = start_program({"timeout=120", "do=init", "do=all_reduce"}, rank_variables(1, 3, port));
  for (Process* rank : {&rank_0, &rank_1, &rank_2}) {
    const Outcome outcome = rank->wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=6"));
  }
  // Only the lowest rank speaks.
  CHECK_THAT(rank_2.output(), !ContainsSubstring("waits:"));
}

TEST_CASE("a wait for a rank that doesn't come to the file is not silent either", "[integration]") {
  const TemporaryFolder folder;
  const std::string file = "init_method=file://" + folder.path() + "/store";
  Process rank = start_program({"timeout=120", file, "do=init"}, rank_variables(1, 3, free_port()));
  CHECK(rank.wait_for_output("waits: 1 of 3 ranks are here; missing: 0, 2. Store: file " + folder.path()));
}

TEST_CASE("rank 0 warns at once if the master address is not its own (case 28)", "[integration]") {
  Variables variables = rank_variables(0, 2, free_port());
  variables["MASTER_ADDR"] = "192.0.2.1";
  Process rank = start_program({"timeout=600", "do=init"}, variables);
  CHECK(rank.wait_for_output(
      "192.0.2.1:" + variables["MASTER_PORT"] + " (MASTER_ADDR, MASTER_PORT), but that is no address", at_once));
}

TEST_CASE("the timeout of init is that of collectives too", "[integration]") {
  const int port = free_port();
  Process waiting = start_program({"timeout=2", "do=init", "do=barrier"}, rank_variables(0, 2, port));
  Process absent = start_program({"timeout=2", "do=init", "do=pause"}, rank_variables(1, 2, port));
  const Outcome outcome = waiting.wait(at_once);
  INFO(outcome.output);
  CHECK_FALSE(outcome.killed_at_deadline);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("BackendError: rank 0 on host") && ContainsSubstring("barrier failed"));
}

TEST_CASE("a second init is an error and leaves the group as it is (case 37)", "[integration]") {
  const Outcome outcome = run_program({"do=init", "do=init_again"}, rank_variables(0, 1, free_port()));
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("already initialized"));
}

TEST_CASE("after a failed first try a second one joins (case 38)", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"do=init", "do=all_reduce"}, rank_variables(0, 2, port));
  Variables variables = rank_variables(1, 2, port);
  variables["WRONG_PORT"] = std::to_string(free_port());
  Process rank_1 = start_program({"do=init_at_wrong_port", "do=init", "do=all_reduce"}, variables);
  for (Process* rank : {&rank_0, &rank_1}) {
    const Outcome outcome = rank->wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
  CHECK_THAT(rank_1.output(), ContainsSubstring("first try: TimeoutError"));
}

TEST_CASE("two processes of the same rank are found at once, and every rank is told both pids (case 47)",
          "[integration]") {
  const int port = free_port();
  const Variables variables = rank_variables(1, 3, port);
  Process rank_0 = start_program({"timeout=600", "do=init"}, rank_variables(0, 3, port));
  Process one = start_program({"timeout=600", "do=init"}, variables);
  Process other = start_program({"timeout=600", "do=init"}, variables);
  for (Process* rank : {&rank_0, &one, &other}) {
    const Outcome outcome = rank->wait(at_once);
    INFO(outcome.output);
    CHECK_FALSE(outcome.killed_at_deadline);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("RendezvousError") && ContainsSubstring("is there twice") &&
                                   ContainsSubstring("pid " + std::to_string(one.pid()) + ")") &&
                                   ContainsSubstring("pid " + std::to_string(other.pid()) + ")"));
  }
}

TEST_CASE("if ranks disagree about the world size, every one is told who says what", "[integration]") {
  const int port = free_port();
  Process rank_0 = start_program({"timeout=600", "do=init"}, rank_variables(0, 3, port));
  Process rank_1 = start_program({"timeout=600", "do=init"}, rank_variables(1, 2, port));
  for (Process* rank : {&rank_0, &rank_1}) {
    const Outcome outcome = rank->wait(at_once);
    INFO(outcome.output);
    CHECK_FALSE(outcome.killed_at_deadline);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("says that world_size is") &&
                                   ContainsSubstring("pid " + std::to_string(rank_0.pid()) + ")") &&
                                   ContainsSubstring("pid " + std::to_string(rank_1.pid()) + ")"));
  }
}

TEST_CASE("a process of another job is refused, and the job at whose store it came says so and goes on",
          "[integration]") {
  const int port = free_port();
  const auto of_job = [port](int rank, const char* job) {
    Variables variables = rank_variables(rank, 2, port);
    variables["TORCHELASTIC_RUN_ID"] = job;
    return start_program({"timeout=600", "do=init", "do=all_reduce"}, variables);
  };
  Process rank_0 = of_job(0, "mine");
  Process stranger = of_job(1, "theirs");
  const Outcome refused = stranger.wait(at_once);
  INFO(refused.output);
  CHECK(refused.status == 1);
  CHECK_THAT(refused.output, ContainsSubstring("RendezvousError") && ContainsSubstring("of job theirs") &&
                                 ContainsSubstring("to the store of job mine"));
  CHECK(rank_0.wait_for_output("of job theirs came to the store of job mine", at_once));
  Process rank_1 = of_job(1, "mine");
  for (Process* rank : {&rank_0, &rank_1}) {
    const Outcome outcome = rank->wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("gloo works where no GPU is visible (case 7)", "[integration]") {
  for (Process& rank : start_ranks(2, {"do=init", "do=all_reduce"}, {{"CUDA_VISIBLE_DEVICES", ""}})) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
  }
}

TEST_CASE("ranks join on a host without IPv6 (case 20)", "[integration]") {
  if (::geteuid() != 0 || find_program("unshare").empty() || find_program("ip").empty()) {
    SKIP("needs root, and unshare and ip (packages util-linux, iproute2)");
  }
  const std::string script =
      "ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && "
      "RANK=1 \"$0\" do=init do=all_reduce & wait_for=$!; RANK=0 \"$0\" do=init do=all_reduce && wait $wait_for";
  Variables variables = rank_variables(0, 2, free_port());
  Process job({"unshare", "--net", "sh", "-c", script, RANK_PROGRAM}, variables);
  const Outcome outcome = job.wait();
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
}

TEST_CASE("one rank of many at a wrong port: the others name it, and it names where it looked (case 107)",
          "[integration]") {
  const int port = free_port();
  const int wrong_port = free_port();
  std::vector<Process> ranks;
  for (int rank = 0; rank < 16; ++rank) {
    ranks.push_back(start_program({"timeout=10", "do=init"}, rank_variables(rank, 16, rank == 7 ? wrong_port : port)));
  }
  for (std::size_t rank = 0; rank < 16; ++rank) {
    const Outcome outcome = ranks[rank].wait(seconds(60));
    INFO(outcome.output);
    CHECK_FALSE(outcome.killed_at_deadline);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring(rank == 7 ? "127.0.0.1:" + std::to_string(wrong_port)
                                                           : "15 of 16 ranks are here; missing: 7"));
  }
}
