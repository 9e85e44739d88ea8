/// @file
/// torch-dist check under the real launchers, and with what is wrong.
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.h"
#include "job.h"
#include "slurm_cluster.h"

using namespace test;
using nlohmann::json;
using std::chrono::seconds;

namespace {

std::vector<std::string> check(const std::vector<std::string>& options) {
  std::vector<std::string> command = {TORCH_DIST, "check"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

/// All lines of a text that are JSON objects.
std::vector<json> json_lines(const std::string& text) {
  std::vector<json> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] == '{') {
      found.push_back(json::parse(line));
    }
  }
  return found;
}

void check_all_right(const Outcome& outcome, int size, const std::string& launcher) {
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("all right: " + std::to_string(size) + " rank(s), launcher " + launcher +
                                               ", backend gloo"));
}

}  // namespace

TEST_CASE("check tells rank by rank how long each step took", "[integration][check]") {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.emplace_back(check({"--json"}), rank_variables(rank, 3, port));
  }
  for (Process& rank : ranks) {
    CHECK(rank.wait().status == 0);
  }
  INFO(ranks[0].output());
  const std::vector<json> reports = json_lines(ranks[0].output());
  REQUIRE(reports.size() == 3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const json& report = reports[rank];
    CHECK(report.at("rank") == rank);
    CHECK(report.at("world_size") == 3);
    CHECK(report.at("local_rank") == rank);
    CHECK(report.at("pid") == ranks[rank].pid());
    CHECK(report.at("device") == "cpu");
    CHECK(report.at("address") == "127.0.0.1");
    CHECK(report.at("ok") == true);
    CHECK(report.at("error").is_null());
    for (const char* step : {"init", "barrier", "all_reduce", "broadcast", "all_gather"}) {
      CHECK(report.at("seconds").at(step).is_number());
    }
  }
  CHECK(json_lines(ranks[1].output()).empty());
}

TEST_CASE("check works under torchrun, srun and mpirun, and alone", "[integration][check][torchrun][slurm][mpi]") {
  check_all_right(Process(check({"--launcher", "none"}), {}).wait(), 1, "none");

  const TemporaryFolder folder;
  std::vector<std::string> torchrun = {require_torchrun(), "--no-python", "--nproc-per-node=2",
                                       "--local-addr=127.0.0.1"};
  if (has_libuv) {
    torchrun.push_back("--standalone");
  } else {
    torchrun.insert(torchrun.end(), {"--rdzv-backend=c10d", "--rdzv-conf=store_type=file",
                                     "--rdzv-endpoint=" + folder.path() + "/store"});
  }
  std::vector<std::string> command = check({});
  torchrun.insert(torchrun.end(), command.begin(), command.end());
  check_all_right(Process(torchrun, {{"TMPDIR", folder.path()}, {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1"}}).wait(), 2,
                  "pytorch");

  std::vector<std::string> srun = {"srun", "-N3", "-n4"};
  srun.insert(srun.end(), command.begin(), command.end());
  const Outcome under_slurm = slurm().run(srun);
  check_all_right(under_slurm, 4, "slurm");
  CHECK_THAT(under_slurm.output, ContainsSubstring("n3"));

  std::vector<std::string> mpirun = {require_program("mpirun.openmpi", "apt-get install openmpi-bin"),
                                     "--oversubscribe", "-n", "2"};
  mpirun.insert(mpirun.end(), command.begin(), command.end());
  const Variables as_root = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                             {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                             {"MASTER_PORT", std::to_string(free_port())}};
  check_all_right(Process(mpirun, as_root).wait(), 2, "mpi");
}

TEST_CASE("a rank in Python can take part in barrier and all_reduce, as rank 0 and as another",
          "[integration][check][torchrun]") {
  require_torchrun();
  const std::string program =
      "import torch, torch.distributed as dist\n"
      "dist.init_process_group('gloo')\n"
      "dist.barrier()\n"
      "t = torch.full((4,), float(dist.get_rank()))\n"
      "dist.all_reduce(t)\n"
      "assert t.tolist() == [1.0] * 4, t\n"
      "dist.destroy_process_group()\n";
  for (int python_rank = 0; python_rank < 2; ++python_rank) {
    const int port = free_port();
    Variables variables = rank_variables(python_rank, 2, port);
    variables["USE_LIBUV"] = has_libuv ? "1" : "0";
    Process in_python({find_program("python3"), "-c", program}, variables);
    Process in_cpp(check({"--only", "all_reduce,barrier", "--json"}), rank_variables(1 - python_rank, 2, port));
    for (Process* rank : {&in_python, &in_cpp}) {
      const Outcome outcome = rank->wait();
      INFO(outcome.output);
      CHECK(outcome.status == 0);
    }
    const std::vector<json> reports = json_lines(in_cpp.output());
    if (python_rank == 1) {
      REQUIRE(reports.size() == 2);
      CHECK(reports[0].at("seconds").size() == 3);
      CHECK_THAT(reports[1].at("error").get<std::string>(), ContainsSubstring("no report"));
    }
  }
}

TEST_CASE("check names the rank that is missing, with status 1", "[integration][check]") {
  const Outcome outcome = Process(check({"--timeout", "1", "--json"}), rank_variables(0, 2, free_port())).wait();
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  const std::vector<json> reports = json_lines(outcome.output);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].at("rank") == 0);
  CHECK(reports[0].at("ok") == false);
  CHECK_THAT(reports[0].at("error").get<std::string>(),
             ContainsSubstring("init: TimeoutError: ") && ContainsSubstring("missing: 1"));
}

TEST_CASE("if a rank doesn't communicate, check fails on the others and shows it", "[integration][check]") {
  const int port = free_port();
  // It joins, and then does nothing more.
  Process silent = start_program({"do=init", "do=pause"}, rank_variables(1, 2, port));
  const Outcome outcome = Process(check({"--timeout", "3"}), rank_variables(0, 2, port)).wait(seconds(60));
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("barrier: ") && ContainsSubstring("NOT right: 2 rank(s)") &&
                                 ContainsSubstring("no report"));
  silent.signal(SIGKILL);
}

TEST_CASE("a wrong command line of check ends with status 2", "[integration][check]") {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--foo"}, {"--only", "scatter"}, {"--timeout", "0"}, {"--timeout", "abc"}, {"--launcher"}}) {
    const Outcome outcome = Process(check(options), {}).wait();
    INFO(outcome.output);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.output, ContainsSubstring("Run torch-dist check --help for more information."));
  }
  const Outcome help = Process(check({"--help"}), {}).wait();
  CHECK(help.status == 0);
  CHECK_THAT(help.output, ContainsSubstring("--only"));
}

TEST_CASE("check fails with a message where the environment is wrong", "[integration][check]") {
  const Outcome outcome = Process(check({"--json"}), {{"RANK", "1x"}, {"WORLD_SIZE", "2"}}).wait();
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("init: LaunchError: RANK must be a whole number"));
}
