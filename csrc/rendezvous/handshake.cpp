/// @file
/// The ranks make themselves known over the store, so that an error can name who is missing, or there twice.
#include "rendezvous/handshake.h"

#include <torch_dist_init/error.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>

#include "host.h"
#include "quoted.h"
#include "rendezvous/progress.h"
#include "rendezvous/store.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

std::string key(int attempt, const std::string& name) {
  return "torch_dist_init/" + std::to_string(attempt) + "/" + name;
}

std::string world_key(int attempt) { return key(attempt, "world"); }

std::string rank_key(int attempt, int rank) { return key(attempt, "rank/" + std::to_string(rank)); }

/// The key under which Gloo publishes a rank's address, in C++ and in Python.
std::string gloo_key(int rank) { return "default_pg/0//cpu//0/" + std::to_string(rank); }

/// Tells this process from all others: pids repeat over containers that share a host name.
std::uint64_t process_token() {
  static const std::uint64_t token = [] {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }();
  return token;
}

/// What a rank says about itself.
struct Member {
  int rank = 0;
  int world_size = 0;
  std::uint64_t token = 0;
  long pid = 0;
  std::string host;

  std::string to_text() const {
    std::ostringstream text;
    text << rank << ' ' << world_size << ' ' << token << ' ' << pid << ' ' << host;
    return text.str();
  }

  /// Nothing if the text is no member's.
  static std::optional<Member> from_text(const std::string& text) {
    std::istringstream stream(text);
    Member member;
    if (stream >> member.rank >> member.world_size >> member.token >> member.pid >> member.host) {
      return member;
    }
    return std::nullopt;
  }

  std::string describe() const { return "host " + host + ", pid " + std::to_string(pid); }
};

/// Writes `self` under `key` unless somebody was there first; returns who is there, or nothing if that can't be read.
std::optional<Member> claim(c10d::Store& store, const std::string& key, const Member& self) {
  const std::string text = self.to_text();
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::vector<std::uint8_t> found = store.compareSet(key, std::vector<std::uint8_t>{}, bytes);
  return Member::from_text(std::string(found.begin(), found.end()));
}

}  // namespace

StorePtr without_former_attempts(const StorePtr& store, const RendezvousPlan& plan) {
  for (int attempt = 0; attempt < plan.attempt; ++attempt) {
    if (store->check({world_key(attempt)})) {
      return c10::make_intrusive<c10d::PrefixStore>("attempt_" + std::to_string(plan.attempt), store);
    }
  }
  return store;
}

void announce_rank(c10d::Store& store, const RendezvousPlan& plan) {
  const Member self{plan.rank, plan.world_size, process_token(), static_cast<long>(::getpid()), host_name()};
  const std::string me = "rank " + std::to_string(plan.rank) + " (" + self.describe() + ")";
  const std::string job = plan.job_id.empty() ? "" : " of job " + escaped(plan.job_id);

  const auto world = claim(store, world_key(plan.attempt), self);
  if (world && world->world_size != self.world_size) {
    throw RendezvousError(me + job + " says that world_size is " + std::to_string(self.world_size) + ", but rank " +
                          std::to_string(world->rank) + " (" + world->describe() + ") at the same store says " +
                          std::to_string(world->world_size) + ". Store: " + plan.endpoint() +
                          ". Is WORLD_SIZE the same on all ranks, or do two jobs share one port?");
  }
  const auto holder = claim(store, rank_key(plan.attempt, plan.rank), self);
  if (holder && holder->token != self.token) {
    throw RendezvousError(me + job + " is there twice: the other one is on " + holder->describe() +
                          ". Store: " + plan.endpoint() +
                          (plan.kind == RendezvousPlan::Kind::file
                               ? ". Is the file left over from a former job? Then delete it"
                               : ". Were more processes started than world_size, or do two jobs share one port?"));
  }
}

std::vector<int> missing_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  std::vector<int> missing;
  for (int rank = 0; rank < plan.world_size; ++rank) {
    if (!store.check({rank_key(plan.attempt, rank)}) && !store.check({gloo_key(rank)})) {
      missing.push_back(rank);
    }
  }
  return missing;
}

std::string describe_missing(const std::vector<int>& missing, int world_size) {
  constexpr std::size_t most_named = 32;
  std::string text = std::to_string(world_size - static_cast<int>(missing.size())) + " of " +
                     std::to_string(world_size) + " ranks are here; missing: ";
  for (std::size_t i = 0; i < std::min(missing.size(), most_named); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(missing[i]);
  }
  if (missing.size() > most_named) {
    text += " and " + std::to_string(missing.size() - most_named) + " more";
  }
  return text;
}

MissingRanksReporter::MissingRanksReporter(const RendezvousPlan& plan) : plan_(plan) {
  if (plan.kind == RendezvousPlan::Kind::tcp && plan.world_size > 1) {
    thread_ = std::thread([this] { report_until_stopped(); });
  }
}

MissingRanksReporter::~MissingRanksReporter() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  stop_condition_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

std::string MissingRanksReporter::last_seen() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_seen_;
}

void MissingRanksReporter::report_until_stopped() {
  ProgressSchedule schedule(Clock::now());
  StorePtr store;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_condition_.wait_until(lock, schedule.next(), [this] { return stopped_; })) {
    schedule.due(Clock::now());
    try {
      if (!store) {
        store = connect_again(plan_, std::chrono::seconds(1));
        if (!store) {
          return;
        }
        store = without_former_attempts(store, plan_);
      }
      const std::vector<int> missing = missing_ranks(*store, plan_);
      last_seen_ = describe_missing(missing, plan_.world_size);
      const auto is_lower = [this](int rank) { return rank < plan_.rank; };
      const bool lower_rank_here = std::count_if(missing.begin(), missing.end(), is_lower) < plan_.rank;
      if (!missing.empty() && !lower_rank_here) {
        std::cerr << "torch_dist_init: " + describe_rank(plan_.rank) + " waits: " + last_seen_ +
                         ". Store: " + plan_.endpoint() + "\n";
      }
    } catch (const std::exception&) {
      // The store is gone: the waiting thread gets the error and reports it.
      return;
    }
  }
}

}  // namespace torch_dist_init::detail
