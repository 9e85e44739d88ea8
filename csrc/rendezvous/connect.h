/// @file
/// Finding the server of the store on the network, and the address of our own that reaches it. Knows no LibTorch.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Waits until the plan's host name resolves; a name may come later than the process (Kubernetes).
/// @throws TimeoutError with the resolver's reason when the plan's timeout has passed since `start`.
void wait_until_resolved(const RendezvousPlan& plan, std::chrono::steady_clock::time_point start);

/// Waits until something listens at the plan's host and port, asking every few tens of milliseconds: TCPStore's own
/// retries come seconds apart. Says on stderr what it waits for when that takes long.
/// @throws TimeoutError when the plan's timeout has passed since `start`; tells a name that doesn't resolve, a refused
/// connection, a host without a route, and a host that doesn't answer apart.
void wait_until_listening(const RendezvousPlan& plan, std::chrono::steady_clock::time_point start);

/// True if something accepts connections at the plan's host and port right now; asks for at most `patience`.
bool is_listening(const RendezvousPlan& plan, std::chrono::milliseconds patience);

/// A socket connected to the plan's host and port, for the caller to close; -1 if there is none within `patience`.
int connect_bare(const RendezvousPlan& plan, std::chrono::milliseconds patience);

/// An IPv4 or IPv6 address as text; nothing if it is neither.
std::optional<std::string> numeric_address(const sockaddr& address);

/// The numeric address of this host from which packets to `host` leave; nothing if it doesn't resolve or has no route.
/// Sends nothing.
std::optional<std::string> local_address_towards(const std::string& host, int port);

/// False if `host` resolves, and to none of this host's own addresses.
bool may_be_own_address(const std::string& host);

/// Whether this host could listen on `port` now: 0, or the errno of the failure.
int listen_error(int port);

}  // namespace torch_dist_init::detail
