/// @file
/// Where the ranks meet, decided from values.
#include "rendezvous/plan.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;
using detail::plan_rendezvous;
using detail::RendezvousPlan;
using Kind = RendezvousPlan::Kind;

namespace {

const Environment empty_environment{Environment::Variables{}};
constexpr std::chrono::milliseconds some_timeout{5000};

/// What torchrun's agent leaves on rank 0 of 2.
LaunchInfo launched(int rank = 0) {
  LaunchInfo info;
  info.launcher = "pytorch";
  info.rank = rank;
  info.world_size = 2;
  info.master_addr = "10.0.0.1";
  info.master_port = 29400;
  info.sources = {{"master_addr", "MASTER_ADDR"}, {"master_port", "MASTER_PORT"}};
  return info;
}

RendezvousPlan plan(const LaunchInfo& info, const Kwargs& kwargs = {},
                    const Environment& environment = empty_environment) {
  return plan_rendezvous(info, parse_kwargs(kwargs), environment, /*needs=*/{}, some_timeout);
}

}  // namespace

TEST_CASE("the launcher's address and port are where the ranks meet, and rank 0 serves", "[rendezvous]") {
  const RendezvousPlan first = plan(launched(0));
  CHECK(first.kind == Kind::tcp);
  CHECK(first.host == "10.0.0.1");
  CHECK(first.port == 29400);
  CHECK(first.serves);
  CHECK(first.use_libuv);
  CHECK(first.timeout == some_timeout);
  CHECK(first.endpoint() == "10.0.0.1:29400 (MASTER_ADDR, MASTER_PORT)");
  CHECK_FALSE(plan(launched(1)).serves);
}

TEST_CASE("the keyword argument port wins over the launcher's (case 11)", "[rendezvous]") {
  const RendezvousPlan chosen = plan(launched(), {{"port", 29777}});
  CHECK(chosen.port == 29777);
  CHECK(chosen.endpoint() == "10.0.0.1:29777 (MASTER_ADDR, keyword argument port)");
}

TEST_CASE("nobody serves where torchrun's agent does, and rank 0 does elsewhere (cases 31, 32)", "[rendezvous]") {
  LaunchInfo info = launched(0);
  info.agent_store = true;
  CHECK_FALSE(plan(info).serves);
  CHECK(plan(info).agent_store);
  CHECK(plan(info, {{"port", 29999}}).serves);
  CHECK_FALSE(plan(info, {{"init_method", "tcp://10.0.0.1:29400"}}).serves);
  CHECK(plan(info, {{"init_method", "tcp://10.0.0.2:29400"}}).serves);
}

TEST_CASE("rank and world_size given as arguments win over the launcher's", "[rendezvous]") {
  const RendezvousPlan chosen = plan(launched(0), {{"rank", 3}, {"world_size", 4}});
  CHECK(chosen.rank == 3);
  CHECK(chosen.world_size == 4);
  CHECK_FALSE(chosen.serves);
  CHECK_THROWS_AS(plan(launched(0), {{"rank", 2}}), ValueError);
  CHECK(plan(launched(0), {{"init_method", "tcp://h:1?rank=1"}}).rank == 1);
  CHECK_THROWS_AS(plan(launched(0), {{"init_method", "tcp://h:1?rank=1"}, {"rank", 0}}), ValueError);
}

TEST_CASE("a world of one by launcher none meets inside the process", "[rendezvous]") {
  LaunchInfo info;
  info.launcher = "none";
  CHECK(plan(info).kind == Kind::local);
  info.master_addr_help = "set MASTER_ADDR";
  CHECK_THROWS_WITH(plan(info, {{"rank", 0}, {"world_size", 2}}), "set MASTER_ADDR");
  const RendezvousPlan by_hand = plan(info, {{"rank", 1}, {"world_size", 2}, {"init_method", "tcp://host:1"}});
  CHECK(by_hand.kind == Kind::tcp);
  CHECK(by_hand.host == "host");
}

TEST_CASE("without an address the launcher's own advice is the error", "[rendezvous]") {
  LaunchInfo info = launched();
  info.master_addr.reset();
  info.master_addr_help = "MASTER_ADDR is not set: mpirun -x MASTER_ADDR=…";
  CHECK_THROWS_WITH(plan(info), info.master_addr_help);
  CHECK(plan(info, {{"init_method", "file:///shared/store"}}).kind == Kind::file);
}

TEST_CASE("a given store excludes another meeting place", "[rendezvous]") {
  const auto with_store = [](const Kwargs& kwargs) {
    return plan_rendezvous(launched(), parse_kwargs(kwargs), empty_environment,
                           detail::MeetingNeeds{/*has_store=*/true}, some_timeout);
  };
  CHECK(with_store({}).kind == Kind::given);
  CHECK_THROWS_AS(with_store({{"init_method", "env://"}}), ValueError);
  CHECK_THROWS_AS(with_store({{"port", 1}}), ValueError);
  CHECK_THROWS_AS(plan(launched(), {{"port", 1}, {"init_method", "tcp://h:1"}}), ValueError);
}

TEST_CASE("USE_LIBUV is 0 or 1, and the URL wins over it", "[rendezvous]") {
  const Environment off(Environment::Variables{{"USE_LIBUV", "0"}});
  CHECK_FALSE(plan(launched(), {}, off).use_libuv);
  CHECK(plan(launched(), {{"init_method", "tcp://h:1?use_libuv=1"}}, off).use_libuv);
  CHECK_THROWS_AS(plan(launched(), {}, Environment(Environment::Variables{{"USE_LIBUV", "yes"}})), LaunchError);
}

TEST_CASE("an IPv6 address is shown in brackets", "[rendezvous]") {
  LaunchInfo info = launched();
  info.master_addr = "fd00::1";
  CHECK_THAT(plan(info).endpoint(), ContainsSubstring("[fd00::1]:29400"));
}

TEST_CASE("options that were set as fields are checked too (case 4)", "[rendezvous]") {
  const auto plan_with = [](const std::function<void(KwargOptions&)>& set) {
    KwargOptions options;
    set(options);
    return plan_rendezvous(launched(), options, empty_environment, /*needs=*/{}, some_timeout);
  };
  CHECK_NOTHROW(plan_with([](KwargOptions&) {}));
  CHECK_THROWS_WITH(plan_with([](KwargOptions& options) { options.timeout = std::chrono::milliseconds(0); }),
                    "option 'timeout' must be from 1 ms to 2147483 s, but it is 0 ms");
  CHECK_THROWS_AS(plan_with([](KwargOptions& options) { options.timeout = std::chrono::hours(24 * 365); }), ValueError);
  CHECK_THROWS_WITH(plan_with([](KwargOptions& options) { options.port = 65536; }),
                    "option 'port' must be from 1 to 65535, but it is 65536");
  CHECK_THROWS_AS(plan_with([](KwargOptions& options) { options.rank = -1; }), ValueError);
  CHECK_THROWS_AS(plan_with([](KwargOptions& options) { options.world_size = 0; }), ValueError);
  CHECK_THROWS_AS(plan_with([](KwargOptions& options) { options.device_id = -1; }), ValueError);
}
