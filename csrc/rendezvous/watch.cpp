/// @file
/// Waiting until the group is made, with an eye on the other ranks.
#include "rendezvous/watch.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "host.h"
#include "libtorch_error.h"
#include "rendezvous/handshake.h"
#include "rendezvous/progress.h"
#include "rendezvous/store.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

/// What the caller's thread, the one that makes the group and the one that watches know in common. The latter two may
/// be left behind.
struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_made = false;
  GroupPtr group;
  std::exception_ptr failure;
  /// Why a rank has found that this can become no world.
  std::optional<std::string> objection;
  /// The missing ranks, when last looked.
  std::string last_seen;
  bool is_over = false;
  /// False while the watching thread uses the network, which may take its time.
  bool watch_rests = true;
};

/// Looks into the store now and then, over a connection of its own: the one in use is busy waiting.
class Watch {
 public:
  /// @param used the store that the group is made with.
  Watch(RendezvousPlan plan, StorePtr used, Clock::time_point deadline)
      : plan_(std::move(plan)),
        used_(std::move(used)),
        last_look_(deadline - std::min(plan_.timeout / 4, milliseconds(500))) {}

  void run(Shared& shared) {
    std::unique_lock<std::mutex> lock(shared.mutex);
    while (!shared.changed.wait_until(lock, next_look_, [&] { return shared.is_over; })) {
      shared.watch_rests = false;
      lock.unlock();
      const std::optional<std::string> objection = look();
      lock.lock();
      shared.watch_rests = true;
      shared.last_seen = last_seen_;
      if (objection) {
        shared.objection = objection;
        shared.changed.notify_all();
      }
      if (objection || next_look_ == Clock::time_point::max()) {
        return;
      }
    }
  }

 private:
  /// Returns the objection of a rank, if there is one.
  std::optional<std::string> look() {
    const Clock::time_point now = Clock::now();
    if (plan_.kind == RendezvousPlan::Kind::mpi) {
      speak_of_mpi(now);
      return std::nullopt;
    }
    // The store goes with rank 0 when the time is up: every rank looks a moment before.
    const bool is_last = next_look_ == last_look_;
    // Spread, so that many ranks don't ask in step.
    next_look_ = now + milliseconds(500 + 7 * (plan_.rank % 64));
    if (now < last_look_) {
      next_look_ = std::min(next_look_, last_look_);
    }
    try {
      if (!connect()) {
        next_look_ = Clock::time_point::max();
        return std::nullopt;
      }
      const Objections objections = read_objections(*store_, plan_);
      const bool is_due = schedule_.due(now);
      if (is_due || is_last || now >= next_count_) {
        // In case that the store goes without a warning; ever more sparsely.
        next_count_ = now + (now - begin_);
        const std::vector<int> missing = missing_ranks(*store_, plan_);
        last_seen_ = missing.empty() ? "" : describe_missing(missing, plan_);
      }
      const bool speaks_of_missing = is_due && !last_seen_.empty() && !objections.error;
      if ((objections.warning || speaks_of_missing) && !lower_rank_is_here(*store_, plan_)) {
        speak(objections, speaks_of_missing);
      }
      return objections.error;
    } catch (const std::exception&) {
      // The store is gone: whoever waits for it gets the error and reports it.
      next_look_ = Clock::time_point::max();
      return std::nullopt;
    }
  }

  /// There is no store to look into. Should rank 0 be the one that is missing, there is still rank 1.
  void speak_of_mpi(Clock::time_point now) {
    next_look_ = now + milliseconds(500);
    if (schedule_.due(now) && plan_.rank <= 1) {
      std::cerr << "torch_dist_init: " + describe_rank(plan_.rank) +
                       " waits in MPI for all ranks that mpirun or srun has started\n";
    }
  }

  bool connect() {
    if (!store_) {
      store_ = beside(used_, plan_);
    }
    return static_cast<bool>(store_);
  }

  void speak(const Objections& objections, bool of_missing) {
    if (objections.warning && !has_warned_) {
      has_warned_ = true;
      std::cerr << "torch_dist_init: warning: " + *objections.warning + ". It was refused\n";
    }
    if (of_missing) {
      std::cerr << "torch_dist_init: " + describe_rank(plan_.rank) + " waits: " + last_seen_ +
                       ". Store: " + plan_.endpoint() + "\n";
    }
  }

