/// @file
/// Launcher "slurm": ranks and sizes.
#include <torch_dist_init/error.h>

#include "captured.h"
#include "catch.h"

using namespace torch_dist_init;

namespace {

LaunchInfo read_slurm(const Variables& variables) { return read("slurm", variables); }

/// The smallest environment that people test with: no step variables.
const Variables minimal = shell("SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_LOCALID=0 SLURM_NODELIST=node[01-02]");

}  // namespace

TEST_CASE("a task of srun is read with all its numbers, each with its source", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::srun);
  CHECK(info.launcher == "slurm");
  CHECK(info.rank == 2);
  CHECK(info.world_size == 3);
  CHECK(info.local_rank == 0);
  CHECK(info.local_world_size == 1);
  CHECK(info.node_rank == 1);
  CHECK(info.num_nodes == 2);
  CHECK(info.master_addr == "n1");
  CHECK(info.master_port == 61001);
  CHECK(info.job_id == "1.0");
  CHECK_FALSE(info.restart_count);
  CHECK_FALSE(info.agent_store);
  CHECK(info.warnings.empty());
  const std::map<std::string, std::string> sources = {
      {"launcher", "argument"},
      {"rank", "SLURM_PROCID"},
      {"world_size", "SLURM_STEP_NUM_TASKS"},
      {"local_rank", "SLURM_LOCALID"},
      {"local_world_size", "SLURM_STEP_TASKS_PER_NODE at SLURM_NODEID"},
      {"node_rank", "SLURM_NODEID"},
      {"num_nodes", "SLURM_STEP_NUM_NODES"},
      {"master_addr", "first host of SLURM_STEP_NODELIST"},
      {"master_port", "61000 + (SLURM_JOB_ID + 2803 * SLURM_STEP_ID) % 4536"},
      {"job_id", "SLURM_JOB_ID, SLURM_STEP_ID"},
  };
  CHECK(info.sources == sources);
}

TEST_CASE("srun in a batch script is read from the step's variables", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::srun_in_batch);
  CHECK(info.rank == 1);
  CHECK(info.world_size == 6);
  CHECK(info.local_rank == 1);
  CHECK(info.local_world_size == 2);
  CHECK(info.node_rank == 0);
  CHECK(info.num_nodes == 3);
  CHECK(info.master_addr == "n1");
  CHECK(info.warnings.empty());
}

TEST_CASE("case 82: a step smaller than its job, on other nodes, is its own world", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::smaller_step);
  CHECK(info.rank == 1);
  CHECK(info.world_size == 2);
  CHECK(info.local_rank == 0);
  CHECK(info.local_world_size == 1);
  CHECK(info.node_rank == 1);
  CHECK(info.num_nodes == 2);
  CHECK(info.master_addr == "n2");
  CHECK(info.warnings.empty());

  const std::string step = "SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NODELIST=n[3-4] SLURM_PROCID=1 SLURM_LOCALID=0 ";
  for (const char* job : {"SLURM_NTASKS=8 SLURM_JOB_NODELIST=n[1-4]", "SLURM_JOB_NODELIST=n[1-4]",
                          "SLURM_NTASKS=1 SLURM_NTASKS_PER_NODE=2 SLURM_NNODES=4 SLURM_NODELIST=n[1-4]"}) {
    INFO(job);
    const LaunchInfo small = read_slurm(shell(step + job));
    CHECK(small.rank == 1);
    CHECK(small.world_size == 2);
    CHECK(small.master_addr == "n3");
  }
}

TEST_CASE("nodes with different numbers of tasks have different local sizes", "[launch][slurm]") {
  const LaunchInfo last = read_slurm(captured::uneven_step);
  CHECK(last.rank == 6);
  CHECK(last.local_world_size == 1);
  CHECK(last.node_rank == 3);
  CHECK(last.num_nodes == 4);
  CHECK(last.master_addr == "n1");
  const LaunchInfo first = read_slurm(with(captured::uneven_step, "SLURM_PROCID=2 SLURM_LOCALID=2 SLURM_NODEID=0"));
  CHECK(first.local_world_size == 4);
  CHECK(first.local_rank == 2);
}

