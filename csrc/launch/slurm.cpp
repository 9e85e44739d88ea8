/// @file
/// Launcher "slurm": a task that srun started. Every number comes from the step's variables, and from the job's only
/// where the step's are missing: a step may be smaller than its job, and on other nodes.
#include <torch_dist_init/error.h>

#include <algorithm>

#include "launch/contradiction.h"
#include "launch/detect.h"
#include "launch/integer.h"
#include "launch/launchers.h"
#include "launch/slurm_endpoint.h"
#include "launch/slurm_nodes.h"
#include "launch/tasks_per_node.h"

namespace torch_dist_init::detail {
namespace {

bool has_step_variables(const Environment& environment) { return environment.has("SLURM_STEP_NUM_TASKS"); }

/// True for the steps that Slurm makes without srun: interactive, batch, extern ... Their numbers are the last ones
/// below 2^32; from Slurm 26.05 on they are printed as negative numbers.
bool is_special_step(const Environment& environment) {
  constexpr std::uint64_t first_special = 0xFFFFFFF0;
  const std::string id = environment.get("SLURM_STEP_ID").value_or("");
  return id.rfind('-', 0) == 0 || parse_decimal(id, UINT32_MAX).value_or(0) >= first_special;
}

/// True in a batch script itself, where Slurm sets SLURM_PROCID=0 and SLURM_NTASKS=N although there is one process.
bool is_batch_script(const Environment& environment) {
  if (has_step_variables(environment) || environment.has("SLURM_STEP_NODELIST")) {
    return false;
  }
  // Slurm says of a batch script that it is the only task here, even if the node is to get more.
  return environment.get("ENVIRONMENT") == "BATCH" || environment.get("SLURM_GTIDS") == "0" ||
         is_special_step(environment);
}

std::string what_is_missing(const Environment& environment) {
  const bool has_size = first_set(environment, slurm_family(environment).world_size).has_value();
  std::string message = "launcher \"slurm\" needs SLURM_PROCID and SLURM_STEP_NUM_TASKS (or SLURM_NTASKS), but ";
  message += environment.has("SLURM_PROCID") ? "neither of the latter is set"
             : has_size                      ? "SLURM_PROCID isn't set"
                                             : "none of them is set";
  if (const auto job = environment.get("SLURM_JOB_ID")) {
    message += ". This is a shell inside Slurm job " + *job + ", not one of its tasks";
  }
  return message + ". Start the program with srun" + hint_at_other_launcher(environment, "slurm");
}

/// Refuses what has a rank and a size but is no task of a world of that size.
void refuse_without_step(const Environment& environment, const LaunchInfo& info) {
  if (is_batch_script(environment) && info.world_size > 1) {
    throw LaunchError("this is the batch script itself, not one of its tasks: SLURM_PROCID=0 and " +
                      info.sources.at("world_size") + "=" + std::to_string(info.world_size) +
                      " are set, but no SLURM_STEP_NUM_TASKS. Start the program with srun, or use launcher \"none\" "
                      "for a single process" +
                      hint_at_other_launcher(environment, "slurm"));
  }
  const auto parts = read_integer(environment, "SLURM_HET_SIZE", 0, 1'000'000);
  if (parts.value_or(1) > 1 && !has_step_variables(environment)) {
    throw LaunchError("this is a heterogeneous job of " + std::to_string(*parts) +
                      " parts (SLURM_HET_SIZE), and without SLURM_STEP_NUM_TASKS its variables tell one part only. "
                      "Start one step over all parts with srun --het-group=0-" +
                      std::to_string(*parts - 1) +
                      ", or set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT and use launcher "
                      "\"pytorch\"");
  }
}

/// The number of tasks on this node, from the list of tasks per node at this node's place. The list counts only if it
/// fits the step: some versions of Slurm leave the job's list there.
std::optional<int> tasks_from_list(const Environment& environment, const LaunchInfo& info, const std::string& name) {
  const auto text = environment.get(name);
  if (!text || !info.node_rank) {
    return std::nullopt;
  }
  const TasksPerNode tasks = parse_tasks_per_node(*text, name);
  if (tasks.num_tasks != info.world_size || (info.num_nodes && tasks.num_nodes != *info.num_nodes)) {
    return std::nullopt;
  }
  return tasks.at(*info.node_rank);
}

void read_local_world_size(const Environment& environment, LaunchInfo& info) {
  const std::string list = has_step_variables(environment) ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
  info.local_world_size = tasks_from_list(environment, info, list);
  if (info.local_world_size) {
    info.sources["local_world_size"] = list + " at SLURM_NODEID";
    return;
  }
  // The ranks of this node, as "0,2,3".
  const std::string ranks = environment.get("SLURM_GTIDS").value_or("");
  if (!ranks.empty() && ranks.find_first_not_of("0123456789,") == std::string::npos) {
    info.local_world_size = static_cast<int>(std::count(ranks.begin(), ranks.end(), ',')) + 1;
    info.sources["local_world_size"] = "number of ranks in SLURM_GTIDS";
  }
}

void warn(const Environment& environment, LaunchInfo& info) {
  if (!has_step_variables(environment)) {
    info.warnings.push_back("SLURM_STEP_NUM_TASKS isn't set: took the job's " + info.sources.at("world_size") +
                            ", which is wrong if this step is smaller than its job");
  }
  if (environment.has("SLURM_PTY_PORT") && info.world_size > 1) {
    info.warnings.push_back("this step has a terminal (srun --pty) and " + std::to_string(info.world_size) +
                            " tasks, of which a shell is only the first: a program started in that shell waits for "
                            "the others in vain");
  }
  if (environment.has("SLURM_EXTERNAL_LAUNCHER")) {
    info.warnings.push_back(
        "SLURM_EXTERNAL_LAUNCHER is set: this step was started by an MPI launcher for its own daemons, whose numbers "
        "these are; use launcher \"mpi\"");
  }
  warn_of_contradictions(environment, info);
}

}  // namespace

const Family& slurm_family(const Environment& environment) {
  static const Family step = {
      "Slurm",
      {"SLURM_PROCID"},
      {"SLURM_STEP_NUM_TASKS"},
      {"SLURM_LOCALID"},
      {},
      {"SLURM_NODEID"},
      {"SLURM_STEP_NUM_NODES"},
      {},
      {"SLURM_RESTART_COUNT"},
  };
  static const Family job = {
      "Slurm",
      {"SLURM_PROCID"},
      {"SLURM_NTASKS", "SLURM_NPROCS"},
      {"SLURM_LOCALID"},
      {},
      {"SLURM_NODEID"},
      {"SLURM_NNODES"},
      {},
      {"SLURM_RESTART_COUNT"},
  };
  return has_step_variables(environment) ? step : job;
}

bool is_slurm_task(const Environment& environment) {
  if (environment.has("SLURM_EXTERNAL_LAUNCHER") || is_special_step(environment)) {
    return false;
  }
  if (has_step_variables(environment)) {
    return environment.has("SLURM_PROCID");
  }
  return is_complete(environment, slurm_family(environment)) && environment.has("SLURM_NODELIST") &&
         !is_batch_script(environment);
}

LaunchInfo read_slurm(const Environment& environment) {
  const Family& family = slurm_family(environment);
  if (!has_pair(environment, family)) {
    throw LaunchError(what_is_missing(environment));
  }
  LaunchInfo info = read_family(environment, family);
  refuse_without_step(environment, info);
  if (!has_step_variables(environment) && info.num_nodes > info.world_size) {
    // An allocation may have more nodes than tasks.
    info.num_nodes.reset();
    info.sources.erase("num_nodes");
  }
  read_local_world_size(environment, info);
  read_slurm_job_and_port(environment, info);
  read_slurm_address(environment, info);
  read_slurm_nodes(environment, info);
  warn(environment, info);
  return info;
}

}  // namespace torch_dist_init::detail
