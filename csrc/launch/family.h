/// @file
/// A launcher's variables as a set: rank, size and what goes with them are never taken from two launchers.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include <optional>
#include <string>
#include <vector>

namespace torch_dist_init::detail {

/// The names of one launcher's variables. A field lists the variables that may tell it: the first that is set counts.
/// Empty: this launcher doesn't tell it.
struct Family {
  using Names = std::vector<std::string>;

  /// What people call the launcher, for messages: "torchrun", "Open MPI".
  std::string title;
  Names rank;
  Names world_size;
  Names local_rank;
  Names local_world_size;
  Names node_rank;
  Names num_nodes;
  Names job_id;
  Names restart_count;
};

/// The first of `names` that is set; nothing if none is.
std::optional<std::string> first_set(const Environment& environment, const Family::Names& names);

/// True if rank and size are set.
bool has_pair(const Environment& environment, const Family& family);

/// True if rank and size are set, and the local rank too where the family has one.
bool is_complete(const Environment& environment, const Family& family);

/// What the family's variables say. Only rank and size must be set: see has_pair.
/// @throws LaunchError if a variable is no whole number.
LaunchInfo read_family(const Environment& environment, const Family& family);

/// Checks that the numbers of `info` are in range and go together: rank < world_size, local_rank < local_world_size <=
/// world_size, node_rank < num_nodes <= world_size.
/// @throws LaunchError, naming both variables, if they don't.
void check_consistent(const LaunchInfo& info);

}  // namespace torch_dist_init::detail
