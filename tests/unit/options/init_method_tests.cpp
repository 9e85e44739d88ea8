/// @file
/// The URL that says where the ranks meet.
#include "options/init_method.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;
using detail::InitMethod;
using detail::parse_init_method;

TEST_CASE("env:// takes the environment's address", "[options]") {
  CHECK(parse_init_method("env://").scheme == InitMethod::Scheme::env);
  CHECK(parse_init_method("env://?rank=1&world_size=2").rank == 1);
}

TEST_CASE("tcp:// names a host and a port", "[options]") {
  const InitMethod method = parse_init_method("tcp://node-1.cluster:29501?rank=3&world_size=4&use_libuv=0");
  CHECK(method.scheme == InitMethod::Scheme::tcp);
  CHECK(method.host == "node-1.cluster");
  CHECK(method.port == 29501);
  CHECK(method.rank == 3);
  CHECK(method.world_size == 4);
  CHECK(method.use_libuv == false);
  CHECK(parse_init_method("tcp://10.0.0.1:29500/").port == 29500);
}

TEST_CASE("an IPv6 address stands in brackets in a URL (case 19)", "[options]") {
  CHECK(parse_init_method("tcp://[::1]:29500").host == "::1");
  CHECK(parse_init_method("tcp://[fd00:1::55]:29500").host == "fd00:1::55");
  CHECK_THROWS_WITH(parse_init_method("tcp://::1:29500"), ContainsSubstring("the host is missing"));
  CHECK_THROWS_WITH(parse_init_method("tcp://fd00::1:29500"), ContainsSubstring("needs brackets"));
}

TEST_CASE("file:// names an absolute path", "[options]") {
  CHECK(parse_init_method("file:///shared/job/store?rank=0&world_size=2").path == "/shared/job/store");
  CHECK_THROWS_AS(parse_init_method("file://relative/path"), ValueError);
  CHECK_THROWS_AS(parse_init_method("file:///"), ValueError);
  CHECK_THROWS_AS(parse_init_method("file:///folder/"), ValueError);
}

TEST_CASE("a malformed init_method is refused, and the message shows it", "[options]") {
  for (const char* url : {"",
                          "tcp",
                          "tcp:/host:1",
                          "http://host:1",
                          "tcp://host",
                          "tcp://:29500",
                          "tcp://host:",
                          "tcp://host:0",
                          "tcp://host:65536",
                          "tcp://host:29500x",
                          "tcp://host:-1",
                          "tcp://[::1:29500",
                          "tcp://[::1]29500",
                          "tcp://[]:29500",
                          "tcp://a/b:29500",
                          "tcp://user@host:29500",
                          "env://host:29500",
                          "tcp://host:1?rank=x",
                          "tcp://host:1?rank=-1",
                          "tcp://host:1?world_size=0",
                          "tcp://host:1?rank=1&rank=2",
                          "tcp://host:1?color=red",
                          "tcp://host:1?use_libuv=yes"}) {
    CAPTURE(url);
    CHECK_THROWS_AS(parse_init_method(url), ValueError);
  }
  CHECK_THROWS_WITH(parse_init_method("tcp://host:29500x"),
                    ContainsSubstring("'tcp://host:29500x'") && ContainsSubstring("port"));
}
