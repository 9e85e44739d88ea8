/// @file
/// Ways of one's own for the ranks to meet: schemes of init_method beside env, tcp and file.
#pragma once

#include <torch_dist_init/export.h>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace torch_dist_init {

/// Where the ranks meet, and who this one is.
struct Rendezvous {
  /// A store that all ranks share; not null.
  c10::intrusive_ptr<c10d::Store> store;
  /// This process's number, 0 to world_size - 1.
  int rank = 0;
  /// The number of processes, at least 1.
  int world_size = 1;
};

/// Makes the store that `url` names. `rank` and `world_size` are what keyword arguments, the URL's query or the
/// launcher say; a handler that gives out ranks itself may return others. It should be back within `timeout`.
using RendezvousHandler =
    std::function<Rendezvous(const std::string& url, int rank, int world_size, std::chrono::milliseconds timeout)>;

/// Adds a scheme: init_method "SCHEME://…" then calls `handler`, as torch.distributed's
/// rendezvous.register_rendezvous_handler. Of the query only `rank` and `world_size` are read before.
/// @throws ValueError if `scheme` is empty, holds anything but letters, digits, "+", "-" and ".", or is taken.
TORCH_DIST_INIT_API void register_rendezvous_handler(const std::string& scheme, RendezvousHandler handler);

}  // namespace torch_dist_init
