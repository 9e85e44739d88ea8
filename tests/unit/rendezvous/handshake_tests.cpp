/// @file
/// The ranks make themselves known over the store.
#include "rendezvous/handshake.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

RendezvousPlan plan(int rank, int world_size) {
  RendezvousPlan plan;
  plan.kind = RendezvousPlan::Kind::given;
  plan.rank = rank;
  plan.world_size = world_size;
  return plan;
}

void set(c10d::Store& store, const std::string& key, const std::string& value) {
  store.set(key, std::vector<std::uint8_t>(value.begin(), value.end()));
}

}  // namespace

TEST_CASE("a rank that has made itself known is not missing", "[rendezvous]") {
  c10d::HashStore store;
  CHECK(missing_ranks(store, plan(0, 3)) == std::vector<int>{0, 1, 2});
  announce_rank(store, plan(0, 3));
  announce_rank(store, plan(2, 3));
  CHECK(missing_ranks(store, plan(0, 3)) == std::vector<int>{1});
}

TEST_CASE("a rank in Python is known by the key that Gloo leaves", "[rendezvous]") {
  c10d::HashStore store;
  announce_rank(store, plan(0, 2));
  set(store, "default_pg/0//cpu//0/1", "address");
  CHECK(missing_ranks(store, plan(0, 2)).empty());
}

TEST_CASE("a process may make itself known again, after a failed try", "[rendezvous]") {
  c10d::HashStore store;
  announce_rank(store, plan(0, 2));
  CHECK_NOTHROW(announce_rank(store, plan(0, 2)));
}

TEST_CASE("a rank that another process holds is refused, naming its host and pid (case 47)", "[rendezvous]") {
  c10d::HashStore store;
  set(store, "torch_dist_init/0/rank/1", "1 2 12345 678 nodeB");
  CHECK_THROWS_AS(announce_rank(store, plan(1, 2)), RendezvousError);
  CHECK_THROWS_WITH(announce_rank(store, plan(1, 2)), ContainsSubstring("host nodeB, pid 678"));
}

TEST_CASE("another world size at the same store is refused, naming both", "[rendezvous]") {
  c10d::HashStore store;
  set(store, "torch_dist_init/0/world", "0 4 12345 678 nodeB");
  CHECK_THROWS_WITH(announce_rank(store, plan(1, 2)), ContainsSubstring("world_size is 2") &&
                                                          ContainsSubstring("rank 0 (host nodeB, pid 678)") &&
                                                          ContainsSubstring("says 4"));
}

TEST_CASE("what an attempt before a restart left is not read", "[rendezvous]") {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  announce_rank(*store, plan(0, 2));
  set(*store, "default_pg/0//cpu//0/1", "an address that is gone");
  RendezvousPlan restarted = plan(0, 2);
  restarted.attempt = 1;
  const auto own = without_former_attempts(store, restarted);
  CHECK(missing_ranks(*own, restarted) == std::vector<int>{0, 1});
  announce_rank(*own, restarted);
  CHECK(missing_ranks(*own, restarted) == std::vector<int>{1});
}

TEST_CASE("a store without former attempts keeps the keys that ranks in Python use", "[rendezvous]") {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  RendezvousPlan restarted = plan(0, 2);
  restarted.attempt = 1;
  CHECK(without_former_attempts(store, restarted) == store);
}

TEST_CASE("missing ranks are named, and the list stays short", "[rendezvous]") {
  CHECK(describe_missing({2, 5}, 8) == "6 of 8 ranks are here; missing: 2, 5");
  std::vector<int> many(1000);
  for (int rank = 0; rank < 1000; ++rank) {
    many[static_cast<std::size_t>(rank)] = rank + 1;
  }
  CHECK_THAT(describe_missing(many, 1001),
             ContainsSubstring("1 of 1001 ranks are here; missing: 1, 2, ") && ContainsSubstring(", 32 and 968 more"));
}
