/// @file
/// Launcher "pytorch": the variables of torchrun, of Kubernetes' PyTorchJob, or set by hand.
#include <torch_dist_init/error.h>

#include <limits>

#include "launch/contradiction.h"
#include "launch/detect.h"
#include "launch/endpoint.h"
#include "launch/integer.h"
#include "launch/launchers.h"

namespace torch_dist_init::detail {
namespace {

/// Whether each pod of a Kubernetes job is meant to run one process only, and the variable that says so.
struct ProcessesPerPod {
  bool only_one;
  std::string source;
};

/// What the job's own variables say about the processes of one pod; nothing outside such a job. PET_ variables are
/// torchrun's arguments: the pod expects torchrun to be started in it.
std::optional<ProcessesPerPod> processes_per_pod(const Environment& environment, int world_size) {
  constexpr std::uint64_t max_count = std::numeric_limits<int>::max();
  for (const char* name : {"PET_NPROC_PER_NODE", "NPROC_PER_NODE"}) {
    const auto text = environment.get(name);
    // torchrun also takes words here, such as "auto" and "gpu"; then the number of pods tells.
    const auto count = parse_decimal(text.value_or(""), max_count);
    if (count && *count > 0) {
      return ProcessesPerPod{*count == 1, std::string(name) + "=" + *text};
    }
  }
  const auto text = environment.get("PET_NNODES");
  const auto pods = parse_decimal(text.value_or(""), max_count);
  if (pods && *pods > 0) {
    return ProcessesPerPod{*pods >= static_cast<std::uint64_t>(world_size), "PET_NNODES=" + *text};
  }
  return std::nullopt;
}

/// PyTorchJob sets RANK, but not LOCAL_RANK: its RANK is the pod's number, and its WORLD_SIZE counts processes.
void complete_from_pod(const Environment& environment, LaunchInfo& info) {
  const auto processes = processes_per_pod(environment, info.world_size);
  if (!processes) {
    return;
  }
  if (!processes->only_one) {
    throw LaunchError("RANK and WORLD_SIZE are set without LOCAL_RANK, and " + processes->source +
                      " with WORLD_SIZE=" + std::to_string(info.world_size) +
                      " means several processes a pod: RANK is the pod's number, not the process's. Start the program "
                      "with torchrun in each pod, or set LOCAL_RANK if RANK does count processes");
  }
  const std::string source = "one process a pod (" + processes->source + ")";
  info.local_rank = 0;
  info.local_world_size = 1;
  info.node_rank = info.rank;
  info.num_nodes = info.world_size;
  for (const char* field : {"local_rank", "local_world_size", "node_rank", "num_nodes"}) {
    info.sources[field] = source;
  }
}

/// The agent's store is used only where it is certain to be: at the address and port that the agent set.
void read_agent_store(const Environment& environment, LaunchInfo& info) {
  const char* name = "TORCHELASTIC_USE_AGENT_STORE";
  if (!environment.has(name)) {
    return;
  }
  info.sources["agent_store"] = name;
  // torchrun writes Python's True or False; torch.distributed compares with exactly this word.
  if (environment.get(name) != "True") {
    return;
  }
  info.agent_store = environment.has("MASTER_ADDR") && environment.has("MASTER_PORT");
  if (!info.agent_store) {
    info.warnings.push_back(std::string(name) +
                            "=True, but MASTER_ADDR and MASTER_PORT aren't both set, so that nobody knows where the "
                            "agent serves: rank 0 serves the store instead");
  }
}

std::string what_is_missing(const Environment& environment) {
  const bool has_rank = environment.has("RANK");
  const bool has_size = environment.has("WORLD_SIZE");
  std::string message = "launcher \"pytorch\" needs RANK and WORLD_SIZE, but ";
  message += has_rank ? "WORLD_SIZE isn't set" : has_size ? "RANK isn't set" : "neither is set";
  if (environment.has("PET_NNODES")) {
    return message +
           ". PET_NNODES is set: this pod expects torchrun, so start the program with torchrun --no-python ./program";
  }
  return message +
         ". Start the program with torchrun --no-python ./program, or set RANK, WORLD_SIZE, MASTER_ADDR and "
         "MASTER_PORT for each process; for a single process use launcher \"none\"" +
         hint_at_other_launcher(environment, "pytorch");
}

}  // namespace

const Family& torchrun_family() {
  static const Family family = {
      "torchrun",
      {"RANK"},
      {"WORLD_SIZE"},
      {"LOCAL_RANK"},
      {"LOCAL_WORLD_SIZE"},
      {"GROUP_RANK"},
      {"GROUP_WORLD_SIZE"},
      {"TORCHELASTIC_RUN_ID"},
      {"TORCHELASTIC_RESTART_COUNT"},
  };
  return family;
}

LaunchInfo read_pytorch(const Environment& environment) {
  if (!has_pair(environment, torchrun_family())) {
    throw LaunchError(what_is_missing(environment));
  }
  LaunchInfo info = read_family(environment, torchrun_family());
  if (!info.local_rank) {
    complete_from_pod(environment, info);
  }
  read_master_addr(environment, info);
  read_master_port(environment, info);
  use_default_port(info);
  read_agent_store(environment, info);
  if (!info.master_addr) {
    info.master_addr_help =
        "MASTER_ADDR isn't set: set it, to the same value for every process, to the host name or IP address of the "
        "host where rank 0 runs (127.0.0.1 if all run on this host)";
  }
  warn_of_contradictions(environment, info);
  return info;
}

}  // namespace torch_dist_init::detail
