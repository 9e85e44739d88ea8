/// @file
/// Slurm's count of tasks for each node, as "2(x3),1": two on each of three nodes, then one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torch_dist_init::detail {

/// The tasks of each node, in the order of the node list, kept as runs: "4(x1000000)" costs no more than "4".
struct TasksPerNode {
  struct Run {
    int tasks;
    int nodes;
  };
  std::vector<Run> runs;
  /// The number of nodes, of all runs.
  int num_nodes = 0;
  /// The number of tasks, of all nodes.
  int num_tasks = 0;

  /// The tasks of one node, counted from 0; nothing if there are fewer nodes.
  std::optional<int> at(int node) const;
};

/// Reads Slurm's notation.
/// @param source where the text was found, for messages: the name of the variable.
/// @throws LaunchError, with the position in the text, if it is malformed or counts beyond the range of int.
TasksPerNode parse_tasks_per_node(std::string_view text, const std::string& source);

}  // namespace torch_dist_init::detail
