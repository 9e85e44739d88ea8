/// @file
/// The server of a store that this process has left: who joins again at the same port must not take it for the new one.
#pragma once

#include <chrono>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Opens a bare connection to the plan's server, which must not have gone yet, and keeps it: its end tells when the
/// server has gone. False if nothing listens there.
bool keep_former_server(const RendezvousPlan& plan);

/// Waits until the kept server, if it was at the plan's address, has gone; says on stderr that it waits.
/// @throws TimeoutError if it hasn't gone when the plan's timeout has passed since `start`.
void wait_until_former_server_is_gone(const RendezvousPlan& plan, std::chrono::steady_clock::time_point start);

}  // namespace torch_dist_init::detail
