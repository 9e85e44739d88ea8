/// @file
/// The address of this host by which the other ranks reach it. Knows no LibTorch.
#pragma once

#include <optional>
#include <string>

namespace torch_dist_init::detail {

/// The numeric address of this host for ranks that meet at `host`: the one from which packets to it leave. Where `host`
/// is a name that means this host alone, as Debian maps a host's own name to 127.0.1.1, the address of the default
/// route, else of the first interface; the loopback one only if there is no other, or `host` itself says loopback.
/// Nothing if `host` doesn't resolve or has no route. Sends nothing.
std::optional<std::string> address_for_others(const std::string& host, int port);

}  // namespace torch_dist_init::detail
