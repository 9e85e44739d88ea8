/// @file
/// Backends beside gloo: one of the program's own, several at once, and those that can't be had here. nccl's work on
/// GPUs is tested by scripts/gpu_check.sh.
#include "backends/library.h"

#include "catch.h"
#include "job.h"
#include "process.h"
#include "slurm_cluster.h"

using namespace test;
namespace detail = torch_dist_init::detail;

TEST_CASE("a backend of the program's own is created, and asked for everything", "[integration][backend]") {
  const auto outputs = run_group_program(2, {"backend=RECORDING", "say_backend", "default_sum", "timeout=7"});
  for (std::size_t rank = 0; rank < 2; ++rank) {
    CHECK_THAT(outputs[rank],
               ContainsSubstring("created: rank " + std::to_string(rank) +
                                 " of 2, timeout 7, store's timeout 7000, group 0 of 0\nbackend: recording\n"
                                 "recorded: allreduce of 4\n"));
  }
  CHECK_THAT(run_group_program(2, {"backend=recording", "subgroups"})[0],
             ContainsSubstring("created: rank 0 of 2, timeout 60, store's timeout 60000, group 1 of 2\n"));
}

TEST_CASE("a backend that waits for a rank that never comes ends at the timeout, and the rank is named (cases 44, 46)",
          "[integration][backend]") {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank : {0, 1}) {
    Variables variables = rank_variables(rank, 3, port);
    variables["WAIT_FOR"] = "2";
    ranks.push_back(start_group_program({"backend=recording", "timeout=5"}, variables));
  }
  for (Process& rank : ranks) {
    check_failure(rank, "TimeoutError: rank ");
    CHECK_THAT(rank.output(), ContainsSubstring("2 of 3 ranks are here; missing: 2"));
  }
}

TEST_CASE("several backends serve one group, each its device", "[integration][backend]") {
  for (const std::string& output :
       run_group_program(2, {"backend=cpu:gloo,cuda:recording", "say_backend", "default_sum"})) {
    CHECK(count(output, "created: ") == 1);
    CHECK_THAT(output, ContainsSubstring("backend: cpu:gloo,cuda:recording\nsum: 3 over 0,1\n"));
    CHECK_THAT(output, !ContainsSubstring("recorded"));
  }
  for (const std::string& output : run_group_program(2, {"backend=cpu:recording,cuda:recording", "default_sum"})) {
    CHECK(count(output, "created: ") == 1);
    CHECK_THAT(output, ContainsSubstring("recorded: allreduce of 4\n"));
  }
}

TEST_CASE("without a backend's name gloo serves where there is no GPU", "[integration][backend]") {
  for (const std::string& output : run_group_program(2, {"launcher=env", "backend=none", "say_backend", "default_sum"},
                                                     {{"CUDA_VISIBLE_DEVICES", "-1"}})) {
    CHECK_THAT(output, ContainsSubstring("backend: cpu:gloo\nsum: 3 over 0,1\n"));
  }
}

TEST_CASE("nccl is refused where there is no GPU, with what can be known of the reason (cases 7, 56)",
          "[integration][backend]") {
  for (const char* launcher : {"pytorch", "none", "auto"}) {
    Variables variables = rank_variables(0, 1, free_port());
    variables["CUDA_VISIBLE_DEVICES"] = "";
    Process rank = start_program({std::string("launcher=") + launcher, "backend=nccl", "do=init"}, variables);
    check_failure(rank, "BackendError: ");
    if (detail::has_nccl) {
      CHECK_THAT(rank.output(), ContainsSubstring("backend 'nccl' needs a GPU, but no GPU is visible: ") &&
                                    ContainsSubstring("CUDA_VISIBLE_DEVICES is ''") &&
                                    ContainsSubstring("use backend 'gloo'"));
    } else {
      CHECK_THAT(rank.output(), ContainsSubstring("backend 'nccl' is not available: this LibTorch"));
    }
  }
}

TEST_CASE("under srun and mpirun too, a backend that can't be had is refused on every rank", "[integration][backend]") {
  const SlurmCluster cluster;
  // Each launcher with its own: a step, and a job.
  const std::string mpirun = require_program("mpirun.openmpi", "apt-get install openmpi-bin");
  const Variables variables = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}, {"CUDA_VISIBLE_DEVICES", "-1"}};
  std::vector<std::string> refused = {"nccl"};
  if (!detail::has_mpi) {
    refused.push_back("mpi");
  }
  for (const std::string& backend : refused) {
    const std::vector<std::string> rank = {RANK_PROGRAM, "launcher=auto", "backend=" + backend, "do=init"};
    std::vector<std::string> srun = {"srun", "-N2", "-n3"};
    srun.insert(srun.end(), rank.begin(), rank.end());
    const Outcome under_srun = cluster.run(srun, variables);
    INFO(under_srun.output);
    CHECK(under_srun.status == 1);
    CHECK(count(under_srun.output, "BackendError: ") == 3);
    std::vector<std::string> job = {mpirun, "--oversubscribe", "-n", "2"};
    job.insert(job.end(), rank.begin(), rank.end());
    Process under_mpirun(job, variables);
    check_failure(under_mpirun, "BackendError: ");
    CHECK_THAT(under_mpirun.output(), ContainsSubstring("backend '" + backend + "' "));
  }
}

TEST_CASE("gloo doesn't touch CUDA: no GPU, and a hidden one, are all the same to it (case 7)",
          "[integration][backend]") {
  for (const char* visible : {"", "nonsense"}) {
    const auto outputs = run_group_program(2, {"default_sum"}, {{"CUDA_VISIBLE_DEVICES", visible}});
    CHECK_THAT(outputs[0], ContainsSubstring("sum: 3 over 0,1\n"));
  }
}

TEST_CASE("mpi without MPI in LibTorch is an error that says what has it (case 56)", "[integration][backend]") {
  if (detail::has_mpi) {
    SUCCEED("this LibTorch has MPI: see mpi_backend_tests.cpp");
    return;
  }
  for (const char* launcher : {"pytorch", "none", "auto"}) {
    Process rank = start_program({std::string("launcher=") + launcher, "backend=mpi", "do=init"},
                                 rank_variables(0, 1, free_port()));
    check_failure(rank, "BackendError: backend 'mpi' is not available: this LibTorch");
    CHECK_THAT(rank.output(), ContainsSubstring("libtorch-dev has") &&
                                  ContainsSubstring("launcher 'mpi' goes with gloo and nccl too"));
  }
}
