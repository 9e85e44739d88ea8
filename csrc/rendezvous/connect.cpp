/// @file
/// Finding the server of the store on the network, and the address of our own that reaches it.
#include "rendezvous/connect.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <torch_dist_init/error.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "host.h"
#include "quoted.h"
#include "rendezvous/progress.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Socket {
 public:
  Socket(int family, int type) : fd_(::socket(family, type | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct AddressInfoDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressInfoDeleter>;

/// The addresses of a host; or null, and why in `cause`.
AddressList resolve(const std::string& host, int port, int type, std::string& cause) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = type;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) {
    cause = "the name " + quoted(host) + " does not resolve on this host (" + ::gai_strerror(error) + ")";
    return nullptr;
  }
  return AddressList(list);
}

std::string connect_failure(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "connection refused: nothing listens there";
    case ETIMEDOUT:
      return "no answer: the host is down or a firewall drops the packets";
    default:
      return std::generic_category().message(error);
  }
}

/// Connects `socket`, waiting at most `patience`. Returns 0 or an errno.
int try_connect(const Socket& socket, const addrinfo& address, milliseconds patience) {
  if (socket.fd() < 0) {
    return errno;
  }
  // Else a router's or a firewall's refusal counts as a packet lost, and is tried again in silence.
  const int on = 1;
  ::setsockopt(socket.fd(), IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
  ::setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
  if (::connect(socket.fd(), address.ai_addr, address.ai_addrlen) == 0) {
    return 0;
  }
  if (errno != EINPROGRESS) {
    return errno;
  }
  pollfd waited{socket.fd(), POLLOUT, 0};
  const int ready = ::poll(&waited, 1, static_cast<int>(patience.count()));
  if (ready <= 0) {
    return ready == 0 ? ETIMEDOUT : errno;
  }
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

/// Connects to the addresses in turn, and hands the connection to `keep` if that is given. Returns why it failed, or an
/// empty text.
std::string try_addresses(const AddressList& list, milliseconds patience, int* keep = nullptr) {
  std::string cause;
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    Socket socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK);
    const int error = try_connect(socket, *address, patience);
    if (error == 0) {
      if (keep != nullptr) {
        *keep = socket.release();
      }
      return "";
    }
    cause = connect_failure(error);
  }
  return cause;
}

std::string try_host(const std::string& host, int port, milliseconds patience, int* keep = nullptr) {
  std::string cause;
  const AddressList list = resolve(host, port, SOCK_STREAM, cause);
  return list ? try_addresses(list, patience, keep) : cause;
}

/// The pause between two tries of one rank: all ranks together make hardly more than 25,000 in a second.
milliseconds pause_between_tries(int world_size) { return milliseconds(std::max(40, world_size / 20)); }

std::string seconds(Clock::duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + " s";
}

/// Repeats `attempt`, which returns why it failed or an empty text, until it succeeds or the plan's timeout has passed.
template <class Attempt>
void wait_until(const RendezvousPlan& plan, Clock::time_point start, milliseconds pause, const Attempt& attempt) {
  const Clock::time_point deadline = start + plan.timeout;
  ProgressSchedule schedule(start);
  // Not from the pid, which repeats over containers.
  std::minstd_rand random(std::random_device{}());
  for (;;) {
    const std::string cause = attempt();
    if (cause.empty()) {
      return;
    }
    const Clock::time_point now = Clock::now();
    if (now >= deadline) {
      throw TimeoutError(describe_rank(plan.rank) + " could not reach the store of rank 0 at " + plan.endpoint() +
                         " within " + std::to_string(plan.timeout.count()) + " ms: " + cause +
                         ". Check that rank 0 runs, and that all ranks have the same address and port");
    }
    if (schedule.due(now)) {
      // One write, so that lines of several ranks don't mix.
      std::cerr << "torch_dist_init: " + describe_rank(plan.rank) + " waits for the store at " + plan.endpoint() +
                       ": " + cause + " (" + seconds(now - start) + " of " + seconds(plan.timeout) + ")\n";
    }
    // Half of the pause is random, so that many ranks don't ask in step.
    const milliseconds jittered = pause / 2 + milliseconds(static_cast<int>(random() % (pause.count() / 2 + 1)));
    std::this_thread::sleep_until(std::min(now + jittered, deadline));
  }
}

}  // namespace

