/// @file
/// MASTER_ADDR and MASTER_PORT.
#include "launch/endpoint.h"

#include <torch_dist_init/error.h>

#include "catch.h"
#include "variables.h"

using namespace torch_dist_init;
using namespace torch_dist_init::detail;

namespace {

std::optional<std::string> address(const std::string& value) {
  LaunchInfo info;
  read_master_addr(environment({{"MASTER_ADDR", value}}), info);
  return info.master_addr;
}

std::optional<int> port(const std::string& value) {
  LaunchInfo info;
  read_master_port(environment({{"MASTER_PORT", value}}), info);
  return info.master_port;
}

}  // namespace

TEST_CASE("case 19: an IPv6 MASTER_ADDR means the same with and without brackets", "[launch][endpoint]") {
  CHECK(address("::1") == "::1");
  CHECK(address("[::1]") == "::1");
  CHECK(address("fd00:1::55") == "fd00:1::55");
  CHECK(address("[fe80::1%eth0]") == "fe80::1%eth0");
  CHECK(address("node01") == "node01");
  CHECK(address("192.0.2.1") == "192.0.2.1");
  CHECK_FALSE(address(""));
}

TEST_CASE("a MASTER_ADDR that is no host is refused", "[launch][endpoint]") {
  REQUIRE_THROWS_WITH(address("node01:29500"), ContainsSubstring("set the port with MASTER_PORT"));
  REQUIRE_THROWS_WITH(address("[::1]:29500"), ContainsSubstring("set the port with MASTER_PORT"));
  REQUIRE_THROWS_WITH(address("[::1"), ContainsSubstring("isn't closed"));
  REQUIRE_THROWS_WITH(address("[node01]"), ContainsSubstring("IPv6"));
  REQUIRE_THROWS_WITH(address("[]"), ContainsSubstring("'[]'"));
  REQUIRE_THROWS_WITH(address("tcp://node01:29500"), ContainsSubstring("init_method"));
  // What a shell that didn't find scontrol once left there.
  REQUIRE_THROWS_WITH(address("/bin/sh: 1: scontrol: not found"), ContainsSubstring("it holds the character '/'"));
  REQUIRE_THROWS_AS(address("node01\n"), LaunchError);
  REQUIRE_THROWS_AS(address("node01,node02"), LaunchError);
}

TEST_CASE("case 49: a Kubernetes service variable is no port, and is recognised", "[launch][endpoint]") {
  REQUIRE_THROWS_AS(port("tcp://192.0.2.1:29500"), LaunchError);
  REQUIRE_THROWS_WITH(port("tcp://192.0.2.1:29500"),
                      ContainsSubstring("'tcp://192.0.2.1:29500'") && ContainsSubstring("Kubernetes service variable"));
}

TEST_CASE("case 50: a MASTER_PORT that is no port from 1 to 65535 is refused by name", "[launch][endpoint]") {
  for (const char* value : {"None", "0", "65536", "-1", "29500.0", "29500 "}) {
    INFO(value);
    REQUIRE_THROWS_AS(port(value), LaunchError);
    REQUIRE_THROWS_WITH(port(value),
                        "MASTER_PORT must be a whole number from 1 to 65535, but it is '" + std::string(value) + "'");
  }
  CHECK(port("1") == 1);
  CHECK(port("65535") == 65535);
  CHECK_FALSE(port(""));
}

TEST_CASE("a loopback master of ranks on several nodes is warned about", "[launch][endpoint]") {
  const Variables two_nodes = shell("RANK=0 WORLD_SIZE=4 LOCAL_RANK=0 LOCAL_WORLD_SIZE=2 MASTER_PORT=29500");
  for (const char* address : {"localhost", "127.0.0.1", "127.0.1.1", "::1"}) {
    INFO(address);
    const std::string variable = std::string("MASTER_ADDR=") + address;
    CHECK_THAT(warnings_of(read("pytorch", with(two_nodes, variable))),
               ContainsSubstring("the master address is " + std::string(address) +
                                 " (MASTER_ADDR), but the ranks are on "
                                 "several nodes"));
    CHECK(warnings_of(read("pytorch", with(two_nodes, variable + " LOCAL_WORLD_SIZE=4"))).empty());
  }
  CHECK(warnings_of(read("pytorch", with(two_nodes, "MASTER_ADDR=node01"))).empty());
}
