/// @file
/// Ranks under the real mpirun of Open MPI and of MPICH, all on this host. The backend is Gloo: MPI only launches.
#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

namespace {

/// Each MPI's own mpirun: which one plain "mpirun" is, differs from machine to machine.
std::vector<std::vector<std::string>> require_mpiruns() {
  return {{require_program("mpirun.openmpi", "apt-get install openmpi-bin"), "--oversubscribe"},
          {require_program("mpirun.mpich", "apt-get install mpich")}};
}

Outcome run_under(std::vector<std::string> mpirun, int ranks, const std::vector<std::string>& program) {
  mpirun.insert(mpirun.end(), {"-n", std::to_string(ranks)});
  mpirun.insert(mpirun.end(), program.begin(), program.end());
  return Process(mpirun, {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                          {"MASTER_PORT", std::to_string(free_port())}})
      .wait();
}

}  // namespace

TEST_CASE("ranks join under mpirun on one host, without MASTER_ADDR", "[integration][mpi]") {
  for (const auto& mpirun : require_mpiruns()) {
    for (const char* launcher : {"mpi", "auto"}) {
      const Outcome outcome = run_under(mpirun, 3,
                                        {RANK_PROGRAM, std::string("launcher=") + launcher, "timeout=60", "do=init",
                                         "do=report", "do=environment", "do=all_reduce"});
      INFO(mpirun.front() << ", launcher " << launcher << "\n" << outcome.output);
      CHECK(outcome.status == 0);
      CHECK(count(outcome.output, "sum=6\n") == 3);
      CHECK(count(outcome.output, "MASTER_ADDR=127.0.0.1\n") == 3);
      CHECK_THAT(outcome.output, ContainsSubstring("rank=2 world_size=3 local_rank=2 local_size=3"));
      CHECK(count(outcome.output, "launcher mpi (auto: ") == (launcher == std::string("auto") ? 1 : 0));
    }
  }
}

TEST_CASE("a rank that fails ends mpirun with its message and exit status", "[integration][mpi]") {
  for (const auto& mpirun : require_mpiruns()) {
    const Outcome outcome =
        run_under(mpirun, 2, {RANK_PROGRAM, "launcher=mpi", "timeout=60", "do=init", "do=barrier", "do=fail"});
    INFO(mpirun.front() << "\n" << outcome.output);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("this rank \"fails\""));
  }
}

TEST_CASE("the example trains under mpirun", "[integration][mpi][example]") {
  for (const auto& mpirun : require_mpiruns()) {
    const Outcome outcome = run_under(mpirun, 2, {TRAIN_DIGITS, "--epochs=2"});
    INFO(mpirun.front() << "\n" << outcome.output);
    CHECK(outcome.status == 0);
    CHECK(count(outcome.output, "epoch  1 of 2") == 1);
    CHECK_THAT(outcome.output, ContainsSubstring("ranks with identical weights: 2"));
  }
}
