/// @file
/// The backends by name, and the choice among them.
#include "backends/registry.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "backends/gloo.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

const std::vector<BackendEntry>& entries() {
  static const std::vector<BackendEntry> all = {gloo_backend()};
  return all;
}

std::string available_names() {
  std::string names;
  for (const BackendEntry& entry : entries()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

const BackendEntry& find_backend(const std::string& name) {
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const BackendEntry& entry) { return entry.name == name; });
  if (found != entries().end()) {
    return *found;
  }
  const bool known = name == "nccl" || name == "mpi";
  throw BackendError("backend " + detail::quoted(name) + " is " +
                     (known ? "not part of this build of torch_dist_init" : "unknown") +
                     "; available here: " + available_names());
}

c10::DeviceType parse_device(const std::string& name, const std::string& pair) {
  for (const c10::DeviceType device : {c10::DeviceType::CPU, c10::DeviceType::CUDA}) {
    if (name == c10::DeviceTypeName(device, /*lower_case=*/true)) {
      return device;
    }
  }
  throw ValueError("Invalid device:backend pairing: " + detail::quoted(pair) + ": the device must be cpu or cuda");
}

std::vector<DeviceBackend> parse_list(const std::string& list) {
  std::vector<DeviceBackend> selected;
  // With a comma at the end getline sees an empty last item too.
  std::istringstream stream(list + ",");
  for (std::string pair; std::getline(stream, pair, ',');) {
    const std::size_t colon = pair.find(':');
    if (colon == std::string::npos || pair.find(':', colon + 1) != std::string::npos) {
      throw ValueError("Invalid device:backend pairing: " + detail::quoted(pair) + " in " + detail::quoted(list) +
                       ": expected device:backend pairs separated by commas, as cpu:gloo,cuda:nccl");
    }
    const c10::DeviceType device = parse_device(pair.substr(0, colon), pair);
    const auto same_device = [device](const DeviceBackend& earlier) { return earlier.device == device; };
    if (std::any_of(selected.begin(), selected.end(), same_device)) {
      throw ValueError("Duplicate device type " + detail::quoted(pair.substr(0, colon)) +
                       " in backend string: " + detail::quoted(list));
    }
    const std::string name = pair.substr(colon + 1);
    const BackendEntry& backend = find_backend(name);
    if (std::find(backend.devices.begin(), backend.devices.end(), device) == backend.devices.end()) {
      throw ValueError("Invalid device:backend pairing: " + detail::quoted(pair) + ": " + backend.name +
                       " does not take such tensors");
    }
    selected.push_back({device, backend});
  }
  return selected;
}

}  // namespace

std::string canonical_backend_name(const std::string& backend) {
  std::string name = backend;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::vector<DeviceBackend> select_backends(const std::string& backend) {
  const std::string name = canonical_backend_name(backend);
  if (name.find_first_of(":,") != std::string::npos) {
    return parse_list(name);
  }
  const BackendEntry& entry = find_backend(name);
  std::vector<DeviceBackend> selected;
  for (const c10::DeviceType device : entry.devices) {
    selected.push_back({device, entry});
  }
  return selected;
}

std::chrono::milliseconds default_timeout(const std::string& backend) {
  return canonical_backend_name(backend) == "nccl" ? std::chrono::minutes(10) : std::chrono::minutes(30);
}

}  // namespace torch_dist_init::detail
