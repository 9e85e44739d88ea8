/// @file
/// The store where the ranks meet, made from the plan.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Makes the plan's store: TCPStore (tcp), FileStore (file), HashStore (local; also mpi, where nobody looks into it);
/// its timeout is the plan's. Not for Kind::given and registered. Waits for the server, not for the other ranks.
/// @throws RendezvousError if the port is busy or the file can't be used; TimeoutError if the server doesn't come.
c10::intrusive_ptr<c10d::Store> make_store(const RendezvousPlan& plan);

/// A second connection to the plan's store, for use beside the first; null if there is none to be had. Takes little
/// more than `timeout`.
c10::intrusive_ptr<c10d::Store> connect_again(const RendezvousPlan& plan, std::chrono::milliseconds timeout);

}  // namespace torch_dist_init::detail
