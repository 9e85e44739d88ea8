/// @file
/// A thousand ranks at one store: as threads of one process, since this is about the store and not about processes.
#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

TEST_CASE("a thousand ranks that wait don't keep the store from starting, and all of them join", "[integration]") {
  const std::string port = std::to_string(free_port());
  Process clients({RENDEZVOUS_CLIENTS, "join", "1000", port}, {});
  for (int rank = 1; rank <= 1000; ++rank) {
    INFO("rank " << rank << " waits");
    REQUIRE(clients.wait_for_output("rank " + std::to_string(rank) + " on host "));
  }
  Process server({RENDEZVOUS_CLIENTS, "serve", "1000", port}, {});
  CHECK(server.wait_for_output("serving"));
  const Outcome outcome = clients.wait();
  INFO(outcome.output.substr(0, 1000));
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "waits for the store at 127.0.0.1:" + port) >= 1000);
  CHECK_THAT(outcome.output, ContainsSubstring("missing 0\n"));
}
