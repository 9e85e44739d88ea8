/// @file
/// Launcher "mpi": each family of variables.
#include <torch_dist_init/error.h>

#include "captured.h"
#include "catch.h"

using namespace torch_dist_init;

namespace {

LaunchInfo read_mpi(const Variables& variables) { return read("mpi", variables); }

const Variables openmpi = shell("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1");

}  // namespace

TEST_CASE("Open MPI's variables are read, each with its source", "[launch][mpi]") {
  const LaunchInfo info = read_mpi(captured::openmpi4_in_batch);
  CHECK(info.launcher == "mpi");
  CHECK(info.rank == 5);
  CHECK(info.world_size == 6);
  CHECK(info.local_rank == 1);
  CHECK(info.local_world_size == 2);
  // OMPI_COMM_WORLD_NODE_RANK isn't the node's number.
  CHECK_FALSE(info.node_rank);
  CHECK_FALSE(info.num_nodes);
  CHECK(info.job_id == "182452225");
  CHECK(info.master_port == 29500);
  CHECK(info.warnings.empty());
  const std::map<std::string, std::string> sources = {
      {"launcher", "argument"},
      {"rank", "OMPI_COMM_WORLD_RANK"},
      {"world_size", "OMPI_COMM_WORLD_SIZE"},
      {"local_rank", "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"local_world_size", "OMPI_COMM_WORLD_LOCAL_SIZE"},
      {"job_id", "PMIX_NAMESPACE"},
      {"master_port", "default"},
  };
  CHECK(info.sources == sources);
}

TEST_CASE("case 88: Open MPI 5 is read without the variables that it dropped", "[launch][mpi]") {
  const LaunchInfo info = read_mpi(captured::openmpi5_in_batch);
  CHECK(info.rank == 3);
  CHECK(info.world_size == 6);
  CHECK(info.local_rank == 1);
  CHECK(info.job_id == "prterun-vm-29419@1");
  CHECK_FALSE(info.master_addr);
  CHECK_THAT(info.master_addr_help, ContainsSubstring("mpirun -x MASTER_ADDR="));
  CHECK(read_mpi(with(captured::openmpi5_in_batch, "MASTER_ADDR=n1")).master_addr == "n1");
}

TEST_CASE("case 10: the port has a default; the address of several hosts must be passed on", "[launch][mpi]") {
  const LaunchInfo passed = read_mpi(with(openmpi, "MASTER_ADDR=node01"));
  CHECK(passed.rank == 1);
  CHECK(passed.world_size == 2);
  CHECK(passed.local_rank == 1);
  CHECK(passed.master_addr == "node01");
  CHECK(passed.master_port == 29500);

  const LaunchInfo missing = read_mpi(openmpi);
  CHECK_FALSE(missing.master_addr);
  CHECK_THAT(missing.master_addr_help,
             ContainsSubstring("MASTER_ADDR isn't set") && ContainsSubstring("mpirun -x MASTER_ADDR=node01"));
  CHECK(read_mpi(with(openmpi, "MASTER_PORT=29666")).master_port == 29666);
}

TEST_CASE("case 92: all ranks on this host meet on the loopback, and no host name is looked up", "[launch][mpi]") {
  const LaunchInfo info = read_mpi(with(openmpi, "OMPI_COMM_WORLD_LOCAL_SIZE=2"));
  CHECK(info.master_addr == "127.0.0.1");
  CHECK(read_mpi(shell("PMI_RANK=0 PMI_SIZE=1")).master_addr == "127.0.0.1");
  CHECK(read_mpi(with(openmpi, "OMPI_COMM_WORLD_LOCAL_SIZE=2 MASTER_ADDR=node01")).master_addr == "node01");
}

TEST_CASE("each family's variables are read as a set", "[launch][mpi]") {
  struct Example {
    const char* variables;
    const char* passing;
    std::optional<int> local_size;
    std::optional<std::string> job;
  };
  const std::vector<Example> examples = {
      {"PMI_RANK=3 PMI_SIZE=6 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 PMI_FD=11", "mpiexec -genv MASTER_ADDR", 2, {}},
      {"MV2_COMM_WORLD_RANK=3 MV2_COMM_WORLD_SIZE=6 MV2_COMM_WORLD_LOCAL_RANK=1 MV2_COMM_WORLD_LOCAL_SIZE=2 PMI_ID=3",
       "mpirun_rsh",
       2,
       {}},
      {"MVP_COMM_WORLD_RANK=3 MVP_COMM_WORLD_SIZE=6 MVP_COMM_WORLD_LOCAL_RANK=1 MVP_COMM_WORLD_LOCAL_SIZE=2",
       "mpiexec -genv MASTER_ADDR",
       2,
       {}},
      {"PALS_RANKID=3 PMI_RANK=3 PMI_SIZE=6 PALS_LOCAL_RANKID=1 PALS_LOCAL_SIZE=2 PALS_APID=abc-1 PALS_NODEID=1",
       "mpiexec --env MASTER_ADDR", 2, "abc-1"},
      {"FLUX_TASK_RANK=3 FLUX_JOB_SIZE=6 FLUX_TASK_LOCAL_ID=1 FLUX_JOB_NNODES=3 FLUX_JOB_ID=\xC6\x92"
       "A1b PMI_RANK=3 PMI_SIZE=6",
       "flux run --env=MASTER_ADDR",
       {},
       "\xC6\x92"
       "A1b"},
      {"JSM_NAMESPACE_RANK=3 JSM_NAMESPACE_SIZE=6 JSM_NAMESPACE_LOCAL_RANK=1 JSM_NAMESPACE_LOCAL_SIZE=2 LSB_JOBID=7",
       "jsrun -E MASTER_ADDR", 2, "7"},
  };
  for (const auto& example : examples) {
    INFO(example.variables);
    const LaunchInfo info = read_mpi(shell(example.variables));
    CHECK(info.rank == 3);
    CHECK(info.world_size == 6);
    CHECK(info.local_rank == 1);
    CHECK(info.local_world_size == example.local_size);
    CHECK(info.job_id == example.job);
    CHECK_THAT(info.master_addr_help, ContainsSubstring(example.passing));
    CHECK(info.warnings.empty());
  }
}

TEST_CASE("PALS tells the node's number, and Flux the number of nodes", "[launch][mpi]") {
  CHECK(read_mpi(shell("PALS_RANKID=1 PALS_SIZE=2 PALS_LOCAL_RANKID=0 PALS_NODEID=1")).node_rank == 1);
  const LaunchInfo flux = read_mpi(shell("FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=1 FLUX_JOB_NNODES=1"));
  CHECK(flux.num_nodes == 1);
  CHECK(flux.master_addr == "127.0.0.1");
}

TEST_CASE("case 95: jsrun's variables are enough without Open MPI's", "[launch][mpi]") {
  const LaunchInfo info =
      read_mpi(shell("JSM_NAMESPACE_RANK=5 JSM_NAMESPACE_SIZE=12 JSM_NAMESPACE_LOCAL_RANK=5 LSB_JOBID=7"));
  CHECK(info.rank == 5);
  CHECK(info.world_size == 12);
  CHECK(info.local_rank == 5);
}

TEST_CASE("rank and size without a local rank are enough when mpi was asked for", "[launch][mpi]") {
  const LaunchInfo info = read_mpi(shell("PMI_RANK=1 PMI_SIZE=2 PMI_FD=5"));
  CHECK(info.rank == 1);
  CHECK(info.world_size == 2);
  CHECK_FALSE(info.local_rank);
}

TEST_CASE("a complete family wins over one that lacks its local rank", "[launch][mpi]") {
  const LaunchInfo info =
      read_mpi(shell("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 PMI_RANK=3 PMI_SIZE=6 MPI_LOCALRANKID=1"));
  CHECK(info.rank == 3);
  CHECK(info.world_size == 6);
  CHECK_THAT(warnings_of(info), ContainsSubstring("(Open MPI)"));
}

TEST_CASE("mpirun in a Slurm job: the MPI launcher's numbers are taken, not its daemon's", "[launch][mpi]") {
  for (const auto& variables : {captured::mpich_in_batch, captured::intel_in_batch, captured::openmpi5_in_batch}) {
    const LaunchInfo info = read_mpi(variables);
    CHECK(info.rank == 3);
    CHECK(info.world_size == 6);
    CHECK(info.local_rank == 1);
    CHECK(info.local_world_size == 2);
    CHECK(info.warnings.empty());
  }
}

TEST_CASE("an MPI program that srun itself started is read from Slurm's variables", "[launch][mpi]") {
  for (const auto& variables : {captured::srun_pmi2, captured::srun_pmix}) {
    const LaunchInfo info = read_mpi(variables);
    CHECK(info.launcher == "mpi");
    CHECK(info.rank == 1);
    CHECK(info.world_size == 2);
    CHECK(info.local_rank == 0);
    CHECK(info.local_world_size == 1);
    CHECK(info.num_nodes == 2);
    CHECK(info.master_addr == "n1");
    CHECK(info.warnings.empty());
  }
  const auto cray = with(captured::srun_pmi2, "PALS_RANKID=1 PALS_LOCAL_RANKID=0 PALS_LOCAL_SIZE=1 PALS_NODEID=1");
  CHECK(read_mpi(cray).master_addr == "n1");
}

TEST_CASE("case 16: outside MPI every known family is named, and the launcher that is there", "[launch][mpi]") {
  REQUIRE_THROWS_AS(read_mpi({}), LaunchError);
  REQUIRE_THROWS_WITH(read_mpi({}), ContainsSubstring("OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE (Open MPI)") &&
                                        ContainsSubstring("PMI_RANK, PMI_SIZE (MPICH or Intel MPI)") &&
                                        ContainsSubstring("mpirun"));
  REQUIRE_THROWS_WITH(read_mpi(captured::srun), ContainsSubstring("this looks like Slurm, use launcher \"slurm\""));
}

TEST_CASE("a family of which one variable is missing is named with it", "[launch][mpi]") {
  REQUIRE_THROWS_WITH(read_mpi(shell("OMPI_COMM_WORLD_RANK=0")),
                      ContainsSubstring("OMPI_COMM_WORLD_RANK is set and OMPI_COMM_WORLD_SIZE isn't"));
  REQUIRE_THROWS_WITH(read_mpi(shell("PMI_SIZE=2")), ContainsSubstring("PMI_SIZE is set and PMI_RANK isn't"));
}

TEST_CASE("PMIx alone tells no size, and the message says so", "[launch][mpi]") {
  REQUIRE_THROWS_WITH(read_mpi(shell("PMIX_RANK=1 PMIX_NAMESPACE=prterun-vm-1@1")),
                      ContainsSubstring("PMIx tells only PMIX_RANK"));
}

TEST_CASE("MPI's numbers are read strictly and must go together", "[launch][mpi]") {
  REQUIRE_THROWS_WITH(read_mpi(with(openmpi, "OMPI_COMM_WORLD_RANK=one")),
                      Catch::Matchers::StartsWith("OMPI_COMM_WORLD_RANK must be a whole number"));
  REQUIRE_THROWS_WITH(read_mpi(with(openmpi, "OMPI_COMM_WORLD_RANK=2")),
                      ContainsSubstring("OMPI_COMM_WORLD_RANK=2 must be below OMPI_COMM_WORLD_SIZE=2"));
  REQUIRE_THROWS_WITH(read_mpi(with(openmpi, "OMPI_COMM_WORLD_LOCAL_SIZE=4")),
                      ContainsSubstring("OMPI_COMM_WORLD_LOCAL_SIZE=4 must be at most OMPI_COMM_WORLD_SIZE=2"));
}

TEST_CASE("case 50: launcher mpi wins over RANK and WORLD_SIZE, with a warning that names both pairs",
          "[launch][mpi]") {
  const LaunchInfo info =
      read_mpi(shell("RANK=0 WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 MASTER_ADDR=n1"));
  CHECK(info.rank == 1);
  CHECK(info.world_size == 2);
  REQUIRE(info.warnings.size() == 1);
  CHECK_THAT(info.warnings[0], ContainsSubstring("OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=2 contradict RANK=0, "
                                                 "WORLD_SIZE=1"));
}
