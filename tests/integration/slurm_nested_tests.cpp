/// @file
/// Other launchers inside the jobs of a real Slurm: the innermost one counts.
#include "catch.h"
#include "slurm_cluster.h"

using namespace test;

namespace {

const std::string rank_command = std::string(RANK_PROGRAM) + " timeout=60 do=init do=report do=all_reduce launcher=";

}  // namespace

TEST_CASE("ranks of torchrun's agents, one a node, are torchrun's", "[integration][slurm][torchrun]") {
  std::vector<std::string> command = {"srun",        "-N2",        "--ntasks-per-node=1", require_torchrun(),
                                      "--no-python", "--nnodes=2", "--nproc-per-node=2",  "--rdzv-backend=c10d"};
  Variables variables;
  if (has_libuv) {
    command.insert(command.end(), {"--rdzv-id=test", "--rdzv-endpoint=n1:29400"});
  } else {
    command.insert(command.end(),
                   {"--rdzv-conf=store_type=file", "--rdzv-endpoint=" + slurm().folder() + "/torchrun_store"});
    variables["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1";
  }
  command.insert(command.end(), {RANK_PROGRAM, "launcher=auto", "timeout=60", "do=init", "do=report", "do=all_reduce"});
  const Outcome outcome = slurm().run(command, variables);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=10\n") == 4);
  CHECK_THAT(outcome.output, ContainsSubstring("launcher pytorch (auto: RANK, WORLD_SIZE)") &&
                                 ContainsSubstring("rank=3 world_size=4 local_rank=1 local_size=2"));
}

TEST_CASE("mpirun's ranks in a batch job are MPI's, on the script's own node and on others (case 89)",
          "[integration][slurm][mpi]") {
  const std::string open_mpi = require_program("mpirun.openmpi", "apt-get install openmpi-bin");
  const std::string mpich = require_program("mpirun.mpich", "apt-get install mpich");
  const std::string script =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
      "export MASTER_ADDR=$(hostname)\n" +
      open_mpi + " --bind-to none -x MASTER_ADDR " + rank_command + "auto && " + mpich + " -n 4 " + rank_command +
      "auto\n";
  const Outcome outcome = slurm().run_batch({"-N2", "-n4"}, script);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=10\n") == 8);
  CHECK(count(outcome.output, "rank=3 world_size=4 local_rank=0 local_size=1") == 2);
  CHECK_THAT(outcome.output, ContainsSubstring("launcher mpi (auto: OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE)") &&
                                 ContainsSubstring("launcher mpi (auto: PMI_RANK, PMI_SIZE)"));
}

TEST_CASE("mpirun on several hosts needs MASTER_ADDR, and the error shows how to pass it on (cases 10, 88)",
          "[integration][slurm][mpi]") {
  const std::string open_mpi = require_program("mpirun.openmpi", "apt-get install openmpi-bin");
  const std::string script =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n" + open_mpi + " " + rank_command + "mpi\n";
  const Outcome outcome = slurm().run_batch({"-N2", "-n2"}, script);
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output,
             ContainsSubstring("MASTER_ADDR isn't set") && ContainsSubstring("mpirun -x MASTER_ADDR=node01 ./program"));
}

TEST_CASE("a step that srun starts for MPI is read as a step of Slurm's", "[integration][slurm][mpi]") {
  const Outcome outcome = slurm().run({"srun", "--mpi=pmi2", "-N2", "-n3", RANK_PROGRAM, "launcher=mpi", "timeout=60",
                                       "do=init", "do=environment", "do=all_reduce"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "MASTER_ADDR=n1\n") == 3);
  CHECK(count(outcome.output, "sum=6\n") == 3);
}