TEST_CASE("a cyclic distribution keeps Slurm's local rank", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::cyclic_step);
  CHECK(info.rank == 2);
  CHECK(info.local_rank == 1);
  CHECK(info.local_world_size == 3);
  CHECK(info.master_addr == "n1");
}

TEST_CASE("a list of tasks per node that doesn't fit the step doesn't count", "[launch][slurm]") {
  Variables variables;
  for (const char* list : {"4(x30)", "4,4", "2,1,1"}) {
    INFO(list);
    variables = with(captured::cyclic_step, std::string("SLURM_STEP_TASKS_PER_NODE=") + list);
    CHECK(read_slurm(variables).local_world_size == 3);
    CHECK(read_slurm(variables).sources.at("local_world_size") == "number of ranks in SLURM_GTIDS");
  }
  variables["SLURM_GTIDS"] = "";
  CHECK_FALSE(read_slurm(variables).local_world_size);
  variables["SLURM_GTIDS"] = "0-3";
  CHECK_FALSE(read_slurm(variables).local_world_size);
}

TEST_CASE("case 83: the job's tasks per node are read only where the step's are missing", "[launch][slurm]") {
  CHECK(read_slurm(with(captured::srun, "SLURM_TASKS_PER_NODE=nonsense")).local_world_size == 1);
  const auto job = with(minimal, "SLURM_NTASKS=8 SLURM_NNODES=2 SLURM_NODEID=1");
  CHECK(read_slurm(with(job, "SLURM_TASKS_PER_NODE=4(x2)")).local_world_size == 4);
  CHECK_FALSE(read_slurm(with(job, "SLURM_TASKS_PER_NODE=")).local_world_size);
  REQUIRE_THROWS_WITH(read_slurm(with(job, "SLURM_TASKS_PER_NODE=4(x")),
                      Catch::Matchers::StartsWith("SLURM_TASKS_PER_NODE is no list of tasks per node"));
}

TEST_CASE("case 8: uneven nodes: the local rank is Slurm's, never derived from the rank", "[launch][slurm]") {
  const LaunchInfo info =
      read_slurm(shell("SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=8 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_NUM_NODES=2 "
                       "SLURM_STEP_TASKS_PER_NODE=5,3 SLURM_STEP_NODELIST=n[1-2]"));
  CHECK(info.local_rank == 0);
  CHECK(info.local_world_size == 3);
}

TEST_CASE("case 14: the job's variables alone are enough for rank, size, local rank and address", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(shell("SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_NODELIST=n[1-2]"));
  CHECK(info.rank == 5);
  CHECK(info.world_size == 8);
  CHECK(info.local_rank == 1);
  CHECK(info.master_addr == "n1");
  CHECK_THAT(warnings_of(info), ContainsSubstring("SLURM_STEP_NUM_TASKS isn't set: took the job's SLURM_NTASKS"));
  CHECK(read_slurm(shell("SLURM_PROCID=1 SLURM_NPROCS=2 SLURM_NODELIST=n[1-2]")).world_size == 2);
}

TEST_CASE("an allocation with more nodes than tasks is no contradiction", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(with(minimal, "SLURM_NNODES=4"));
  CHECK(info.world_size == 2);
  CHECK_FALSE(info.num_nodes);
}

TEST_CASE("a batch script itself is refused, unless its job is a single task", "[launch][slurm]") {
  REQUIRE_THROWS_AS(read_slurm(captured::batch_script), LaunchError);
  REQUIRE_THROWS_WITH(read_slurm(captured::batch_script),
                      Catch::Matchers::StartsWith("this is the batch script itself") &&
                          ContainsSubstring("SLURM_NTASKS=6") && ContainsSubstring("srun"));
  // Any one sign is enough: containers drop variables. From Slurm 26.05 on a batch script has a step number below zero.
  for (const char* sign : {"ENVIRONMENT=BATCH", "SLURM_GTIDS=0", "SLURM_STEP_ID=-5", "SLURM_STEP_ID=4294967291"}) {
    INFO(sign);
    REQUIRE_THROWS_WITH(read_slurm(with(minimal, sign)),
                        Catch::Matchers::StartsWith("this is the batch script itself"));
  }
  const LaunchInfo single = read_slurm(with(captured::batch_script, "SLURM_NTASKS=1 SLURM_NNODES=1"));
  CHECK(single.world_size == 1);
  CHECK(single.master_addr == "127.0.0.1");
}

