/// @file
/// What a rank says about itself in the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// One process of the job.
struct Member {
  int rank = 0;
  int world_size = 0;
  /// A random number of this process and those that it forks: pids repeat over containers that share a host name.
  std::uint64_t token = 0;
  long pid = 0;
  std::string host;
  /// As LaunchInfo's job_id; empty if the launcher told none.
  std::string job_id;
  /// LibTorch's version, as 2.15.0.
  std::string libtorch;
  /// The members of the sub group that it makes, as "0, 2"; empty for the default group.
  std::string group;

  /// This process.
  static Member self(const RendezvousPlan& plan);

  /// One line for each field.
  std::string to_text() const;

  /// Nothing if the text is no member's.
  static std::optional<Member> from_text(const std::string& text);

  bool is_same_process(const Member& other) const;

  /// "rank 1 (host nodeB, pid 678)".
  std::string describe() const;
};

}  // namespace torch_dist_init::detail
