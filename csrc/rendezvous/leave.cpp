/// @file
/// Leaving a store.
#include "rendezvous/leave.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host.h"
#include "rendezvous/connect.h"
#include "rendezvous/former_server.h"
#include "rendezvous/handshake.h"
#include "rendezvous/keys.h"
#include "rendezvous/member.h"
#include "rendezvous/progress.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::atomic<bool> has_left_any{false};

struct LeftFiles {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Never destroyed: a static object of the program may still leave while the process exits.
LeftFiles& left_files() {
  static auto* const instance = new LeftFiles;
  return *instance;
}

/// The longest that rank 0 stays for the others.
constexpr milliseconds longest_stay{10'000};

/// Those of `ranks` that haven't left.
std::vector<int> still_here(c10d::Store& store, const std::vector<int>& ranks, const RendezvousPlan& plan) {
  std::vector<int> here;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(here),
               [&](int rank) { return !store.check({left_key(plan, rank)}); });
  return here;
}

/// Whether the store's server is there. If it goes with rank 0, a connection is kept that will tell when.
bool is_here(const RendezvousPlan& plan) {
  return plan.agent_store ? is_listening(plan, milliseconds(200)) : keep_former_server(plan);
}

void wait_for_others(c10d::Store& store, const RendezvousPlan& plan) {
  const Clock::time_point deadline = Clock::now() + std::min(plan.timeout, longest_stay);
  ProgressSchedule schedule(Clock::now());
  milliseconds pause(1);
  // Ranks in Python say neither that they come nor that they go. Those of whom nothing is known may still be on their
  // way to a backend that waits for nobody. The store's own wait would be loud at its end.
  std::vector<int> staying = announced_ranks(store, plan);
  const std::vector<int> unknown = missing_ranks(store, plan);
  staying.insert(staying.end(), unknown.begin(), unknown.end());
  while (!(staying = still_here(store, staying, plan)).empty()) {
    const bool is_over = Clock::now() >= deadline;
    if (is_over || schedule.due(Clock::now())) {
      std::cerr << "torch_dist_init: " + describe_rank(plan.rank) +
                       (is_over ? " leaves, and takes the store with it, before" : " waits, with the store, for") +
                       " rank(s) " + list_ranks(staying, plan) + (is_over ? "" : " to leave") +
                       ". Store: " + plan.endpoint() + "\n";
    }
    if (is_over) {
      return;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, milliseconds(100));
  }
}

}  // namespace

void leave_store(c10d::Store& store, const RendezvousPlan& plan, bool stays) noexcept {
  has_left_any = true;
  try {
    if (plan.kind == RendezvousPlan::Kind::file) {
      const std::lock_guard<std::mutex> lock(left_files().mutex);
      left_files().paths.insert(plan.path);
    }
    // LibTorch is loud about a server that is gone: first is seen whether it is there.
    if (plan.kind == RendezvousPlan::Kind::tcp && !plan.serves && !is_here(plan)) {
      return;
    }
    const std::string self = Member::self(plan).to_text();
    store.set(left_key(plan, plan.rank), std::vector<std::uint8_t>(self.begin(), self.end()));
    if (plan.serves && stays) {
      wait_for_others(store, plan);
    }
  } catch (const std::exception&) {
    // The store is gone.
  }
}

bool has_left_file(const std::string& path) {
  const std::lock_guard<std::mutex> lock(left_files().mutex);
  return left_files().paths.count(path) > 0;
}

bool has_left(c10d::Store& store, const RendezvousPlan& plan) {
  const std::string key = left_key(plan, plan.rank);
  // A process that has left none saves itself the question.
  if (!has_left_any || !store.check({key})) {
    return false;
  }
  const std::vector<std::uint8_t> bytes = store.get(key);
  const auto who = Member::from_text(std::string(bytes.begin(), bytes.end()));
  return who && who->is_same_process(Member::self(plan));
}

}  // namespace torch_dist_init::detail
