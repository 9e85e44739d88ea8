/// @file
/// The keys of the handshake and of leaving, beside those of the backends.
#pragma once

#include <string>

namespace torch_dist_init::detail {

/// `attempt` is the plan's: what processes before a restart have written isn't read.
inline std::string handshake_key(int attempt, const std::string& name) {
  return "torch_dist_init/" + std::to_string(attempt) + "/" + name;
}

/// Holds the member who came first: its world_size and job are the store's.
inline std::string world_key(int attempt) { return handshake_key(attempt, "world"); }

/// Holds the member that is this rank.
inline std::string rank_key(int attempt, int rank) { return handshake_key(attempt, "rank/" + std::to_string(rank)); }

/// There once this rank has left.
inline std::string left_key(int attempt, int rank) { return handshake_key(attempt, "left/" + std::to_string(rank)); }

/// Why the ranks can't become a world.
inline std::string error_key(int attempt) { return handshake_key(attempt, "error"); }

/// Of what to warn the ranks that wait.
inline std::string warning_key(int attempt) { return handshake_key(attempt, "warning"); }

}  // namespace torch_dist_init::detail
