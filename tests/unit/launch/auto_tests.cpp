/// @file
/// Launcher "auto", and launcher "pytorch" amid other launchers' variables: who is innermost.
#include <torch_dist_init/error.h>

#include "captured.h"
#include "catch.h"

using namespace torch_dist_init;

namespace {

LaunchInfo read_auto(const Variables& variables) { return read("auto", variables); }

}  // namespace

TEST_CASE("auto takes the innermost launcher and says by which variables", "[launch][auto]") {
  struct Example {
    const char* what;
    Variables variables;
    const char* launcher;
    int rank;
    int world_size;
    const char* source;
  };
  const std::vector<Example> examples = {
      {"srun", captured::srun, "slurm", 2, 3, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"srun in a batch script", captured::srun_in_batch, "slurm", 1, 6, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"a smaller step", captured::smaller_step, "slurm", 1, 2, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"srun -E", captured::preserved_environment, "slurm", 0, 1, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"a heterogeneous step", captured::heterogeneous_step, "slurm", 3, 4, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"srun --pty", captured::srun_pty, "slurm", 0, 4, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"srun --mpi=pmi2", captured::srun_pmi2, "slurm", 1, 2, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"srun --mpi=pmix", captured::srun_pmix, "slurm", 1, 2, "auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS"},
      {"Open MPI 4 in a batch script", captured::openmpi4_in_batch, "mpi", 5, 6,
       "auto: OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE"},
      {"Open MPI 5 in a batch script", captured::openmpi5_in_batch, "mpi", 3, 6,
       "auto: OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE"},
      {"MPICH in a batch script", captured::mpich_in_batch, "mpi", 3, 6, "auto: PMI_RANK, PMI_SIZE"},
      {"Intel MPI in a batch script", captured::intel_in_batch, "mpi", 3, 6, "auto: PMI_RANK, PMI_SIZE"},
      {"torchrun in srun", captured::torchrun_in_srun, "pytorch", 3, 4, "auto: RANK, WORLD_SIZE"},
      {"torchrun in mpirun", captured::torchrun_in_mpirun, "pytorch", 1, 2, "auto: RANK, WORLD_SIZE"},
      {"RANK and WORLD_SIZE set by hand", shell("RANK=1 WORLD_SIZE=2"), "pytorch", 1, 2, "auto: RANK, WORLD_SIZE"},
      {"PMI alone", shell("PMI_RANK=1 PMI_SIZE=2"), "mpi", 1, 2, "auto: PMI_RANK, PMI_SIZE"},
      {"Flux", shell("FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=0 PMI_RANK=1 PMI_SIZE=2"), "mpi", 1, 2,
       "auto: FLUX_TASK_RANK, FLUX_JOB_SIZE"},
      {"jsrun", shell("JSM_NAMESPACE_RANK=1 JSM_NAMESPACE_SIZE=2 JSM_NAMESPACE_LOCAL_RANK=0 LSB_JOBID=7"), "mpi", 1, 2,
       "auto: JSM_NAMESPACE_RANK, JSM_NAMESPACE_SIZE"},
      {"nothing", {}, "none", 0, 1, "auto: no launcher's variables are complete"},
  };
  for (const auto& example : examples) {
    INFO(example.what);
    const LaunchInfo info = read_auto(example.variables);
    CHECK(info.launcher == example.launcher);
    CHECK(info.rank == example.rank);
    CHECK(info.world_size == example.world_size);
    CHECK(info.sources.at("launcher") == example.source);
  }
}

TEST_CASE("torchrun inside srun or mpirun is no contradiction", "[launch][auto]") {
  for (const char* launcher : {"auto", "pytorch"}) {
    const LaunchInfo info = read(launcher, captured::torchrun_in_srun);
    CHECK(info.local_rank == 1);
    CHECK(info.node_rank == 1);
    CHECK(info.num_nodes == 2);
    CHECK(info.agent_store);
    CHECK_THAT(warnings_of(info), !ContainsSubstring("contradict"));
    CHECK_THAT(warnings_of(read(launcher, captured::torchrun_in_mpirun)), !ContainsSubstring("contradict"));
  }
}

TEST_CASE("case 17: WORLD_SIZE without RANK is no launcher, so Slurm is taken", "[launch][auto]") {
  const LaunchInfo info =
      read_auto(shell("SLURM_PROCID=1 SLURM_NTASKS=4 SLURM_LOCALID=1 SLURM_NODELIST=n[1-2] WORLD_SIZE=4"));
  CHECK(info.launcher == "slurm");
  CHECK(info.rank == 1);
  CHECK(info.world_size == 4);
  CHECK(info.sources.at("launcher") == "auto: SLURM_PROCID, SLURM_NTASKS");
}

TEST_CASE("case 17: an explicit launcher wins over any guess", "[launch][auto]") {
  CHECK(read("pytorch", with(captured::srun, "RANK=0 WORLD_SIZE=1")).world_size == 1);
  CHECK(read("slurm", captured::torchrun_in_srun).world_size == 2);
  CHECK(read("mpi", captured::torchrun_in_mpirun).world_size == 1);
  CHECK(read("none", captured::srun).world_size == 1);
}

TEST_CASE("case 89: mpirun in a Slurm job is taken for mpirun", "[launch][auto]") {
  const LaunchInfo info =
      read_auto(shell("SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0 SLURM_NODELIST=n[1-2] OMPI_COMM_WORLD_RANK=3 "
                      "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1"));
  CHECK(info.launcher == "mpi");
  CHECK(info.rank == 3);
  CHECK(info.warnings.empty());
}

