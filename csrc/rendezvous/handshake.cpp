/// @file
/// The ranks make themselves known over the store, so that an error can name who is missing, there twice, or from
/// another job.
#include "rendezvous/handshake.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <thread>

#include "backends/compat.h"
#include "host.h"
#include "quoted.h"
#include "rendezvous/keys.h"
#include "rendezvous/leave.h"
#include "rendezvous/member.h"
#include "rendezvous/store.h"

namespace torch_dist_init::detail {
namespace {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

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
  stay_for_objection(plan);
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
    return {ranks.front()};
  }
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
  std::vector<int> missing = without_key(store, std::vector<int>(ranks.begin(), middle), key_of);
  const std::vector<int> others = without_key(store, std::vector<int>(middle, ranks.end()), key_of);
  missing.insert(missing.end(), others.begin(), others.end());
  return missing;
}

std::vector<int> unannounced_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  return without_key(store, plan.members(), [&](int rank) { return rank_key(plan, rank); });
}

/// Where Gloo publishes the members' addresses, in C++ and in Python, each under its number in the group.
std::string gloo_prefix(const RendezvousPlan& plan) {
  const std::string default_pg = plan.kind == RendezvousPlan::Kind::given ? "" : "default_pg/";
  const std::string sub_group = plan.group_ranks.empty() ? "" : plan.group_name + "//";
  return default_pg + default_group_name + "//" + sub_group + "cpu//0/";
}

std::string members_of(const Member& member) {
  return member.group.empty() ? "all ranks" : "the ranks " + member.group;
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

StorePtr beside(const StorePtr& used, const RendezvousPlan& plan) {
  switch (plan.kind) {
    case RendezvousPlan::Kind::tcp: {
      const StorePtr store = connect_again(plan, std::min(plan.timeout, std::chrono::milliseconds(20'000)));
      return store ? own_part(store, plan) : nullptr;
    }
    case RendezvousPlan::Kind::file:
    case RendezvousPlan::Kind::local:
    case RendezvousPlan::Kind::mpi:
      // Never busy.
      return used;
    default:
      return compat::clone(*used);
  }
}

void announce_rank(c10d::Store& store, const RendezvousPlan& plan) {
  const Member self = Member::self(plan);
  const Member first = claim(store, first_key(plan), self).value_or(self);
  if (!first.job_id.empty() && !self.job_id.empty() && first.job_id != escaped(self.job_id)) {
    // No error for the others: their job is as it should be.
    object(store, plan, warning_key(plan),
           self.describe() + of_job(self) + " came to the store" + of_job(first) + ", that of " + first.describe(),
           "Do two jobs share one port? Choose another one: MASTER_PORT, or the keyword argument 'port'");
  }
  if (first.world_size != self.world_size) {
    object(store, plan, error_key(plan),
           self.describe() + of_job(self) + " says that world_size is " + std::to_string(self.world_size) + ", but " +
               first.describe() + " at the same store says " + std::to_string(first.world_size),
           "Is WORLD_SIZE the same on all ranks, or do two jobs share one port?");
  }
  if (first.group != self.group) {
    object(store, plan, error_key(plan),
           self.describe() + " makes group '" + plan.group_name + "' of " + members_of(self) + ", but " +
               first.describe() + " makes it of " + members_of(first),
           "All ranks must make the same groups in the same order, unless use_local_synchronization is set");
  }
  const Member holder = claim(store, rank_key(plan, plan.rank), self).value_or(self);
  if (!holder.is_same_process(self)) {
    object(store, plan, error_key(plan),
           self.describe() + of_job(self) + " is there twice: the other one is " + holder.describe() + of_job(holder),
           why_twice(plan));
  }
  if (first.libtorch != self.libtorch && plan.group_ranks.empty()) {
    std::cerr << "torch_dist_init: warning: " + self.describe() + " runs LibTorch " + self.libtorch + ", but " +
                     first.describe() + " runs " + first.libtorch + ": their backends may not understand each other\n";
  }
}

Objections read_objections(c10d::Store& store, const RendezvousPlan& plan) {
  return {read(store, error_key(plan)), read(store, warning_key(plan))};
}

std::vector<int> missing_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  const std::vector<int> members = plan.members();
  const std::string prefix = gloo_prefix(plan);
  return without_key(store, unannounced_ranks(store, plan), [&](int rank) {
    return prefix + std::to_string(std::find(members.begin(), members.end(), rank) - members.begin());
  });
}

std::vector<int> announced_ranks(c10d::Store& store, const RendezvousPlan& plan) {
  std::vector<int> all = plan.members();
  std::vector<int> unannounced = unannounced_ranks(store, plan);
  std::sort(all.begin(), all.end());
  std::sort(unannounced.begin(), unannounced.end());
  std::vector<int> announced;
  std::set_difference(all.begin(), all.end(), unannounced.begin(), unannounced.end(), std::back_inserter(announced));
  return announced;
}

void stay_for_objection(const RendezvousPlan& plan) {
  if (plan.serves) {
    // Longer than the pause between two looks of a rank that waits.
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }
}

bool lower_rank_is_here(c10d::Store& store, const RendezvousPlan& plan) {
  const std::vector<int> members = plan.members();
  return std::any_of(members.begin(), members.end(),
                     [&](int rank) { return rank < plan.rank && store.check({rank_key(plan, rank)}); });
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
  const std::size_t size = plan.members().size();
  return std::to_string(size - missing.size()) + " of " + std::to_string(size) + " ranks " +
         (plan.group_ranks.empty() ? "" : "of group '" + plan.group_name + "' ") +
         "are here; missing: " + list_ranks(missing, plan);
}

}  // namespace torch_dist_init::detail
