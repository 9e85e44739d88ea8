/// @file
/// Two launchers whose variables tell different ranks: found, and said.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include <optional>
#include <string>

#include "launch/family.h"

namespace torch_dist_init::detail {

/// Rank and size as one launcher's variables tell them.
struct Claim {
  int rank;
  int world_size;
  /// The two variables with their values: "RANK=0, WORLD_SIZE=1".
  std::string text;
};

/// What a family's variables claim; nothing if they aren't both there, or are no whole numbers.
std::optional<Claim> claim_of(const Environment& environment, const Family& family);

/// True if both claim the same rank in a world of the same size.
bool agree(const Claim& a, const Claim& b);

/// Adds a warning to `info` for each other launcher whose variables tell another rank or size, except where that is
/// how launchers nest: under torchrun all others' variables are those of its agent, and under mpirun Slurm's are those
/// of a daemon.
void warn_of_contradictions(const Environment& environment, LaunchInfo& info);

}  // namespace torch_dist_init::detail
