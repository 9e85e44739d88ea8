/// @file
/// Ranks under the real torchrun, and ranks in C++ and Python in one group.
#include <cstdlib>

#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

namespace {

#define REQUIRE_PROGRAM(path)                                                                          \
  if ((path).empty()) {                                                                                \
    SKIP("needs torchrun and a Python that has torch: pip install torch, and its bin folder in PATH"); \
  }

Outcome run_under_torchrun(const std::string& torchrun, const std::vector<std::string>& options,
                           const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {torchrun, "--no-python"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(RANK_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Process(command, {}).wait();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("under torchrun all ranks are clients of the agent's store (case 32)", "[integration][torchrun]") {
  const std::string torchrun = find_program("torchrun");
  REQUIRE_PROGRAM(torchrun);
  const std::string port = std::to_string(free_port());
  const std::vector<std::vector<std::string>> endpoints = {
      {"--standalone"}, {"--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"}, {"--master-port=" + port}};
  for (std::vector<std::string> options : endpoints) {
    options.push_back("--nproc-per-node=3");
    const Outcome outcome = run_under_torchrun(torchrun, options, {"do=init", "do=report", "do=all_reduce"});
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "sum=6") == 3);
    CHECK_THAT(outcome.output, ContainsSubstring("rank=2 world_size=3 local_rank=2 local_size=3 backend=gloo main=0"));
    CHECK_THAT(outcome.output, !ContainsSubstring("EADDRINUSE"));
    CHECK_THAT(outcome.output, !ContainsSubstring("address already in use"));
  }
}

TEST_CASE("torchrun's report shows a rank's message as the root cause", "[integration][torchrun]") {
  const std::string torchrun = find_program("torchrun");
  REQUIRE_PROGRAM(torchrun);
  const Outcome outcome =
      run_under_torchrun(torchrun, {"--standalone", "--nproc-per-node=2"}, {"do=init", "do=barrier", "do=fail"});
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  const std::size_t report = outcome.output.find("Root Cause");
  REQUIRE(report != std::string::npos);
  CHECK_THAT(outcome.output.substr(report), ContainsSubstring("this rank \"fails\""));
}

TEST_CASE("ranks that torchrun restarts form a world again", "[integration][torchrun]") {
  const std::string torchrun = find_program("torchrun");
  REQUIRE_PROGRAM(torchrun);
  const TemporaryFolder folder;
  const Outcome outcome =
      run_under_torchrun(torchrun, {"--standalone", "--nproc-per-node=2", "--max-restarts=1"},
                         {"timeout=60", "do=init", "do=all_reduce", "do=fail_first_attempt", "do=report"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3") == 4);
  CHECK(count(outcome.output, "world_size=2") == 2);
}

TEST_CASE("a rank in C++ and a rank in Python share a group, whichever serves", "[integration][torchrun]") {
  const std::string python = find_program("python3");
  REQUIRE_PROGRAM(find_program("torchrun"));
  const std::string program =
      "import torch, torch.distributed as dist\n"
      "dist.init_process_group('gloo')\n"
      "t = torch.full((4,), dist.get_rank() + 1.0)\n"
      "dist.all_reduce(t)\n"
      "dist.barrier()\n"
      "print(f'sum={int(t[0])}')\n"
      "dist.destroy_process_group()\n";
  for (int python_rank = 0; python_rank < 2; ++python_rank) {
    const int port = free_port();
    Process in_python({python, "-c", program}, rank_variables(python_rank, 2, port));
    Process in_cpp =
        start_program({"do=init", "do=all_reduce", "do=barrier"}, rank_variables(1 - python_rank, 2, port));
    for (Process* rank : {&in_python, &in_cpp}) {
      const Outcome outcome = rank->wait();
      INFO(outcome.output);
      CHECK(outcome.status == 0);
      CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
    }
  }
}