TEST_CASE("a shell of salloc or ssh, where no step runs, is refused at once", "[launch][slurm]") {
  REQUIRE_THROWS_AS(read_slurm(captured::salloc_shell), LaunchError);
  REQUIRE_THROWS_WITH(read_slurm(captured::salloc_shell), ContainsSubstring("SLURM_PROCID isn't set") &&
                                                              ContainsSubstring("inside Slurm job 3") &&
                                                              ContainsSubstring("Start the program with srun"));
  REQUIRE_THROWS_WITH(read_slurm(shell("SLURM_JOB_ID=7")), ContainsSubstring("inside Slurm job 7"));
}

TEST_CASE("case 16: outside Slurm the missing variables are named, and the launcher that is there", "[launch][slurm]") {
  REQUIRE_THROWS_WITH(read_slurm({}),
                      "launcher \"slurm\" needs SLURM_PROCID and SLURM_STEP_NUM_TASKS (or SLURM_NTASKS), "
                      "but none of them is set. Start the program with srun");
  REQUIRE_THROWS_WITH(read_slurm(shell("SLURM_PROCID=0")), ContainsSubstring("but neither of the latter is set"));
  REQUIRE_THROWS_WITH(read_slurm(shell("RANK=0 WORLD_SIZE=2 LOCAL_RANK=0")),
                      ContainsSubstring("this looks like torchrun, use launcher \"pytorch\""));
  REQUIRE_THROWS_WITH(read_slurm(shell("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0")),
                      ContainsSubstring("this looks like Open MPI, use launcher \"mpi\""));
}

TEST_CASE("an interactive step is a world of one, whatever its job's size", "[launch][slurm]") {
  for (const char* id : {"SLURM_STEP_ID=4294967290", "SLURM_STEP_ID=-6"}) {
    INFO(id);
    const LaunchInfo info = read_slurm(with(captured::interactive_step, id));
    CHECK(info.rank == 0);
    CHECK(info.world_size == 1);
    CHECK(info.local_world_size == 1);
    CHECK(info.num_nodes == 1);
    CHECK(info.master_addr == "127.0.0.1");
    CHECK(info.warnings.empty());
  }
}

TEST_CASE("srun -E leaves the job's numbers, and the step's are taken", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::preserved_environment);
  CHECK(info.rank == 0);
  CHECK(info.world_size == 1);
  CHECK(info.num_nodes == 1);
  CHECK(info.local_world_size == 1);
}

TEST_CASE("srun --pty with several tasks is read with a warning", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::srun_pty);
  CHECK(info.world_size == 4);
  CHECK_THAT(warnings_of(info), ContainsSubstring("srun --pty"));
}

TEST_CASE("case 86: a step over all parts of a heterogeneous job is one world", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::heterogeneous_step);
  CHECK(info.rank == 3);
  CHECK(info.world_size == 4);
  CHECK(info.local_rank == 0);
  CHECK(info.local_world_size == 1);
  CHECK(info.node_rank == 2);
  CHECK(info.num_nodes == 3);
  CHECK(info.master_addr == "n1");
}

TEST_CASE("case 86: a heterogeneous job whose variables tell one part only is refused", "[launch][slurm]") {
  const auto variables = shell(
      "SLURM_HET_SIZE=2 SLURM_JOB_NODELIST_HET_GROUP_0=a[1-2] SLURM_JOB_NODELIST_HET_GROUP_1=b1 SLURM_JOB_NODELIST=b1 "
      "SLURM_PROCID=2 SLURM_NTASKS=1");
  REQUIRE_THROWS_AS(read_slurm(variables), LaunchError);
  REQUIRE_THROWS_WITH(read_slurm(variables),
                      ContainsSubstring("heterogeneous job of 2 parts") && ContainsSubstring("--het-group=0-1"));
}