TEST_CASE("case 91: one variable is no launcher", "[launch][auto]") {
  for (const char* variables : {"PMI_RANK=0", "PMI_SIZE=2", "SLURM_PROCID=0 SLURM_NTASKS=1", "WORLD_SIZE=4", "RANK=0",
                                "OMPI_COMM_WORLD_LOCAL_RANK=0", "FLUX_URI=local:///run/flux"}) {
    INFO(variables);
    const LaunchInfo info = read_auto(shell(variables));
    CHECK(info.launcher == "none");
    CHECK(info.world_size == 1);
  }
  CHECK_THAT(warnings_of(read_auto(shell("PMI_RANK=0"))), ContainsSubstring("PMI_RANK is set and PMI_SIZE isn't"));
  CHECK_THAT(warnings_of(read_auto(shell("RANK=0"))), ContainsSubstring("RANK is set and WORLD_SIZE isn't"));
  CHECK_THAT(warnings_of(read_auto(shell("PMIX_RANK=3"))), ContainsSubstring("PMIX_RANK is set"));
  CHECK(read("none", shell("PMI_RANK=0")).warnings.empty());
}

TEST_CASE("settings that Slurm exports for MPI launchers are no MPI launcher", "[launch][auto]") {
  CHECK(read_auto(with(captured::srun,
                       "OMPI_MCA_plm_slurm_args=--external-launcher PRTE_MCA_plm_slurm_args=--external-launcher "
                       "HYDRA_BOOTSTRAP=slurm I_MPI_HYDRA_BOOTSTRAP=slurm"))
            .launcher == "slurm");
}

TEST_CASE("variables that srun itself set for MPI don't hide Slurm's", "[launch][auto]") {
  const LaunchInfo info =
      read_auto(with(captured::srun_pmi2, "PALS_RANKID=1 PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=1 PALS_NODEID=1"));
  CHECK(info.launcher == "slurm");
  CHECK(info.master_addr == "n1");
}

TEST_CASE("mpirun with one rank a node is mpirun, though its daemons' numbers agree", "[launch][auto]") {
  const LaunchInfo info =
      read_auto(with(captured::srun, "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_RANK=0"));
  CHECK(info.launcher == "mpi");
  CHECK_FALSE(info.master_addr);
}

TEST_CASE("a step that an MPI launcher started for its daemons isn't taken for the program's", "[launch][auto]") {
  CHECK(read_auto(with(captured::srun, "SLURM_EXTERNAL_LAUNCHER=1")).launcher == "none");
}

TEST_CASE("inside a Slurm job, but not in a step, a process is a world of one with a warning", "[launch][auto]") {
  for (const auto& variables : {captured::batch_script, captured::salloc_shell, captured::interactive_step,
                                with(captured::batch_script, "SLURM_STEP_ID=-5"), shell("SLURM_JOB_ID=7")}) {
    const LaunchInfo info = read_auto(variables);
    CHECK(info.launcher == "none");
    CHECK(info.rank == 0);
    CHECK(info.world_size == 1);
    CHECK_THAT(warnings_of(info), ContainsSubstring("inside Slurm job"));
  }
}

TEST_CASE("auto refuses RANK and WORLD_SIZE that contradict a launcher, and names both pairs", "[launch][auto]") {
  REQUIRE_THROWS_AS(read_auto(captured::leftover_rank), LaunchError);
  REQUIRE_THROWS_WITH(read_auto(captured::leftover_rank),
                      ContainsSubstring("RANK=0, WORLD_SIZE=1, but SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=4 (Slurm)"));
  REQUIRE_THROWS_WITH(
      read_auto(with(captured::openmpi5_in_batch, "RANK=0 WORLD_SIZE=6")),
      ContainsSubstring("RANK=0, WORLD_SIZE=6, but OMPI_COMM_WORLD_RANK=3, OMPI_COMM_WORLD_SIZE=6 (Open MPI)"));
}

TEST_CASE("RANK and WORLD_SIZE that agree with the launcher are fine", "[launch][auto]") {
  const LaunchInfo info =
      read_auto(with(captured::srun, "RANK=2 WORLD_SIZE=3 LOCAL_RANK=0 MASTER_ADDR=n9 MASTER_PORT=61234"));
  CHECK(info.launcher == "slurm");
  CHECK(info.master_addr == "n9");
  CHECK(info.master_port == 61234);
  CHECK(info.warnings.empty());
}

TEST_CASE("other contradictions under auto are warnings that name both", "[launch][auto]") {
  const LaunchInfo info = read_auto(captured::srun_in_mpirun);
  CHECK(info.launcher == "mpi");
  CHECK(info.world_size == 1);
  CHECK_THAT(warnings_of(info),
             ContainsSubstring("OMPI_COMM_WORLD_RANK=0, OMPI_COMM_WORLD_SIZE=1 contradict SLURM_PROCID=2, "
                               "SLURM_STEP_NUM_TASKS=4 (Slurm)"));
}

TEST_CASE("case 35: launcher pytorch takes an exported RANK, with a warning that names both pairs",
          "[launch][torchrun]") {
  const LaunchInfo info = read("pytorch", captured::leftover_rank);
  CHECK(info.rank == 0);
  CHECK(info.world_size == 1);
  CHECK_THAT(warnings_of(info),
             ContainsSubstring("RANK=0, WORLD_SIZE=1 contradict SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=4 (Slurm)"));
}

TEST_CASE("launcher pytorch without its variables names the launcher that is there", "[launch][torchrun]") {
  REQUIRE_THROWS_WITH(read("pytorch", captured::srun),
                      ContainsSubstring("this looks like Slurm, use launcher \"slurm\""));
  REQUIRE_THROWS_WITH(read("pytorch", captured::openmpi5_in_batch),
                      ContainsSubstring("this looks like Open MPI, use launcher \"mpi\""));
}
