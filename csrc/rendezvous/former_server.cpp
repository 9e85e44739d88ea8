/// @file
/// The server of a store that this process has left.
#include "rendezvous/former_server.h"

#include <poll.h>
#include <torch_dist_init/error.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <string>

#include "host.h"
#include "rendezvous/connect.h"
#include "rendezvous/progress.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A connection that nobody else in the process knows.
struct FormerServer {
  std::mutex mutex;
  int fd = -1;
  std::string host;
  int port = 0;

  void forget() {
    if (fd >= 0) {
      ::close(fd);
    }
    fd = -1;
  }
};

/// Never destroyed: the process's end closes the connection.
FormerServer& former_server() {
  static auto* const instance = new FormerServer;
  return *instance;
}

bool hangs_up(int fd, milliseconds patience) {
  // A server sends nothing to who says nothing: all that can come is the end.
  pollfd waited{fd, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

bool keep_former_server(const RendezvousPlan& plan) {
  FormerServer& former = former_server();
  const std::lock_guard<std::mutex> lock(former.mutex);
  former.forget();
  former.fd = connect_bare(plan, milliseconds(200));
  former.host = plan.host;
  former.port = plan.port;
  return former.fd >= 0;
}

void wait_until_former_server_is_gone(const RendezvousPlan& plan, Clock::time_point start) {
  FormerServer& former = former_server();
  const std::lock_guard<std::mutex> lock(former.mutex);
  if (former.fd < 0 || former.host != plan.host || former.port != plan.port) {
    return;
  }
  const Clock::time_point deadline = start + plan.timeout;
  ProgressSchedule schedule(start);
  for (;;) {
    const auto until = std::max(std::min(schedule.next(), deadline) - Clock::now(), Clock::duration(0));
    if (hangs_up(former.fd, std::chrono::ceil<milliseconds>(until))) {
      former.forget();
      return;
    }
    const std::string what = "the store at " + plan.endpoint() + " that this process has left: rank 0 still serves it";
    if (Clock::now() >= deadline) {
      throw TimeoutError(describe_rank(plan.rank) + " waited " + std::to_string(plan.timeout.count()) +
                         " ms for the end of " + what + ". Does it hold the former process group?");
    }
    if (schedule.due(Clock::now())) {
      std::cerr << "torch_dist_init: " + describe_rank(plan.rank) + " waits for the end of " + what + "\n";
    }
  }
}

}  // namespace torch_dist_init::detail
