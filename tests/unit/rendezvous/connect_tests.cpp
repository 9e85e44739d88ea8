/// @file
/// The address of our own that reaches another host, and whether a port is free.
#include "rendezvous/connect.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "catch.h"

using namespace torch_dist_init::detail;

TEST_CASE("the way to a loopback address starts at a loopback address", "[rendezvous]") {
  CHECK(local_address_towards("127.0.0.1", 29500) == "127.0.0.1");
  CHECK(local_address_towards("localhost", 29500).has_value());
}

TEST_CASE("there is no way to a name that doesn't resolve", "[rendezvous]") {
  CHECK_FALSE(local_address_towards("does-not-exist.invalid", 29500).has_value());
}

TEST_CASE("an address of another host is told from an own one (case 28)", "[rendezvous]") {
  CHECK(may_be_own_address("127.0.0.1"));
  CHECK(may_be_own_address("localhost"));
  CHECK_FALSE(may_be_own_address("192.0.2.1"));
  CHECK(may_be_own_address("does-not-exist.invalid"));
}

TEST_CASE("a port on which somebody listens is busy", "[rendezvous]") {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(fd, 1) == 0);
  REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const int port = ntohs(address.sin_port);
  CHECK(listen_error(port) == EADDRINUSE);
  ::close(fd);
  CHECK(listen_error(port) == 0);
}
