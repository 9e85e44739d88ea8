/// @file
/// Ranks under the real torchrun, and ranks in C++ and Python in one group.
#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

namespace {

/// A program under torchrun. A torchrun whose LibTorch has no libuv can serve no store: there it meets by a file,
/// and rank 0 serves the store of the ranks.
Outcome run_under_torchrun(const std::vector<std::string>& options, const std::vector<std::string>& arguments,
                           const std::string& program = RANK_PROGRAM) {
  const TemporaryFolder folder;
  std::vector<std::string> command = {require_torchrun(), "--no-python"};
  Variables variables = {{"TMPDIR", folder.path()}};
  if (has_libuv) {
    command.push_back("--standalone");
  } else {
    command.insert(command.end(), {"--rdzv-backend=c10d", "--rdzv-conf=store_type=file",
                                   "--rdzv-endpoint=" + folder.path() + "/store", "--local-addr=127.0.0.1"});
    variables["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1";
  }
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Process(command, variables).wait();
}

}  // namespace

TEST_CASE("ranks join under torchrun (case 32)", "[integration][torchrun]") {
  const Outcome outcome = run_under_torchrun({"--nproc-per-node=3"}, {"do=init", "do=report", "do=all_reduce"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=6") == 3);
  CHECK_THAT(outcome.output, ContainsSubstring("rank=2 world_size=3 local_rank=2 local_size=3 backend=gloo main=0"));
  CHECK_THAT(outcome.output, !ContainsSubstring("EADDRINUSE"));
  CHECK_THAT(outcome.output, !ContainsSubstring("address already in use"));
}

TEST_CASE("where an agent serves the store, all ranks are its clients (case 32)", "[integration][torchrun]") {
  const int port = free_port();
  // What torchrun's agent does, also where that torchrun can't: it serves before the ranks start, and outlives them.
  const std::string agent_program =
      "import sys, time\n"
      "from torch.distributed import TCPStore\n"
      "store = TCPStore('127.0.0.1', int(sys.argv[1]), is_master=True, wait_for_workers=False, use_libuv=" +
      std::string(has_libuv ? "True" : "False") +
      ")\n"
      "print('serving', flush=True)\n"
      "time.sleep(600)\n";
  require_torchrun();
  Process agent({find_program("python3"), "-c", agent_program, std::to_string(port)}, {});
  REQUIRE(agent.wait_for_output("serving"));
  std::vector<Process> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    Variables variables = rank_variables(rank, 2, port);
    variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
    ranks.push_back(start_program({"do=init", "do=all_reduce"}, variables));
  }
  for (Process& rank : ranks) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=3"));
    CHECK_THAT(outcome.output, !ContainsSubstring("address already in use"));
  }
}

TEST_CASE("torchrun's report shows a rank's message as the root cause", "[integration][torchrun]") {
  const Outcome outcome = run_under_torchrun({"--nproc-per-node=2"}, {"do=init", "do=barrier", "do=fail"});
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  const std::size_t report = outcome.output.find("Root Cause");
  REQUIRE(report != std::string::npos);
  CHECK_THAT(outcome.output.substr(report), ContainsSubstring("this rank \"fails\""));
}

TEST_CASE("ranks that torchrun restarts form a world again", "[integration][torchrun]") {
  const Outcome outcome =
      run_under_torchrun({"--nproc-per-node=2", "--max-restarts=1"},
                         {"timeout=60", "do=init", "do=all_reduce", "do=fail_first_attempt", "do=report"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3") == 4);
  CHECK(count(outcome.output, "world_size=2") == 2);
}

TEST_CASE("ranks join again at their agent's store, which remembers the former worlds", "[integration][torchrun]") {
  std::vector<std::string> arguments = {"timeout=60"};
  for (int i = 0; i < 3; ++i) {
    arguments.insert(arguments.end(), {"do=init", "do=all_reduce", "do=destroy"});
  }
  const Outcome outcome = run_under_torchrun({"--nproc-per-node=2"}, arguments);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3") == 6);
}

TEST_CASE("ranks of two agents, of which one alone counts the restart, form a world again", "[integration][torchrun]") {
  const TemporaryFolder folder;
  const std::string endpoint = has_libuv ? "127.0.0.1:" + std::to_string(free_port()) : "--rdzv-conf=store_type=file";
  // On the first attempt node 0's rank fails, while node 1's waits in no collective: its agent just restarts it.
  const std::string program =
      "if mkdir \"$1/$GROUP_RANK\"; then then=$((1 - GROUP_RANK)); fi\n"
      "case $then in 1) then=do=fail;; 0) then=do=pause;; *) then=do=report;; esac\n"
      "exec \"$0\" timeout=60 do=init do=all_reduce $then";
  std::vector<Process> agents;
  for (int node = 0; node < 2; ++node) {
    std::vector<std::string> command = {require_torchrun(),   "--no-python",           "--nnodes=2",
                                        "--nproc-per-node=1", "--max-restarts=3",      "--rdzv-backend=c10d",
                                        "--rdzv-id=test",     "--local-addr=127.0.0.1"};
    if (has_libuv) {
      command.push_back("--rdzv-endpoint=" + endpoint);
    } else {
      command.insert(command.end(), {endpoint, "--rdzv-endpoint=" + folder.path() + "/store"});
    }
    command.insert(command.end(), {"sh", "-c", program, RANK_PROGRAM, folder.path()});
    agents.emplace_back(command, Variables{{"TMPDIR", folder.path()}, {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1"}});
  }
  for (Process& agent : agents) {
    const Outcome outcome = agent.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "world_size=2") == 1);
  }
}

TEST_CASE("the example trains under torchrun", "[integration][torchrun][example]") {
  const Outcome outcome = run_under_torchrun({"--nproc-per-node=2"}, {"--epochs=2"}, TRAIN_DIGITS);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "epoch  1 of 2") == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("ranks with identical weights: 2"));
}

TEST_CASE("a rank in C++ and a rank in Python share a group, whichever serves", "[integration][torchrun]") {
  require_torchrun();
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
    Variables variables = rank_variables(python_rank, 2, port);
    variables["USE_LIBUV"] = has_libuv ? "1" : "0";
    Process in_python({find_program("python3"), "-c", program}, variables);
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

TEST_CASE("ranks in C++ and Python make groups together, and find them by name", "[integration][torchrun][group]") {
  require_torchrun();
  // Does what group_program's overlapping_groups does.
  const std::string program =
      "import torch, torch.distributed as dist\n"
      "dist.init_process_group('gloo')\n"
      "groups = [dist.new_group(ranks) for ranks in ([0, 1], [1, 2], None)]\n"
      "for group in groups:\n"
      "  t = torch.full((4,), dist.get_rank() + 1.0)\n"
      "  dist.all_reduce(t, group=group)\n"
      "  print(f'sum={int(t[0])}')\n"
      "for group in groups[1:]:\n"
      "  t = torch.full((2,), dist.get_rank() + 1.0)\n"
      "  t = torch.ops._c10d_functional.all_reduce(t, 'sum', group.group_name)\n"
      "  print(f'functional={int(torch.ops._c10d_functional.wait_tensor(t)[0])}')\n"
      "dist.destroy_process_group()\n";
  for (const char* level : {"OFF", "DETAIL"}) {
    const int port = free_port();
    const auto variables = [&](int rank) {
      Variables all = rank_variables(rank, 3, port);
      all["USE_LIBUV"] = has_libuv ? "1" : "0";
      all["TORCH_DISTRIBUTED_DEBUG"] = level;
      return all;
    };
    Process rank_0 = start_group_program({"overlapping_groups"}, variables(0));
    Process rank_1({find_program("python3"), "-c", program}, variables(1));
    Process rank_2 = start_group_program({"overlapping_groups"}, variables(2));
    for (Process* rank : {&rank_0, &rank_1, &rank_2}) {
      const Outcome outcome = rank->wait();
      INFO(level << "\n" << outcome.output);
      CHECK(outcome.status == 0);
    }
    CHECK_THAT(rank_0.output(), ContainsSubstring("first: 3 over 0,1\nsecond: none\nall: 6 over 0,1,2\n") &&
                                    ContainsSubstring("all, functional: 6\n"));
    CHECK_THAT(rank_1.output(), ContainsSubstring("sum=3\nsum=5\nsum=6\nfunctional=5\nfunctional=6\n"));
    CHECK_THAT(rank_2.output(), ContainsSubstring("second: 5 over 1,2\n") &&
                                    ContainsSubstring("second, functional: 5\nall, functional: 6\n"));
  }
}

TEST_CASE("a rank in Python that waits too is not called missing", "[integration][torchrun]") {
  require_torchrun();
  const int port = free_port();
  Variables variables = rank_variables(1, 3, port);
  variables["USE_LIBUV"] = has_libuv ? "1" : "0";
  Process in_cpp = start_program({"do=init", "timeout=600"}, rank_variables(0, 3, port));
  const Process in_python(
      {find_program("python3"), "-c", "import torch.distributed as dist; dist.init_process_group('gloo')"}, variables);
  CHECK(in_cpp.wait_for_output("waits: 2 of 3 ranks are here; missing: 2. Store:"));
}
