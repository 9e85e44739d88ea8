/// @file
/// The ranks make themselves known over the store, so that an error can name who is missing, there twice, or from
/// another job.
#include "rendezvous/handshake.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <numeric>

#include "host.h"
#include "quoted.h"
#include "rendezvous/keys.h"
#include "rendezvous/leave.h"
#include "rendezvous/member.h"

namespace torch_dist_init::detail {
namespace {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

/// The key under which Gloo publishes a rank's address, in C++ and in Python.
std::string gloo_key(int rank) { return "default_pg/0//cpu//0/" + std::to_string(rank); }

/// Writes `text` under `key` unless somebody was there first; returns what is there then.
std::string set_first(c10d::Store& store, const std::string& key, const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const std::vector<std::uint8_t> found = store.compareSet(key, std::vector<std::uint8_t>{}, bytes);
  return std::string(found.begin(), found.end());
}

/// Who has claimed `key` first: `self`, or another; nothing if that can't be read.
std::optional<Member> claim(c10d::Store& store, const std::string& key, const Member& self) {
  return Member::from_text(set_first(store, key, self.to_text()));
}

std::string of_job(const Member& member) { return member.job_id.empty() ? "" : " of job " + member.job_id; }

/// Tells the ranks that wait here, and throws.
[[noreturn]] void object(c10d::Store& store, const RendezvousPlan& plan, const std::string& key,
                         const std::string& what, const std::string& remedy) {
  set_first(store, key, escaped(what));
  throw RendezvousError(describe_rank(plan.rank) + " can't join: " + what + ". Store: " + plan.endpoint() + ". " +
                        remedy);
}

std::string why_twice(const RendezvousPlan& plan) {
  if (plan.kind == RendezvousPlan::Kind::file) {
    return "Is the file left over from a former job? Then delete it";
  }
  if (plan.agent_store) {
    return "Has torchrun restarted the ranks of several nodes, whose agents count restarts differently? With "
           "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in torchrun's environment each restart gets a store of its own";
  }
  return "Were more processes started than world_size, or do two jobs share one port?";
}

std::optional<std::string> read(c10d::Store& store, const std::string& key) {
  if (!store.check({key})) {
    return std::nullopt;
  }
  const std::vector<std::uint8_t> bytes = store.get(key);
  return escaped(std::string(bytes.begin(), bytes.end()));
}

/// Those of `ranks` whose key isn't there. Halves them until all keys of a part are there: few requests if few miss.
template <class KeyOf>
std::vector<int> without_key(c10d::Store& store, const std::vector<int>& ranks, const KeyOf& key_of) {
  std::vector<std::string> keys(ranks.size());
  std::transform(ranks.begin(), ranks.end(), keys.begin(), key_of);
  if (ranks.empty() || store.check(keys)) {
    return {};
  }
  if (ranks.size() == 1) {
    return ranks;
  }
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
  std::vector<int> missing = without_key(store, std::vector<int>(ranks.begin(), middle), key_of);
  const std::vector<int> others = without_key(store, std::vector<int>(middle, ranks.end()), key_of);
  missing.insert(missing.end(), others.begin(), others.end());
  return missing;
}

std::vector<int> all_ranks(const RendezvousPlan& plan) {
  std::vector<int> all(static_cast<std::size_t>(plan.world_size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> unannounced_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  return without_key(store, all_ranks(plan), [&](int rank) { return rank_key(plan.attempt, rank); });
}

}  // namespace

StorePtr own_part(StorePtr store, const RendezvousPlan& plan) {
  for (int attempt = 0; attempt < plan.attempt; ++attempt) {
    if (store->check({world_key(attempt)})) {
      store = c10::make_intrusive<c10d::PrefixStore>("attempt_" + std::to_string(plan.attempt), store);
      break;
    }
  }
  // All ranks have left a former world before they join the next one.
  while (has_left(*store, plan)) {
    store = c10::make_intrusive<c10d::PrefixStore>("next", store);
  }
  return store;
}

void announce_rank(c10d::Store& store, const RendezvousPlan& plan) {
  const Member self = Member::self(plan);
  const Member first = claim(store, world_key(plan.attempt), self).value_or(self);
  if (!first.job_id.empty() && !self.job_id.empty() && first.job_id != escaped(self.job_id)) {
    // No error for the others: their job is as it should be.
    object(store, plan, warning_key(plan.attempt),
           self.describe() + of_job(self) + " came to the store" + of_job(first) + ", that of " + first.describe(),
           "Do two jobs share one port? Choose another one: MASTER_PORT, or the keyword argument 'port'");
  }
  if (first.world_size != self.world_size) {
    object(store, plan, error_key(plan.attempt),
           self.describe() + of_job(self) + " says that world_size is " + std::to_string(self.world_size) + ", but " +
               first.describe() + " at the same store says " + std::to_string(first.world_size),
           "Is WORLD_SIZE the same on all ranks, or do two jobs share one port?");
  }
  const Member holder = claim(store, rank_key(plan.attempt, plan.rank), self).value_or(self);
  if (!holder.is_same_process(self)) {
    object(store, plan, error_key(plan.attempt),
           self.describe() + of_job(self) + " is there twice: the other one is " + holder.describe() + of_job(holder),
           why_twice(plan));
  }
  if (first.libtorch != self.libtorch) {
    std::cerr << "torch_dist_init: warning: " + self.describe() + " runs LibTorch " + self.libtorch + ", but " +
                     first.describe() + " runs " + first.libtorch + ": their backends may not understand each other\n";
  }
}

Objections read_objections(c10d::Store& store, const RendezvousPlan& plan) {
  return {read(store, error_key(plan.attempt)), read(store, warning_key(plan.attempt))};
}

std::vector<int> missing_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  return without_key(store, unannounced_ranks(store, plan), gloo_key);
}

std::vector<int> announced_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  const std::vector<int> all = all_ranks(plan);
  const std::vector<int> unannounced = unannounced_ranks(store, plan);
  std::vector<int> announced;
  std::set_difference(all.begin(), all.end(), unannounced.begin(), unannounced.end(), std::back_inserter(announced));
  return announced;
}

bool lower_rank_is_here(c10d::Store& store, const RendezvousPlan& plan) {
  for (int rank = 0; rank < plan.rank; ++rank) {
    if (store.check({rank_key(plan.attempt, rank)})) {
      return true;
    }
  }
  return false;
}

std::string list_ranks(const std::vector<int>& ranks, const RendezvousPlan& plan) {
  constexpr std::size_t most_named = 32;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), most_named); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    if (const auto node = plan.node_of_rank ? plan.node_of_rank(ranks[i]) : std::nullopt) {
      text += " (" + escaped(*node) + ")";
    }
  }
  return ranks.size() <= most_named ? text : text + " and " + std::to_string(ranks.size() - most_named) + " more";
}

std::string describe_missing(const std::vector<int>& missing, const RendezvousPlan& plan) {
  return std::to_string(plan.world_size - static_cast<int>(missing.size())) + " of " + std::to_string(plan.world_size) +
         " ranks are here; missing: " + list_ranks(missing, plan);
}

}  // namespace torch_dist_init::detail
