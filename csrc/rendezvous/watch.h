/// @file
/// Waiting until the group is made, with an eye on the other ranks.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <functional>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Calls `make`, which waits for the other ranks, in a thread of its own: what the backends wait for can't be
/// interrupted, and some allow themselves several times the timeout. Meanwhile looks over a second connection whether a
/// rank has found that this can become no world, and says on stderr which ranks are missing: after a few seconds, then
/// ever more sparsely; only the lowest rank that is here speaks.
///
/// When an error is thrown before `make` has ended, its thread is left behind: so `make` must own all it uses.
/// @param store the handshake's, which `make` uses too.
/// @param start when init began: its timeout counts from there.
/// @throws RendezvousError if a rank has objected; TimeoutError, naming the missing ranks, at the timeout; BackendError
/// if `make` fails before.
c10::intrusive_ptr<c10d::ProcessGroup> make_while_watching(
    const RendezvousPlan& plan, const c10::intrusive_ptr<c10d::Store>& store,
    std::chrono::steady_clock::time_point start, std::function<c10::intrusive_ptr<c10d::ProcessGroup>()> make);

}  // namespace torch_dist_init::detail
