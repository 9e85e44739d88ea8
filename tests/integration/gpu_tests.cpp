/// @file
/// The nccl backend on real GPUs, as many as the environment variable GPUS says: one is enough, more test more. For
/// scripts/gpu_check.sh.
#include <cstdlib>

#include "catch.h"
#include "job.h"
#include "process.h"

#include <vector>

using namespace test;

namespace {

int gpus() {
  const char* const value = std::getenv("GPUS");
  return value == nullptr ? 1 : std::max(1, std::atoi(value));
}

/// The variables of one rank, with what says which GPUs there are.
Variables gpu_variables(int rank, int world_size, int port, const Variables& changes) {
  Variables variables = rank_variables(rank, world_size, port);
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    variables["CUDA_VISIBLE_DEVICES"] = visible;
  }
  for (const auto& [name, value] : changes) {
    variables[name] = value;
  }
  return variables;
}

/// A program on as many ranks as there are GPUs, to its good end. Returns the ranks' outputs.
std::vector<std::string> run_on_all_gpus(std::vector<std::string> command, const Variables& changes = {}) {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank = 0; rank < gpus(); ++rank) {
    std::vector<std::string> own = command;
    for (std::string& argument : own) {
      if (argument == "device_id=RANK") {
        argument = "device_id=" + std::to_string(rank);
      }
    }
    ranks.emplace_back(own, gpu_variables(rank, gpus(), port, changes));
  }
  std::vector<std::string> outputs;
  for (Process& rank : ranks) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    outputs.push_back(outcome.output);
  }
  return outputs;
}

std::string sum_of_all() { return "sum: " + std::to_string(gpus() * (gpus() + 1) / 2) + " over 0"; }

/// "nccl" as it is, and both of its implementations by the variable and by name.
const std::vector<std::pair<std::string, Variables>> variants = {
    {"nccl", {}}, {"nccl", {{"TORCH_DIST_USE_NCCL2", "0"}}}, {"cuda:nccl", {}}, {"cpu:gloo,cuda:nccl", {}}};

}  // namespace

TEST_CASE("all collectives give right results on nccl", "[gpu]") {
  for (const auto& [backend, variables] : variants) {
    const auto outputs = run_on_all_gpus({TORCH_DIST, "check", "--backend", backend}, variables);
    CHECK_THAT(outputs[0], ContainsSubstring("all right: " + std::to_string(gpus()) + " rank(s)"));
    CHECK_THAT(outputs[0], ContainsSubstring("cuda:0"));
  }
}

TEST_CASE("no device is guessed, nothing is warned of", "[gpu]") {
  for (const std::string& output : run_on_all_gpus({RANK_PROGRAM, "backend=nccl", "do=init", "do=barrier", "do=seed",
                                                    "do=all_reduce", "do=functional", "do=barrier", "do=destroy"})) {
    CHECK_THAT(output, !ContainsSubstring("unknown") && !ContainsSubstring("potentially cause a hang"));
    CHECK_THAT(output, !ContainsSubstring("Warning") && !ContainsSubstring("warning"));
  }
}

TEST_CASE("groups beside the default one, also split from its communicator", "[gpu]") {
  for (const auto& [backend, variables] : variants) {
    for (const char* device : {"timeout=60", "device_id=RANK"}) {
      const auto outputs = run_on_all_gpus(
          {GROUP_PROGRAM, "backend=" + backend, device, "default_sum", "group_of_all", "default_sum"}, variables);
      CHECK(count(outputs[0], sum_of_all()) == 3);
    }
  }
}

TEST_CASE("ranks leave and join again", "[gpu]") {
  const auto outputs = run_on_all_gpus({RANK_PROGRAM, "backend=nccl", "do=init", "do=all_reduce", "do=destroy",
                                        "do=init", "do=all_reduce", "do=destroy"});
  CHECK(count(outputs[0], "sum=" + std::to_string(gpus() * (gpus() + 1) / 2)) == 2);
}

TEST_CASE("returning from main without leaving does no harm (case 98)", "[gpu]") {
  run_on_all_gpus({RANK_PROGRAM, "backend=nccl", "do=init", "do=all_reduce", "do=hold"});
  run_on_all_gpus({RANK_PROGRAM, "backend=nccl", "do=init", "do=all_reduce", "do=exit_without_destroy"});
}

TEST_CASE("without a backend's name nccl serves", "[gpu]") {
  CHECK_THAT(run_on_all_gpus({GROUP_PROGRAM, "launcher=env", "backend=none", "say_backend", "default_sum"})[0],
             ContainsSubstring("backend: cuda:nccl\n" + sum_of_all()));
}

TEST_CASE("TORCH_DISTRIBUTED_DEBUG=DETAIL wraps nccl too", "[gpu]") {
  CHECK_THAT(
      run_on_all_gpus({GROUP_PROGRAM, "backend=nccl", "default_sum"}, {{"TORCH_DISTRIBUTED_DEBUG", "DETAIL"}})[0],
      ContainsSubstring(sum_of_all()));
}

TEST_CASE("LibTorch that was asked about CUDA too early is found out", "[gpu]") {
  Process rank({GROUP_PROGRAM, "ask_about_cuda_first", "backend=nccl"}, gpu_variables(0, 1, free_port(), {}));
  check_failure(rank, "LibTorch was asked about CUDA before its CUDA library was loaded");
}

TEST_CASE("two ranks on one GPU are refused before NCCL hangs (case 53)", "[gpu]") {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back(std::vector<std::string>{GROUP_PROGRAM, "backend=nccl", "default_sum"},
                       gpu_variables(rank, 2, port, {{"CUDA_VISIBLE_DEVICES", "0"}}));
  }
  Process* const refused = first_to_say({&ranks[0], &ranks[1]}, "have one and the same GPU (UUID ");
  REQUIRE(refused != nullptr);
  CHECK(refused->wait(soon).status == 1);
}

TEST_CASE("more ranks on a node than it has GPUs are refused with both numbers", "[gpu]") {
  Variables variables = gpu_variables(0, 64, free_port(), {});
  if (variables.erase("CUDA_VISIBLE_DEVICES") == 0) {
    Process rank({GROUP_PROGRAM, "backend=nccl"}, variables);
    check_failure(rank, "this node has 64 ranks, but only " + std::to_string(gpus()) + " visible GPU(s)");
  }
}

TEST_CASE("the example trains on nccl", "[gpu]") {
  const auto outputs = run_on_all_gpus({TRAIN_DIGITS, "--backend", "nccl", "--epochs", "2"});
  CHECK_THAT(outputs[0], ContainsSubstring("ranks with identical weights: " + std::to_string(gpus())));
}
