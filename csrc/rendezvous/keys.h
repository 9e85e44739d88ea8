/// @file
/// The keys of the handshake and of leaving, beside those of the backends.
#pragma once

#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// What processes before a restart have written isn't read: each attempt has keys of its own.
inline std::string attempt_key(int attempt, const std::string& name) {
  return "torch_dist_init/" + std::to_string(attempt) + "/" + name;
}

/// Those of the group that the plan makes.
inline std::string handshake_key(const RendezvousPlan& plan, const std::string& name) {
  return attempt_key(plan.attempt, plan.group_ranks.empty() ? name : "group/" + plan.group_name + "/" + name);
}

/// Holds the member who came first to the default group: its world_size and job are the store's.
inline std::string world_key(int attempt) { return attempt_key(attempt, "world"); }

/// Holds the member who came first to the plan's group.
inline std::string first_key(const RendezvousPlan& plan) { return handshake_key(plan, "world"); }

/// Holds the member that is this rank.
inline std::string rank_key(const RendezvousPlan& plan, int rank) {
  return handshake_key(plan, "rank/" + std::to_string(rank));
}

/// There once this rank has left the default group.
inline std::string left_key(const RendezvousPlan& plan, int rank) {
  return attempt_key(plan.attempt, "left/" + std::to_string(rank));
}

/// Why the ranks can't become a group.
inline std::string error_key(const RendezvousPlan& plan) { return handshake_key(plan, "error"); }

/// Of what to warn the ranks that wait.
inline std::string warning_key(const RendezvousPlan& plan) { return handshake_key(plan, "warning"); }

}  // namespace torch_dist_init::detail