void wait_until_resolved(const RendezvousPlan& plan, Clock::time_point start) {
  wait_until(plan, start, milliseconds(500), [&] {
    std::string cause;
    resolve(plan.host, plan.port, SOCK_STREAM, cause);
    return cause;
  });
}

void wait_until_listening(const RendezvousPlan& plan, Clock::time_point start) {
  std::string telling;
  AddressList addresses;
  std::string look_up_failure;
  Clock::time_point next_look_up = start;
  wait_until(plan, start, pause_between_tries(plan.world_size), [&] {
    // Not at each try: a name server may have to answer all ranks.
    if (Clock::now() >= next_look_up) {
      next_look_up = Clock::now() + milliseconds(500);
      addresses = resolve(plan.host, plan.port, SOCK_STREAM, look_up_failure);
    }
    const auto remaining = std::chrono::duration_cast<milliseconds>(start + plan.timeout - Clock::now());
    const auto patience = std::clamp(remaining, milliseconds(1), milliseconds(4000));
    const std::string cause = addresses ? try_addresses(addresses, patience) : look_up_failure;
    // That the last try had no time for an answer says nothing.
    if (telling.empty() || cause != connect_failure(ETIMEDOUT)) {
      telling = cause;
    }
    return cause.empty() ? cause : telling;
  });
}

bool is_listening(const RendezvousPlan& plan, milliseconds patience) {
  return try_host(plan.host, plan.port, patience).empty();
}

int connect_bare(const RendezvousPlan& plan, milliseconds patience) {
  int fd = -1;
  try_host(plan.host, plan.port, patience, &fd);
  return fd;
}

std::optional<std::string> numeric_address(const sockaddr& address) {
  const socklen_t size = address.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(&address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return std::nullopt;
  }
  return text.data();
}

std::optional<std::string> local_address_towards(const std::string& host, int port) {
  std::string cause;
  const AddressList list = resolve(host, port, SOCK_DGRAM, cause);
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    // Connecting a datagram socket only asks the routing table.
    const Socket socket(address->ai_family, address->ai_socktype);
    sockaddr_storage own{};
    socklen_t size = sizeof(own);
    if (socket.fd() < 0 || ::connect(socket.fd(), address->ai_addr, address->ai_addrlen) != 0 ||
        ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
      continue;
    }
    if (const auto text = numeric_address(reinterpret_cast<const sockaddr&>(own))) {
      return text;
    }
  }
  return std::nullopt;
}

bool may_be_own_address(const std::string& host) {
  std::string cause;
  const AddressList list = resolve(host, /*port=*/0, SOCK_DGRAM, cause);
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    // Only own addresses can be bound to.
    const Socket socket(address->ai_family, address->ai_socktype);
    if (::bind(socket.fd(), address->ai_addr, address->ai_addrlen) == 0 || errno != EADDRNOTAVAIL) {
      return true;
    }
  }
  return list == nullptr;
}

int listen_error(int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(nullptr, std::to_string(port).c_str(), &hints, &found) != 0) {
    return EADDRNOTAVAIL;
  }
  const AddressList list(found);
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    const Socket socket(address->ai_family, address->ai_socktype);
    const int on = 1;
    // As TCPStore: a connection of a former job that lingers in TIME_WAIT doesn't count.
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (::bind(socket.fd(), address->ai_addr, address->ai_addrlen) != 0 || ::listen(socket.fd(), 1) != 0) {
      return errno;
    }
  }
  return 0;
}

}  // namespace torch_dist_init::detail
