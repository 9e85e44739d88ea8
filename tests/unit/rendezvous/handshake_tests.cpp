/// @file
/// The ranks make themselves known over the store.
#include "rendezvous/handshake.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"
#include "rendezvous/member.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

RendezvousPlan plan(int rank, int world_size) {
  RendezvousPlan plan;
  plan.kind = RendezvousPlan::Kind::registered;
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
  set(store, "torch_dist_init/0/rank/1", "1\n2\n12345\n678\nnodeB\n\n2.15.0\n");
  CHECK_THROWS_AS(announce_rank(store, plan(1, 2)), RendezvousError);
  CHECK_THROWS_WITH(announce_rank(store, plan(1, 2)),
                    ContainsSubstring("is there twice: the other one is rank 1 (host nodeB, pid 678)"));
  // Those who wait learn the same.
  CHECK_THAT(read_objections(store, plan(0, 2)).error.value(),
             ContainsSubstring("rank 1 (host") &&
                 ContainsSubstring("is there twice: the other one is rank 1 (host nodeB, pid 678)"));
}

TEST_CASE("another world size at the same store is refused, naming both", "[rendezvous]") {
  c10d::HashStore store;
  set(store, "torch_dist_init/0/world", "0\n4\n12345\n678\nnodeB\n\n2.15.0\n");
  CHECK_THROWS_WITH(announce_rank(store, plan(1, 2)), ContainsSubstring("world_size is 2") &&
                                                          ContainsSubstring("rank 0 (host nodeB, pid 678)") &&
                                                          ContainsSubstring("says 4"));
  CHECK(read_objections(store, plan(0, 4)).error.has_value());
}

TEST_CASE("a process of another job is refused; the others are told, without an error", "[rendezvous]") {
  c10d::HashStore store;
  RendezvousPlan first = plan(0, 2);
  first.job_id = "17.0";
  announce_rank(store, first);
  RendezvousPlan other = plan(1, 2);
  other.job_id = "18.0";
  CHECK_THROWS_WITH(announce_rank(store, other),
                    ContainsSubstring("of job 18.0 came to the store of job 17.0, that of rank 0 (host"));
  const Objections objections = read_objections(store, first);
  CHECK_FALSE(objections.error.has_value());
  CHECK_THAT(objections.warning.value(), ContainsSubstring("of job 18.0 came to the store of job 17.0"));
  // A launcher that tells no job is no contradiction.
  CHECK_NOTHROW(announce_rank(store, plan(1, 2)));
}

TEST_CASE("what a rank says about itself survives the way through the store", "[rendezvous]") {
  RendezvousPlan odd = plan(3, 4);
  odd.job_id = "a job\nof two lines";
  const Member self = Member::self(odd);
  const Member read = Member::from_text(self.to_text()).value();
  CHECK(read.rank == 3);
  CHECK(read.world_size == 4);
  CHECK(read.is_same_process(self));
  CHECK(read.host == self.host);
  CHECK(read.job_id == "a job\\nof two lines");
  CHECK(read.libtorch == self.libtorch);
  CHECK_FALSE(Member::from_text("").has_value());
  CHECK_FALSE(Member::from_text("1 2 3").has_value());
}

TEST_CASE("what an attempt before a restart left is not read", "[rendezvous]") {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  announce_rank(*store, plan(0, 2));
  set(*store, "default_pg/0//cpu//0/1", "an address that is gone");
  RendezvousPlan restarted = plan(0, 2);
  restarted.attempt = 1;
  const auto own = own_part(store, restarted);
  CHECK(missing_ranks(*own, restarted) == std::vector<int>{0, 1});
  announce_rank(*own, restarted);
  CHECK(missing_ranks(*own, restarted) == std::vector<int>{1});
}

TEST_CASE("a store without former attempts keeps the keys that ranks in Python use", "[rendezvous]") {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  RendezvousPlan restarted = plan(0, 2);
  restarted.attempt = 1;
  CHECK(own_part(store, restarted) == store);
}

TEST_CASE("missing ranks are named, and the list stays short", "[rendezvous]") {
  RendezvousPlan eight = plan(0, 8);
  CHECK(describe_missing({2, 5}, eight) == "6 of 8 ranks are here; missing: 2, 5");
  eight.node_of_rank = [](int rank) { return rank < 4 ? std::optional<std::string>("n1") : std::nullopt; };
  CHECK(describe_missing({2, 5}, eight) == "6 of 8 ranks are here; missing: 2 (n1), 5");
  std::vector<int> many(1000);
  for (int rank = 0; rank < 1000; ++rank) {
    many[static_cast<std::size_t>(rank)] = rank + 1;
  }
  CHECK_THAT(describe_missing(many, plan(0, 1001)),
             ContainsSubstring("1 of 1001 ranks are here; missing: 1, 2, ") && ContainsSubstring(", 32 and 968 more"));
}
