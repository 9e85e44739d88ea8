/// @file
/// MASTER_ADDR and MASTER_PORT: where the ranks meet, as the user or the launcher set it.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

namespace torch_dist_init::detail {

/// The port that torch.distributed's programs take when none is set.
constexpr int default_master_port = 29500;

/// Takes MASTER_ADDR, if it is set, into `info`; the brackets of an IPv6 address are removed.
/// @throws LaunchError if it is no host name and no address: a URL, a text with blanks, "host:port".
void read_master_addr(const Environment& environment, LaunchInfo& info);

/// Takes MASTER_PORT, if it is set, into `info`.
/// @throws LaunchError if it is no port from 1 to 65535.
void read_master_port(const Environment& environment, LaunchInfo& info);

/// Warns if the ranks are on several nodes and the address is the loopback one, where each node finds itself only.
void warn_of_loopback(LaunchInfo& info);

/// Takes the default port, if `info` has none yet.
void use_default_port(LaunchInfo& info);

}  // namespace torch_dist_init::detail
