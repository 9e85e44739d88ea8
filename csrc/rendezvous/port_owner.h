/// @file
/// Which process listens on a TCP port of this host, for messages.
#pragma once

#include <string>

namespace torch_dist_init::detail {

/// "process 4711 (python3)", from /proc; empty if that tells nothing, as of other users' processes.
std::string describe_port_owner(int port);

}  // namespace torch_dist_init::detail
