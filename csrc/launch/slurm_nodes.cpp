/// @file
/// Which node of a Slurm step runs which rank, for messages.
#include "launch/slurm_nodes.h"

#include <torch_dist_init/error.h>

#include "launch/hostlist.h"
#include "launch/tasks_per_node.h"

namespace torch_dist_init::detail {
namespace {

/// The place in the node list of the node that runs `rank`; nothing if there are fewer ranks.
std::optional<int> node_number(const TasksPerNode& tasks, int rank) {
  int node = 0;
  for (const TasksPerNode::Run& run : tasks.runs) {
    if (run.tasks > 0 && rank / run.tasks < run.nodes) {
      return node + rank / run.tasks;
    }
    rank -= run.tasks * run.nodes;
    node += run.nodes;
  }
  return std::nullopt;
}

std::optional<std::string> node_name(const std::string& list, int node) {
  try {
    const auto hosts = expand_host_list(list, "SLURM_STEP_NODELIST");
    return hosts.at(static_cast<std::size_t>(node));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<TasksPerNode> step_tasks(const Environment& environment) {
  const auto text = environment.get("SLURM_STEP_TASKS_PER_NODE");
  try {
    return text ? std::optional(parse_tasks_per_node(*text, "SLURM_STEP_TASKS_PER_NODE")) : std::nullopt;
  } catch (const LaunchError&) {
    return std::nullopt;
  }
}

}  // namespace

void read_slurm_nodes(const Environment& environment, LaunchInfo& info) {
  const auto nodes = environment.get("SLURM_STEP_NODELIST");
  const auto tasks = step_tasks(environment);
  const bool is_block = environment.get("SLURM_DISTRIBUTION").value_or("block").rfind("block", 0) == 0;
  if (!nodes || !tasks || !is_block || tasks->num_tasks != info.world_size || !info.node_rank ||
      node_number(*tasks, info.rank) != info.node_rank) {
    return;
  }
  info.node_of_rank = [nodes = *nodes, tasks = *tasks](int rank) -> std::optional<std::string> {
    const auto node = node_number(tasks, rank);
    return node ? node_name(nodes, *node) : std::nullopt;
  };
}

}  // namespace torch_dist_init::detail
