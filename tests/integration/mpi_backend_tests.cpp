/// @file
/// The mpi backend, where LibTorch has MPI: under the real mpirun of Open MPI, that of another MPI, and srun.
#include "catch.h"
#include "job.h"
#include "process.h"
#include "slurm_cluster.h"

using namespace test;

namespace {

/// On one host no network is needed.
const Variables as_root = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}, {"OMPI_MCA_btl", "self,sm"}};

Process start_under_mpirun(int ranks, const std::vector<std::string>& program) {
  std::vector<std::string> command = {require_program("mpirun.openmpi", "apt-get install openmpi-bin"),
                                      "--oversubscribe", "-n", std::to_string(ranks)};
  command.insert(command.end(), program.begin(), program.end());
  return Process(command, as_root);
}

Outcome run_under_mpirun(int ranks, const std::vector<std::string>& program) {
  return start_under_mpirun(ranks, program).wait();
}

}  // namespace

TEST_CASE("ranks join with MPI's own backend, need no address, and mpirun ends well (case 109)", "[integration][mpi]") {
  for (const char* launcher : {"mpi", "auto"}) {
    const Outcome outcome = run_under_mpirun(
        3, {GROUP_PROGRAM, std::string("launcher=") + launcher, "backend=mpi", "say_backend", "default_sum"});
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "backend: mpi\n") == 3);
    CHECK(count(outcome.output, "sum: 6 over 0,1,2\n") == 3);
    for (const char* complaint : {"improperly", "finalize", "Finalize", "previously initialized"}) {
      CHECK_THAT(outcome.output, !ContainsSubstring(complaint));
    }
  }
  const Outcome by_init_process_group =
      run_under_mpirun(2, {GROUP_PROGRAM, "launcher=env", "backend=mpi", "default_sum"});
  INFO(by_init_process_group.output);
  CHECK(count(by_init_process_group.output, "sum: 3 over 0,1\n") == 2);
}

TEST_CASE("jobs on one host don't meet: MPI needs no port", "[integration][mpi]") {
  Process first = start_under_mpirun(2, {RANK_PROGRAM, "launcher=mpi", "backend=mpi", "do=init", "do=pause"});
  REQUIRE(first.wait_for_output("pausing\npausing\n"));
  const Outcome second = run_under_mpirun(2, {GROUP_PROGRAM, "launcher=mpi", "backend=mpi", "default_sum"});
  INFO(second.output);
  CHECK(second.status == 0);
}

TEST_CASE("ranks leave and join again", "[integration][mpi]") {
  const Outcome outcome = run_under_mpirun(2, {RANK_PROGRAM, "launcher=mpi", "backend=mpi", "do=init", "do=report",
                                               "do=seed", "do=barrier", "do=destroy", "do=init", "do=all_reduce"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3\n") == 2);
  CHECK_THAT(outcome.output, ContainsSubstring("rank=1 world_size=2 local_rank=1 local_size=2 backend=mpi main=0"));
}

TEST_CASE("groups of some ranks: who is no member gets none (case 70)", "[integration][mpi][group]") {
  const Outcome outcome = run_under_mpirun(3, {GROUP_PROGRAM, "launcher=mpi", "backend=mpi", "overlapping_groups"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "first: 3 over 0,1\n") == 2);
  CHECK(count(outcome.output, "first: none\n") == 1);
  CHECK(count(outcome.output, "second: 5 over 1,2\n") == 2);
  CHECK(count(outcome.output, "all: 6 over 0,1,2\n") == 3);
  CHECK(count(outcome.output, "second, functional: 5\n") == 2);
  const Outcome local = run_under_mpirun(4, {GROUP_PROGRAM, "launcher=mpi", "backend=mpi", "local_group", "subgroups"});
  INFO(local.output);
  CHECK(local.status == 0);
  CHECK(count(local.output, "local: 7 over 2,3\n") == 2);
  CHECK(count(local.output, "own: 3 over 0,1, of 2\n") == 2);
  const Outcome members_only =
      run_under_mpirun(4, {GROUP_PROGRAM, "launcher=mpi", "backend=mpi", "group_of_the_last_two"});
  CHECK_THAT(members_only.output, ContainsSubstring("MPI backend doesn't support use_local_synchronization=True"));
}

TEST_CASE("a rank that fails ends the job, though others wait for it", "[integration][mpi]") {
  Process job = start_under_mpirun(2, {"sh", "-c",
                                       "then=barrier; if [ $OMPI_COMM_WORLD_RANK = 1 ]; then then=fail; fi; "
                                       "exec \"$0\" launcher=mpi backend=mpi do=init do=barrier do=$then",
                                       RANK_PROGRAM});
  const Outcome outcome = job.wait(soon);
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output,
             ContainsSubstring("torch_dist_init: rank 1 on host ") && ContainsSubstring("this rank \"fails\""));
}

TEST_CASE("a rank that doesn't come to MPI is waited for in words, and no longer than the timeout",
          "[integration][mpi]") {
  Process job = start_under_mpirun(2, {"sh", "-c",
                                       "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec sleep 600; fi; "
                                       "exec \"$0\" launcher=mpi backend=mpi timeout=5 do=init",
                                       RANK_PROGRAM});
  CHECK(job.wait_for_output(" waits in MPI for all ranks that mpirun or srun has started"));
  CHECK(job.wait_for_output("TimeoutError: rank 0 on host "));
}

TEST_CASE("processes that MPI takes for single ones are refused (case 55)", "[integration][mpi]") {
  // What one MPI's mpirun tells, another MPI doesn't understand.
  Process other_mpi({require_program("mpirun.mpich", "apt-get install mpich"), "-n", "2", RANK_PROGRAM, "launcher=mpi",
                     "backend=mpi", "do=init"},
                    as_root);
  const Outcome outcome = other_mpi.wait(soon);
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("launcher 'mpi' says rank 1 of 2, but MPI (Open MPI v") &&
                                 ContainsSubstring(") says rank 0 of 1") &&
                                 ContainsSubstring("Is this mpirun that of another MPI"));
  // Variables that are only set.
  for (Process& rank : start_ranks(2, {"backend=mpi", "do=init"}, as_root)) {
    check_failure(rank, "launcher 'pytorch' says rank ");
    CHECK_THAT(rank.output(), ContainsSubstring("Start it with the mpirun of that MPI"));
  }
  Process alone = start_program({"launcher=none", "backend=mpi", "do=init", "do=all_reduce"}, as_root);
  const Outcome world_of_one = alone.wait();
  INFO(world_of_one.output);
  CHECK(world_of_one.status == 0);
  CHECK_THAT(world_of_one.output, ContainsSubstring("sum=1"));
}

