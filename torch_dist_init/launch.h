/// @file
/// What the launcher says about this process: its rank, the size of the world, where to meet. Knows no LibTorch.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/export.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace torch_dist_init {

/// What a launcher left in the environment, parsed and checked. A field that the launcher doesn't tell is empty.
struct LaunchInfo {
  /// The launcher that was read: "pytorch", "slurm", "mpi", "none", or a registered name. Never "auto".
  std::string launcher;
  /// This process's number in the world, 0 to world_size - 1.
  int rank = 0;
  /// The number of processes in the world, at least 1.
  int world_size = 1;
  /// This process's number among those of its node, 0 to local_world_size - 1.
  std::optional<int> local_rank;
  /// The number of processes on this node.
  std::optional<int> local_world_size;
  /// This node's number, 0 to num_nodes - 1.
  std::optional<int> node_rank;
  /// The number of nodes.
  std::optional<int> num_nodes;
  /// The host where the ranks meet: a name, an IPv4 address, or an IPv6 address without brackets.
  std::optional<std::string> master_addr;
  /// The TCP port where the ranks meet, 1 to 65535.
  std::optional<int> master_port;
  /// What tells this job from others, in the launcher's own words: torchrun's run id, Slurm's "job.step", PMIx's
  /// namespace.
  std::optional<std::string> job_id;
  /// How often the launcher has restarted this job.
  std::optional<int> restart_count;
  /// True if torchrun's agent serves the store at master_addr:master_port, so that no rank may.
  bool agent_store = false;
  /// The name of the node that runs a given rank, as far as the launcher tells; may be empty. For messages.
  std::function<std::optional<std::string>(int rank)> node_of_rank;
  /// For each field above that has a value (but for node_of_rank): the variable it came from, or "default" or how it
  /// was derived.
  std::map<std::string, std::string> sources;
  /// Things that are not wrong but look like a mistake, one sentence each.
  std::vector<std::string> warnings;
  /// Why master_addr is empty and what to do about it; a message for the one who needs the address. Empty if it is set.
  std::string master_addr_help;
};

/// Reads a launcher's variables.
/// @throws LaunchError if they are incomplete, malformed or contradictory.
using LaunchReader = std::function<LaunchInfo(const Environment&)>;

/// Reads what `launcher` left in the environment. Nothing is changed: no variable, no device, no socket.
///
/// Launchers: "pytorch" (torchrun's variables), "slurm" (a step started by srun), "mpi" (mpirun, mpiexec), "none" (a
/// world of one; reads no variable), "auto" (the innermost launcher whose variables are complete), and those
/// registered.
/// @throws ValueError "Invalid launcher type: X" for an unknown launcher, as mmengine.dist.init_dist.
/// @throws LaunchError if the launcher's variables are incomplete, malformed or contradictory.
TORCH_DIST_INIT_API LaunchInfo read_launch_info(const std::string& launcher,
                                                const Environment& environment = Environment::current());

/// Adds a launcher of one's own: read_launch_info(name) and init_dist(name) then call `reader`. "auto" does not try it.
/// @throws ValueError if `name` is empty or taken.
TORCH_DIST_INIT_API void register_launcher(const std::string& name, LaunchReader reader);

/// The names that read_launch_info takes, sorted.
TORCH_DIST_INIT_API std::vector<std::string> launcher_names();

}  // namespace torch_dist_init
