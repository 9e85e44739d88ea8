/// @file
/// The ranks make themselves known over the store, so that an error can name who is missing, there twice, or from
/// another job. Ranks in Python take no part in it; they are recognised by the keys that their backend leaves.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <optional>
#include <string>
#include <vector>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// The part of the store that is this attempt's own. torchrun's agent keeps one store over restarts, and a caller may
/// give the same store twice: there lie the addresses of processes that are gone. Where a former attempt has left its
/// traces, or this process has left before, the part has a prefix; else the keys are those that ranks in Python use.
c10::intrusive_ptr<c10d::Store> own_part(c10::intrusive_ptr<c10d::Store> store, const RendezvousPlan& plan);

/// The same part of the same store by another connection, for use while `used` is busy with a wait; null if there is
/// none to be had.
c10::intrusive_ptr<c10d::Store> beside(const c10::intrusive_ptr<c10d::Store>& used, const RendezvousPlan& plan);

/// Says over the store that this process is the plan's rank, in at most two round trips. Waits for nobody. Warns on
/// stderr of ranks with another LibTorch.
/// @throws RendezvousError if another process has the same rank, says another world_size, or is of another job; the
/// ranks that wait at this store find the same words there.
void announce_rank(c10d::Store& store, const RendezvousPlan& plan);

/// Why the ranks at this store can't become a world, if a rank has found that; and of what there is to warn.
struct Objections {
  std::optional<std::string> error;
  std::optional<std::string> warning;
};
Objections read_objections(c10d::Store& store, const RendezvousPlan& plan);

/// Where this rank serves the store, leaves the others the time to read an objection before it goes.
void stay_for_objection(const RendezvousPlan& plan);

/// Whether a lower rank than this one is known to the store. Of the ranks that wait, the lowest one speaks.
bool lower_rank_is_here(c10d::Store& store, const RendezvousPlan& plan);

/// The ranks that have left no trace in the store, ascending.
std::vector<int> missing_ranks(c10d::Store& store, const RendezvousPlan& plan);

/// The ranks that have made themselves known, ascending: those in C++.
std::vector<int> announced_ranks(c10d::Store& store, const RendezvousPlan& plan);

/// "2, 5 (n3) and 7 more".
std::string list_ranks(const std::vector<int>& ranks, const RendezvousPlan& plan);

/// "6 of 8 ranks are here; missing: 2, 5 (n3)": with the ranks' nodes, where the launcher tells them.
std::string describe_missing(const std::vector<int>& missing, const RendezvousPlan& plan);

}  // namespace torch_dist_init::detail