  const RendezvousPlan plan_;
  const StorePtr used_;
  const Clock::time_point begin_ = Clock::now();
  /// The first moments are left to those that need no watch.
  Clock::time_point next_look_ = begin_ + milliseconds(250);
  Clock::time_point next_count_ = next_look_;
  const Clock::time_point last_look_;
  ProgressSchedule schedule_{begin_};
  StorePtr store_;
  std::string last_seen_;
  bool has_warned_ = false;
};

[[noreturn]] void throw_objection(const RendezvousPlan& plan, const std::string& objection) {
  throw RendezvousError(describe_rank(plan.rank) + " can't join: " + objection + ". Store: " + plan.endpoint());
}

/// Which ranks are here, as far as that can still be told.
/// @param store to be asked; null if it is in use.
/// @throws RendezvousError if a rank has objected.
std::string presence(const StorePtr& store, const RendezvousPlan& plan, const std::string& last_seen) {
  if (plan.kind == RendezvousPlan::Kind::mpi) {
    return "which ones are missing only mpirun or srun can tell";
  }
  try {
    if (store) {
      if (const auto objection = read_objections(*store, plan).error) {
        throw_objection(plan, *objection);
      }
      const std::vector<int> missing = missing_ranks(*store, plan);
      return missing.empty() ? "all ranks are known to the store" : describe_missing(missing, plan);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    return last_seen.empty() ? "the store is gone with rank 0, and with it the knowledge who is missing"
                             : last_seen + " (as last seen; the store is gone with rank 0)";
  }
  return last_seen.empty() ? "all ranks were known to the store when last seen" : last_seen;
}

/// What a failure of a backend means: ranks that never came, if the time is up.
[[noreturn]] void throw_failure(const RendezvousPlan& plan, Clock::time_point start, const std::string& who_is_here,
                                const std::string& libtorch) {
  const std::string who = describe_rank(plan.rank);
  // LibTorch may give up a few milliseconds early.
  if (Clock::now() - start < plan.timeout * 9 / 10) {
    throw BackendError(who + " can't make the process group: " + libtorch + " (" + who_is_here +
                       "; store: " + plan.endpoint() + ")");
  }
  throw TimeoutError(
      who + " waited " + std::to_string(plan.timeout.count()) + " ms for all ranks to join: " + who_is_here +
      "; store: " + plan.endpoint() +
      ". Look at the output of the missing ranks, or set a longer 'timeout' (seconds). LibTorch says: " + libtorch);
}

void make_and_tell(const std::function<GroupPtr()>& make, Shared& shared) {
  GroupPtr group;
  std::exception_ptr failure;
  try {
    group = make();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.group = std::move(group);
  shared.failure = failure;
  shared.is_made = true;
  shared.changed.notify_all();
}

void join_or_leave_behind(std::thread& thread, bool ends_at_once) {
  if (ends_at_once) {
    thread.join();
  } else {
    thread.detach();
  }
}

}  // namespace

GroupPtr make_while_watching(const RendezvousPlan& plan, const StorePtr& store, Clock::time_point start,
                             std::function<GroupPtr()> make) {
  const Clock::time_point deadline = start + plan.timeout;
  const auto shared = std::make_shared<Shared>();
  std::thread making([shared, make = std::move(make)] { make_and_tell(make, *shared); });
  std::thread watching([shared, watch = std::make_shared<Watch>(plan, store, deadline)] { watch->run(*shared); });

  std::unique_lock<std::mutex> lock(shared->mutex);
  // At the deadline itself LibTorch mostly gives up, and knows why.
  shared->changed.wait_until(lock, deadline + milliseconds(500),
                             [&] { return shared->is_made || shared->objection.has_value(); });
  shared->is_over = true;
  shared->changed.notify_all();
  const bool is_made = shared->is_made;
  const bool watch_rests = shared->watch_rests;
  const std::optional<std::string> objection = shared->objection;
  const std::string last_seen = shared->last_seen;
  lock.unlock();
  join_or_leave_behind(making, is_made);
  join_or_leave_behind(watching, watch_rests);

  if (!is_made) {
    if (objection) {
      stay_for_objection(plan);
      throw_objection(plan, *objection);
    }
    throw_failure(plan, start, presence(nullptr, plan, last_seen), "nothing yet, it still waits");
  }
  if (!shared->failure) {
    return std::move(shared->group);
  }
  try {
    std::rethrow_exception(shared->failure);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw_failure(plan, start, presence(store, plan, last_seen), reason(failure));
  }
}

}  // namespace torch_dist_init::detail
