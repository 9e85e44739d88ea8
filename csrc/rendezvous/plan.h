/// @file
/// Where and how the ranks meet: decided from values alone, before any socket is opened.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/kwargs.h>
#include <torch_dist_init/launch.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace torch_dist_init::detail {

/// The name of the default group, in C++ and in Python.
inline constexpr const char* default_group_name = "0";

/// What the store is made from, and who meets there.
struct RendezvousPlan {
  enum class Kind {
    /// A world of one: a store inside the process.
    local,
    /// A TCPStore at host:port.
    tcp,
    /// A FileStore at path.
    file,
    /// The caller's own store.
    given,
    /// A store that the handler of a registered scheme makes from url.
    registered,
    /// No store: MPI's runtime brings the ranks together.
    mpi,
  };
  Kind kind = Kind::local;
  int rank = 0;
  int world_size = 1;
  /// Of init as a whole, and of every later operation.
  std::chrono::milliseconds timeout{};
  /// tcp: a name or an address, without brackets.
  std::string host;
  int port = 0;
  /// tcp: where host and port were found, for messages: "MASTER_ADDR, MASTER_PORT".
  std::string endpoint_source;
  /// tcp: true on the one rank that serves the store.
  bool serves = false;
  /// tcp: true if torchrun's agent serves it.
  bool agent_store = false;
  /// tcp: whether the server may use libuv, where LibTorch has it.
  bool use_libuv = true;
  /// file: an absolute path on a file system that all ranks share.
  std::string path;
  /// registered: the init_method.
  std::string url;
  /// What tells an attempt to join from the one before a restart; 0 unless the launcher counts them.
  int attempt = 0;
  /// What tells this job from others, in the launcher's words; empty if it has none.
  std::string job_id;
  /// The node of another rank, as far as the launcher tells; may be empty.
  std::function<std::optional<std::string>(int rank)> node_of_rank;

  /// The group that is made.
  std::string group_name = default_group_name;
  /// The members of a sub group, in its order, by their ranks in the default group; empty for the default group.
  std::vector<int> group_ranks;

  /// The ranks that meet: the group's members.
  std::vector<int> members() const;

  /// The meeting place, for messages: "10.0.0.1:29500 (MASTER_ADDR, MASTER_PORT)".
  std::string endpoint() const;
};

/// What else decides how to meet.
struct MeetingNeeds {
  /// The caller has given a store.
  bool has_store = false;
  /// The backends find each other without one.
  bool by_mpi = false;
};

/// Decides how to meet: the caller's store, else init_method, else MPI's way if that is enough, else the launcher's
/// address and port. A keyword argument wins over the launcher. `environment` tells USE_LIBUV; `registered_schemes` are
/// those of init_method that the program has added.
/// @throws ValueError if arguments contradict each other or are out of range (rank not below world_size).
/// @throws LaunchError if an address is needed and the launcher gave none.
RendezvousPlan plan_rendezvous(const LaunchInfo& launch, const KwargOptions& options, const Environment& environment,
                               const MeetingNeeds& needs, std::chrono::milliseconds timeout,
                               const std::set<std::string>& registered_schemes = {});

}  // namespace torch_dist_init::detail
