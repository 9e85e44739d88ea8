/// @file
/// The address of this host by which the other ranks reach it.
#include "rendezvous/own_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <memory>

#include "rendezvous/connect.h"

namespace torch_dist_init::detail {
namespace {

bool is_loopback(const std::string& address) { return address == "::1" || address.rfind("127.", 0) == 0; }

/// The address of the first interface that leads elsewhere.
std::optional<std::string> first_interface_address(int family, socklen_t size) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const bool leads_elsewhere = (entry->ifa_flags & IFF_RUNNING) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
    std::array<char, NI_MAXHOST> text{};
    if (leads_elsewhere && entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family &&
        ::getnameinfo(entry->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      return text.data();
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> address_for_others(const std::string& host, int port) {
  const auto towards_host = local_address_towards(host, port);
  if (!towards_host || !is_loopback(*towards_host) || is_loopback(host) || host == "localhost") {
    return towards_host;
  }
  // Addresses for documentation, which nobody has: the default route leads to them.
  for (const char* elsewhere : {"192.0.2.1", "2001:db8::1"}) {
    const auto address = local_address_towards(elsewhere, port);
    if (address && !is_loopback(*address)) {
      return address;
    }
  }
  const auto ipv4 = first_interface_address(AF_INET, sizeof(sockaddr_in));
  const auto any = ipv4 ? ipv4 : first_interface_address(AF_INET6, sizeof(sockaddr_in6));
  return any ? any : towards_host;
}

}  // namespace torch_dist_init::detail
