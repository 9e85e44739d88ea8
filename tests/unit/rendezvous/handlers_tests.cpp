/// @file
/// Schemes of init_method that a program registers.
#include <torch_dist_init/torch_dist_init.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "catch.h"

using namespace torch_dist_init;

namespace {

Rendezvous in_memory(const std::string&, int rank, int world_size, std::chrono::milliseconds) {
  return {c10::make_intrusive<c10d::HashStore>(), rank, world_size};
}

}  // namespace

TEST_CASE("a registered scheme makes the store, and may give out the rank", "[rendezvous]") {
  std::string seen_url;
  int seen_size = 0;
  std::chrono::milliseconds seen_timeout{};
  register_rendezvous_handler("test-ranks",
                              [&](const std::string& url, int, int world_size, std::chrono::milliseconds timeout) {
                                seen_url = url;
                                seen_size = world_size;
                                seen_timeout = timeout;
                                return Rendezvous{c10::make_intrusive<c10d::HashStore>(), 0, 1};
                              });
  init_dist("none", "gloo", {{"init_method", "test-ranks://any/where?world_size=3&colour=red"}, {"timeout", 7}});
  CHECK(seen_url == "test-ranks://any/where?world_size=3&colour=red");
  CHECK(seen_size == 3);
  CHECK(seen_timeout == std::chrono::seconds(7));
  CHECK(get_world_size() == 1);
  destroy_process_group();
}

TEST_CASE("a handler that fails or returns nonsense is an error that names the URL", "[rendezvous]") {
  register_rendezvous_handler("test-null",
                              [](const std::string&, int, int, std::chrono::milliseconds) { return Rendezvous{}; });
  register_rendezvous_handler("test-rank", [](const std::string&, int, int, std::chrono::milliseconds) {
    return Rendezvous{c10::make_intrusive<c10d::HashStore>(), 2, 2};
  });
  register_rendezvous_handler("test-throw", [](const std::string&, int, int, std::chrono::milliseconds) -> Rendezvous {
    throw std::runtime_error("no such room");
  });
  const auto init = [](const char* url) { init_dist("none", "gloo", {{"init_method", url}}); };
  CHECK_THROWS_AS(init("test-null://a"), RendezvousError);
  CHECK_THROWS_WITH(init("test-null://a"), ContainsSubstring("'test-null://a' returned no store"));
  CHECK_THROWS_WITH(init("test-rank://a"), ContainsSubstring("returned rank 2 of world_size 2"));
  CHECK_THROWS_WITH(init("test-throw://a"), ContainsSubstring("'test-throw://a' failed: no such room"));
  CHECK_FALSE(is_initialized());
}

TEST_CASE("a scheme is registered once, and not in place of a built-in one", "[rendezvous]") {
  register_rendezvous_handler("test-once", in_memory);
  CHECK_THROWS_WITH(register_rendezvous_handler("test-once", in_memory),
                    "Rendezvous handler for test-once:// already registered");
  for (const char* scheme : {"env", "tcp", "file", "", "a b", "a:b"}) {
    CHECK_THROWS_AS(register_rendezvous_handler(scheme, in_memory), ValueError);
  }
  CHECK_THROWS_AS(register_rendezvous_handler("test-empty", nullptr), ValueError);
  CHECK_THROWS_WITH(
      init_dist("none", "gloo", {{"init_method", "test-unknown://a"}}),
      ContainsSubstring("expected env://, tcp://host:port or file:///path") && ContainsSubstring("or test-once://"));
}
