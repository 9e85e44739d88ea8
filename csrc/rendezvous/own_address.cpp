/// @file
/// The address of this host by which the other ranks reach it.
#include "rendezvous/own_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <memory>

#include "host.h"
#include "rendezvous/connect.h"

namespace torch_dist_init::detail {
namespace {

/// The address of the first interface that leads elsewhere.
std::optional<std::string> first_interface_address(int family) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const bool leads_elsewhere = (entry->ifa_flags & IFF_RUNNING) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
    if (leads_elsewhere && entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family) {
      return numeric_address(*entry->ifa_addr);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> address_for_others(const std::string& host, int port) {
  const auto towards_host = local_address_towards(host, port);
  if (!towards_host || !is_loopback(*towards_host) || is_loopback(host)) {
    return towards_host;
  }
  // Addresses for documentation, which nobody has: the default route leads to them.
  for (const char* elsewhere : {"192.0.2.1", "2001:db8::1"}) {
    const auto address = local_address_towards(elsewhere, port);
    if (address && !is_loopback(*address)) {
      return address;
    }
  }
  const auto ipv4 = first_interface_address(AF_INET);
  const auto any = ipv4 ? ipv4 : first_interface_address(AF_INET6);
  return any ? any : towards_host;
}

}  // namespace torch_dist_init::detail
