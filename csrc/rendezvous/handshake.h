/// @file
/// The ranks make themselves known over the store, so that an error can name who is missing, or there twice. Ranks in
/// Python take no part in it; they are recognised by the keys that their backend leaves.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// The part of the store that is this attempt's own. torchrun's agent keeps one store over restarts, with the addresses
/// of processes that are gone; where a former attempt has left its traces, the new one gets a prefix.
c10::intrusive_ptr<c10d::Store> without_former_attempts(const c10::intrusive_ptr<c10d::Store>& store,
                                                        const RendezvousPlan& plan);

/// Says over the store that this process is the plan's rank, in at most two round trips. Waits for nobody.
/// @throws RendezvousError if another process has the same rank, or says another world_size.
void announce_rank(c10d::Store& store, const RendezvousPlan& plan);

/// The ranks that have left no trace in the store.
std::vector<int> missing_ranks(c10d::Store& store, const RendezvousPlan& plan);

/// "6 of 8 ranks are here; missing: 2, 5".
std::string describe_missing(const std::vector<int>& missing, int world_size);

/// While it lives, says on stderr which ranks are missing: after a few seconds, then ever more sparsely. Only the
/// lowest rank that is here speaks. It has a connection of its own, since the first one is busy waiting.
class MissingRanksReporter {
 public:
  explicit MissingRanksReporter(const RendezvousPlan& plan);
  ~MissingRanksReporter();
  MissingRanksReporter(const MissingRanksReporter&) = delete;
  MissingRanksReporter& operator=(const MissingRanksReporter&) = delete;

  /// What it saw when it last looked, in describe_missing's words; empty if it hasn't looked yet.
  std::string last_seen();

 private:
  void report_until_stopped();

  const RendezvousPlan plan_;
  std::mutex mutex_;
  std::condition_variable stop_condition_;
  bool stopped_ = false;
  std::string last_seen_;
  std::thread thread_;
};

}  // namespace torch_dist_init::detail