TEST_CASE("an MPI that the program has initialised is used, and left to it", "[integration][mpi]") {
  const Outcome outcome = run_under_mpirun(2, {MPI_PROGRAM, "serialized"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3\n") == 2);
  const Outcome single = run_under_mpirun(1, {MPI_PROGRAM, "funneled"});
  INFO(single.output);
  CHECK(single.status == 1);
  CHECK_THAT(single.output, ContainsSubstring("has initialised MPI with MPI_THREAD_FUNNELED: call MPI_Init_thread("));
  const Outcome finalised = run_under_mpirun(1, {MPI_PROGRAM, "serialized", "finalize_first"});
  INFO(finalised.output);
  CHECK(finalised.status == 1);
  CHECK_THAT(finalised.output, ContainsSubstring("MPI is finalised, and can't be initialised again"));
}

TEST_CASE("a group on gloo beside MPI needs a store, and gets one by a port", "[integration][mpi][group]") {
  const auto run_with = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> program = {GROUP_PROGRAM, "launcher=mpi", "backend=mpi", "gloo_group", "default_sum"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return run_under_mpirun(2, program);
  };
  const Outcome with_store = run_with({"port=" + std::to_string(free_port())});
  INFO(with_store.output);
  CHECK(with_store.status == 0);
  CHECK(count(with_store.output, "on gloo: 3 over 0,1\n") == 2);
  CHECK(count(with_store.output, "sum: 3 over 0,1\n") == 2);
  const Outcome without = run_with({});
  INFO(without.output);
  CHECK(without.status == 0);
  CHECK(count(without.output, "BackendError: backend 'gloo' needs a store where its ranks meet") == 2);
  CHECK(count(without.output, "sum: 3 over 0,1\n") == 2);
}

TEST_CASE("srun --mpi=pmix makes MPI's ranks, plain srun doesn't (case 94)", "[integration][slurm][mpi]") {
  const SlurmCluster cluster;
  // On one node: these nodes are one host with one address, and MPI finds no way from one to the other.
  const Outcome outcome = cluster.run({"srun", "--mpi=pmix", "-N1", "-n3", GROUP_PROGRAM, "launcher=slurm",
                                       "backend=mpi", "say_backend", "default_sum"},
                                      as_root);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum: 6 over 0,1,2\n") == 3);
  const Outcome plain =
      cluster.run({"srun", "-N2", "-n3", GROUP_PROGRAM, "launcher=slurm", "backend=mpi", "default_sum"}, as_root);
  INFO(plain.output);
  CHECK(plain.status == 1);
  CHECK_THAT(plain.output, ContainsSubstring("launcher 'slurm' says rank 2 of 3, but MPI (Open MPI v") &&
                               ContainsSubstring("Start it with srun --mpi=pmix"));
}

#ifdef TORCH_DIST
TEST_CASE("torch-dist check communicates by MPI", "[integration][mpi][check]") {
  const Outcome outcome = run_under_mpirun(3, {TORCH_DIST, "check", "--backend", "mpi"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("all right: 3 rank(s), launcher mpi, backend mpi"));
}
#endif