TEST_CASE("an element of a job array is a job of its own", "[launch][slurm]") {
  const std::string array = "SLURM_ARRAY_JOB_ID=17 ";
  const LaunchInfo fifth = read_slurm(with(captured::srun, array + "SLURM_JOB_ID=18 SLURM_ARRAY_TASK_ID=5"));
  const LaunchInfo sixth = read_slurm(with(captured::srun, array + "SLURM_JOB_ID=17 SLURM_ARRAY_TASK_ID=6"));
  CHECK(fifth.job_id == "18.0");
  CHECK(sixth.job_id == "17.0");
  CHECK(fifth.master_port != sixth.master_port);
}

TEST_CASE("a requeued job tells how often it was restarted", "[launch][slurm]") {
  CHECK(read_slurm(with(captured::srun, "SLURM_RESTART_COUNT=1")).restart_count == 1);
}

TEST_CASE("Slurm's numbers are read strictly and must go together", "[launch][slurm]") {
  for (const char* name : {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NODEID",
                           "SLURM_STEP_NUM_NODES", "SLURM_RESTART_COUNT"}) {
    INFO(name);
    REQUIRE_THROWS_WITH(read_slurm(with(captured::srun, std::string(name) + "=2x")),
                        Catch::Matchers::StartsWith(std::string(name) + " must be a whole number"));
  }
  REQUIRE_THROWS_WITH(read_slurm(with(captured::srun, "SLURM_PROCID=3")),
                      ContainsSubstring("SLURM_PROCID=3 must be below SLURM_STEP_NUM_TASKS=3"));
}

TEST_CASE("case 35: launcher slurm ignores an exported RANK, with a warning that names both pairs", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::leftover_rank);
  CHECK(info.rank == 2);
  CHECK(info.world_size == 4);
  CHECK_THAT(warnings_of(info),
             ContainsSubstring("SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=4 contradict RANK=0, WORLD_SIZE=1"));
}

TEST_CASE("case 89: launcher slurm under mpirun warns that it takes the daemon's numbers", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(captured::openmpi4_in_batch);
  CHECK(info.rank == 2);
  CHECK(info.world_size == 3);
  REQUIRE(info.warnings.size() == 1);
  CHECK_THAT(info.warnings[0], ContainsSubstring("SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=3 contradict "
                                                 "OMPI_COMM_WORLD_RANK=5, OMPI_COMM_WORLD_SIZE=6 (Open MPI)"));
  CHECK_THAT(warnings_of(read_slurm(captured::mpich_in_batch)), ContainsSubstring("SLURM_EXTERNAL_LAUNCHER"));
}

TEST_CASE("the nodes of other ranks are known where ranks fill one node after the other", "[launch][slurm]") {
  const Variables five = shell(
      "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=5 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_NUM_NODES=3 "
      "SLURM_STEP_NODELIST=n[1-3] SLURM_STEP_TASKS_PER_NODE=3,1(x2) SLURM_JOB_ID=7 SLURM_STEP_ID=0");
  const auto node_of_rank = read_slurm(five).node_of_rank;
  REQUIRE(node_of_rank);
  CHECK(node_of_rank(0) == "n1");
  CHECK(node_of_rank(2) == "n1");
  CHECK(node_of_rank(3) == "n2");
  CHECK(node_of_rank(4) == "n3");
  CHECK_FALSE(node_of_rank(5));
  // Where this rank isn't at its place, or the launcher says otherwise, nothing is told.
  CHECK_FALSE(read_slurm(with(five, "SLURM_NODEID=2")).node_of_rank);
  CHECK_FALSE(read_slurm(with(five, "SLURM_DISTRIBUTION=cyclic")).node_of_rank);
  CHECK_FALSE(read_slurm(with(five, "SLURM_STEP_TASKS_PER_NODE=4")).node_of_rank);
}
