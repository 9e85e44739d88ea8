/// @file
/// Leaving: rank 0's store outlives the other ranks, and nobody takes a store that he has left for a new one.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Says over the store that this rank has left. If it serves the store and `stays`, waits until all ranks in C++ have
/// come and left too: a bounded time, after which it names on stderr those that haven't. A store that is gone is no
/// error.
void leave_store(c10d::Store& store, const RendezvousPlan& plan, bool stays) noexcept;

/// Whether this process has left a store in that file before.
bool has_left_file(const std::string& path);

/// Whether this process has left this store before, as this rank.
bool has_left(c10d::Store& store, const RendezvousPlan& plan);

}  // namespace torch_dist_init::detail
