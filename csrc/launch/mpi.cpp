/// @file
/// Launcher "mpi": mpirun, mpiexec and their like. One table row for each family of variables; MPI itself isn't asked.
#include <torch_dist_init/error.h>

#include <algorithm>

#include "launch/contradiction.h"
#include "launch/detect.h"
#include "launch/endpoint.h"
#include "launch/launchers.h"

namespace torch_dist_init::detail {
namespace {

struct MpiFamily {
  Family family;
  /// How a user gives MASTER_ADDR to all processes.
  std::string passing_master_addr;
  /// True if srun, too, sets these variables: for programs that ask MPI through a plugin of Slurm's.
  bool set_by_srun_too;
};

const std::vector<MpiFamily>& table() {
  // In each row: title, rank, size, local rank, local size, node, nodes, job, restarts.
  static const std::vector<MpiFamily> rows = {
      // OMPI_COMM_WORLD_NODE_RANK is left out: it counts the processes of a node, it doesn't count nodes.
      {{"Open MPI",
        {"OMPI_COMM_WORLD_RANK"},
        {"OMPI_COMM_WORLD_SIZE"},
        {"OMPI_COMM_WORLD_LOCAL_RANK"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE"},
        {},
        {},
        {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"},
        {}},
       "mpirun -x MASTER_ADDR=node01 ./program",
       false},
      {{"MVAPICH2",
        {"MV2_COMM_WORLD_RANK"},
        {"MV2_COMM_WORLD_SIZE"},
        {"MV2_COMM_WORLD_LOCAL_RANK"},
        {"MV2_COMM_WORLD_LOCAL_SIZE"},
        {},
        {},
        {},
        {}},
       "mpirun_rsh -np 4 -hostfile hosts MASTER_ADDR=node01 ./program",
       false},
      {{"MVAPICH 3",
        {"MVP_COMM_WORLD_RANK"},
        {"MVP_COMM_WORLD_SIZE"},
        {"MVP_COMM_WORLD_LOCAL_RANK"},
        {"MVP_COMM_WORLD_LOCAL_SIZE"},
        {},
        {},
        {},
        {}},
       "mpiexec -genv MASTER_ADDR node01 ./program",
       false},
      {{"MPICH or Intel MPI", {"PMI_RANK"}, {"PMI_SIZE"}, {"MPI_LOCALRANKID"}, {"MPI_LOCALNRANKS"}, {}, {}, {}, {}},
       "mpiexec -genv MASTER_ADDR node01 ./program",
       false},
      {{"Cray PALS",
        {"PALS_RANKID"},
        {"PALS_SIZE", "PMI_SIZE"},
        {"PALS_LOCAL_RANKID"},
        {"PALS_LOCAL_SIZE"},
        {"PALS_NODEID"},
        {},
        {"PALS_APID"},
        {}},
       "mpiexec --env MASTER_ADDR=node01 ./program",
       true},
      {{"Flux",
        {"FLUX_TASK_RANK"},
        {"FLUX_JOB_SIZE"},
        {"FLUX_TASK_LOCAL_ID"},
        {},
        {},
        {"FLUX_JOB_NNODES"},
        {"FLUX_JOB_ID"},
        {}},
       "flux run --env=MASTER_ADDR=node01 ./program",
       false},
      {{"jsrun",
        {"JSM_NAMESPACE_RANK"},
        {"JSM_NAMESPACE_SIZE"},
        {"JSM_NAMESPACE_LOCAL_RANK"},
        {"JSM_NAMESPACE_LOCAL_SIZE"},
        {},
        {},
        {"LSB_JOBID"},
        {}},
       "jsrun -E MASTER_ADDR=node01 ./program",
       false},
  };
  return rows;
}

/// True if Slurm's own variables tell the same rank and size.
bool agrees_with_slurm(const Environment& environment, const Family& family) {
  const auto mpi = claim_of(environment, family);
  const auto slurm = claim_of(environment, slurm_family(environment));
  return is_slurm_task(environment) && mpi && slurm && agree(*mpi, *slurm);
}

const MpiFamily* find_complete(const Environment& environment) {
  for (const MpiFamily& row : table()) {
    if (is_complete(environment, row.family) && !(row.set_by_srun_too && agrees_with_slurm(environment, row.family))) {
      return &row;
    }
  }
  return nullptr;
}

const MpiFamily* find_pair(const Environment& environment) {
  for (const MpiFamily& row : table()) {
    if (has_pair(environment, row.family)) {
      return &row;
    }
  }
  return nullptr;
}

/// True if srun started this process as an MPI program, without mpirun: `srun --mpi=pmi2`, `--mpi=pmix`.
bool is_started_by_srun(const Environment& environment) {
  const MpiFamily* pair = find_pair(environment);
  if (pair != nullptr) {
    return agrees_with_slurm(environment, pair->family);
  }
  const auto rank = environment.get("PMIX_RANK");
  return rank && is_slurm_task(environment) && rank == environment.get("SLURM_PROCID");
}

std::string what_is_missing(const Environment& environment) {
  for (const MpiFamily& row : table()) {
    const auto rank = first_set(environment, row.family.rank);
    const auto size = first_set(environment, row.family.world_size);
    if (rank || size) {
      return "launcher \"mpi\" needs rank and size of one MPI launcher, but of " + row.family.title + "'s variables " +
             (rank ? *rank : *size) + " is set and " + (rank ? row.family.world_size : row.family.rank).front() +
             " isn't. Start the program with mpirun or mpiexec" + hint_at_other_launcher(environment, "mpi");
    }
  }
  if (environment.has("PMIX_RANK")) {
    return "launcher \"mpi\" needs rank and size, but PMIx tells only PMIX_RANK in the environment, not the size. "
           "Start "
           "the program with mpirun or mpiexec, or set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT and "
           "use launcher \"pytorch\"" +
           hint_at_other_launcher(environment, "mpi");
  }
  std::string names;
  for (const MpiFamily& row : table()) {
    names += (names.empty() ? "" : "; ") + row.family.rank.front() + ", " + row.family.world_size.front() + " (" +
             row.family.title + ")";
  }
  return "launcher \"mpi\" needs rank and size of one MPI launcher, but none is set. It knows " + names +
         ". Start the program with mpirun or mpiexec" + hint_at_other_launcher(environment, "mpi");
}

/// MPI launchers don't tell where rank 0 runs, unless all ranks run here.
void read_address(const Environment& environment, const MpiFamily& row, LaunchInfo& info) {
  read_master_addr(environment, info);
  if (info.master_addr) {
    return;
  }
  if (info.world_size == 1 || info.num_nodes == 1 || info.local_world_size == info.world_size) {
    info.master_addr = "127.0.0.1";
    info.sources["master_addr"] = "default, since all ranks are on this host";
    return;
  }
  info.master_addr_help = "MASTER_ADDR isn't set, and " + row.family.title +
                          " doesn't tell on which host rank 0 runs. Set it to that host for all processes, as in: " +
                          row.passing_master_addr;
}

}  // namespace

std::vector<const Family*> mpi_families() {
  std::vector<const Family*> families;
  for (const MpiFamily& row : table()) {
    families.push_back(&row.family);
  }
  return families;
}

const Family* complete_mpi_family(const Environment& environment) {
  const MpiFamily* row = find_complete(environment);
  return row == nullptr ? nullptr : &row->family;
}

LaunchInfo read_mpi(const Environment& environment) {
  const MpiFamily* row = find_complete(environment);
  if (row == nullptr && is_started_by_srun(environment)) {
    return read_slurm(environment);
  }
  if (row == nullptr) {
    row = find_pair(environment);
  }
  if (row == nullptr) {
    throw LaunchError(what_is_missing(environment));
  }
  LaunchInfo info = read_family(environment, row->family);
  read_address(environment, *row, info);
  read_master_port(environment, info);
  use_default_port(info);
  warn_of_contradictions(environment, info);
  return info;
}

}  // namespace torch_dist_init::detail
