/// @file
/// When to say that one still waits: first after three seconds, then ever more sparsely.
#pragma once

#include <algorithm>
#include <chrono>

namespace torch_dist_init::detail {

/// Tells at which moments of a wait a line is due: after 3 s, 9 s, 21 s, … and at least once a minute.
class ProgressSchedule {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressSchedule(Clock::time_point start) : next_(start + interval_) {}

  /// The moment when the next line is due.
  Clock::time_point next() const { return next_; }

  /// True, once, when that moment has come.
  bool due(Clock::time_point now) {
    if (now < next_) {
      return false;
    }
    interval_ = std::min(2 * interval_, std::chrono::seconds(60));
    next_ = now + interval_;
    return true;
  }

 private:
  std::chrono::seconds interval_{3};
  Clock::time_point next_;
};

}  // namespace torch_dist_init::detail
