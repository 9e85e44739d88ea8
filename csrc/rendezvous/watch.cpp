#include "rendezvous/watch.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <thread>
#include <utility>

#include "backends/compat.h"
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

/// What there is to see in the store.
class Watch {
 public:
  /// @param used the store that the group is made with.
  Watch(const RendezvousPlan& plan, StorePtr used, Clock::time_point deadline)
      : plan_(plan), used_(std::move(used)), last_look_(deadline - std::min(plan.timeout / 4, milliseconds(500))) {}

  /// When to look again.
  Clock::time_point next_look() const { return next_look_; }

  /// @throws RendezvousError if a rank has objected.
  void look() {
    const Clock::time_point now = Clock::now();
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
        return;
      }
      const Objections objections = read_objections(*store_, plan_);
      throw_if_any(objections);
      const bool is_due = schedule_.due(now);
      if (is_due || is_last || now >= next_count_) {
        // In case that the store goes without a warning; ever more sparsely.
        next_count_ = now + (now - begin_);
        const std::vector<int> missing = missing_ranks(*store_, plan_);
        last_seen_ = missing.empty() ? "" : describe_missing(missing, plan_);
      }
      const bool speaks_of_missing = is_due && !last_seen_.empty();
      if ((objections.warning || speaks_of_missing) && !lower_rank_is_here(*store_, plan_)) {
        speak(objections, speaks_of_missing);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      // The store is gone: whoever waits for it gets the error and reports it.
      store_.reset();
      next_look_ = Clock::time_point::max();
    }
  }

  /// Which ranks are here, as far as that can still be told. The store in use is asked if it `is_free`.
  /// @throws RendezvousError if a rank has objected.
  std::string presence(bool is_free) {
    try {
      c10d::Store* const asked = is_free ? used_.get() : connect() ? store_.get() : nullptr;
      if (asked != nullptr) {
        throw_if_any(read_objections(*asked, plan_));
        const std::vector<int> missing = missing_ranks(*asked, plan_);
        return missing.empty() ? "all ranks are known to the store" : describe_missing(missing, plan_);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      // The store is gone.
    }
    return last_seen_.empty() ? "the store is gone with rank 0, and with it the knowledge who is missing"
                              : last_seen_ + " (as last seen; the store is gone with rank 0)";
  }

 private:
  /// The connection in use is busy waiting; that to a file never is.
  bool connect() {
    if (!store_ && plan_.kind == RendezvousPlan::Kind::tcp) {
      store_ = connect_again(plan_, milliseconds(1000));
      if (store_) {
        store_ = own_part(store_, plan_);
      }
    } else if (!store_) {
      store_ = plan_.kind == RendezvousPlan::Kind::file ? used_ : compat::clone(*used_);
    }
    return static_cast<bool>(store_);
  }

  void throw_if_any(const Objections& objections) const {
    if (objections.error) {
      throw RendezvousError(describe_rank(plan_.rank) + " can't join: " + *objections.error +
                            ". Store: " + plan_.endpoint());
    }
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

  const RendezvousPlan& plan_;
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

/// What a failure of a backend means: ranks that never came, if the time is up.
[[noreturn]] void throw_failure(const RendezvousPlan& plan, Clock::time_point start, const std::string& presence,
                                const std::string& libtorch) {
  const std::string who = describe_rank(plan.rank);
  // LibTorch may give up a few milliseconds early.
  if (Clock::now() - start < plan.timeout * 9 / 10) {
    throw BackendError(who + " can't make the process group: " + libtorch + " (" + presence +
                       "; store: " + plan.endpoint() + ")");
  }
  throw TimeoutError(
      who + " waited " + std::to_string(plan.timeout.count()) + " ms for all ranks to join: " + presence +
      "; store: " + plan.endpoint() +
      ". Look at the output of the missing ranks, or set a longer 'timeout' (seconds). LibTorch says: " + libtorch);
}

}  // namespace

GroupPtr make_while_watching(const RendezvousPlan& plan, const StorePtr& store, Clock::time_point start,
                             std::function<GroupPtr()> make) {
  const Clock::time_point deadline = start + plan.timeout;
  // At the deadline itself LibTorch mostly gives up, and knows why.
  const Clock::time_point last_moment = deadline + milliseconds(500);
  std::packaged_task<GroupPtr()> task(std::move(make));
  std::future<GroupPtr> made = task.get_future();
  std::thread thread(std::move(task));
  Watch watch(plan, store, deadline);
  try {
    while (made.wait_until(std::min(watch.next_look(), last_moment)) != std::future_status::ready) {
      if (Clock::now() >= last_moment) {
        throw_failure(plan, start, watch.presence(/*is_free=*/false), "nothing yet, it still waits");
      }
      watch.look();
    }
  } catch (...) {
    thread.detach();
    throw;
  }
  thread.join();
  try {
    return made.get();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw_failure(plan, start, watch.presence(/*is_free=*/true), reason(failure));
  }
}

}  // namespace torch_dist_init::detail
