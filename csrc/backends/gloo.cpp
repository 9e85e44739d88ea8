/// @file
/// The gloo backend: LibTorch's c10d::ProcessGroupGloo on the right network interface.
#include "backends/gloo.h"

#include <ifaddrs.h>
#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <memory>
#include <set>
#include <sstream>

#include "backends/compat.h"
#include "backends/mesh_store.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

using c10d::ProcessGroupGloo;

std::set<std::string> interfaces_with_addresses() {
  std::set<std::string> names;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
      const int family = entry->ifa_addr == nullptr ? AF_UNSPEC : entry->ifa_addr->sa_family;
      if (family == AF_INET || family == AF_INET6) {
        names.insert(entry->ifa_name);
      }
    }
  }
  return names;
}

/// The interfaces that GLOO_SOCKET_IFNAME names, each known to exist.
std::vector<std::string> chosen_interfaces(const Environment& environment) {
  std::vector<std::string> chosen;
  const auto value = environment.get("GLOO_SOCKET_IFNAME");
  if (!value) {
    return chosen;
  }
  const std::set<std::string> existing = interfaces_with_addresses();
  // With a comma at the end getline sees an empty last name too.
  std::istringstream stream(*value + ",");
  for (std::string name; std::getline(stream, name, ',');) {
    if (existing.count(name) == 0) {
      std::string message = "GLOO_SOCKET_IFNAME is " + detail::quoted(*value) + ", but this host has no interface " +
                            detail::quoted(name) + " with an address; it has:";
      for (const std::string& other : existing) {
        message += " " + other;
      }
      if (name.find('^') != std::string::npos) {
        message += ". Gloo does not accept '^' lists as NCCL does: name the interfaces to use";
      }
      throw BackendError(message);
    }
    chosen.push_back(name);
  }
  return chosen;
}

std::optional<c10::Device> check_gloo(const BackendSetting& setting) {
  chosen_interfaces(setting.environment);
  if (setting.options && dynamic_cast<ProcessGroupGloo::Options*>(setting.options.get()) == nullptr) {
    throw TypeError("pg_options for gloo must be a c10d::ProcessGroupGloo::Options");
  }
  return std::nullopt;
}

std::vector<std::shared_ptr<::gloo::transport::Device>> make_devices(const BackendRequest& request) {
  std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
  for (const std::string& name : chosen_interfaces(request.environment)) {
    devices.push_back(ProcessGroupGloo::createDeviceForInterface(name));
  }
  if (devices.empty()) {
    // Gloo's own default is the address of the host's name, which is often the loopback one: no other host reaches
    // that.
    devices.push_back(request.own_address ? ProcessGroupGloo::createDeviceForHostname(*request.own_address)
                                          : ProcessGroupGloo::createDefaultDevice());
  }
  return devices;
}

c10::intrusive_ptr<c10d::Backend> create_gloo(const BackendRequest& request) {
  auto options = request.options ? c10::dynamic_intrusive_pointer_cast<ProcessGroupGloo::Options>(request.options)
                                 : ProcessGroupGloo::Options::create();
  options->timeout = request.timeout;
  compat::set_group_name(*options, request.group_name);
  if (options->devices.empty()) {
    options->devices = make_devices(request);
  }
  const auto store =
      c10::make_intrusive<MeshStore>(request.prefix, request.store, request.world_size, request.deadline);
  return c10::make_intrusive<ProcessGroupGloo>(store, request.rank, request.world_size, options);
}

}  // namespace

BackendEntry gloo_backend() {
  BackendEntry entry;
  entry.name = "gloo";
  entry.type = c10d::ProcessGroup::BackendType::GLOO;
  entry.devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA};
  entry.options_name = "gloo";
  entry.check = check_gloo;
  entry.create = create_gloo;
  return entry;
}

}  // namespace torch_dist_init::detail
