/// @file
/// The choice among the backends.
#include "backends/selection.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "backends/cuda.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

c10::DeviceType parse_device(const std::string& name, const std::string& pair) {
  try {
    return c10::Device(name).type();
  } catch (const c10::Error&) {
    throw ValueError("Invalid device:backend pairing: " + detail::quoted(pair) + ": " + detail::quoted(name) +
                     " is no type of device; cpu and cuda are");
  }
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
    const BackendEntry backend = find_backend(pair.substr(colon + 1));
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
  const BackendEntry entry = find_backend(name);
  std::vector<DeviceBackend> selected;
  for (const c10::DeviceType device : entry.devices) {
    selected.push_back({device, entry});
  }
  return selected;
}

std::string default_backend(bool has_device_id) {
  if (has_device_id) {
    return "nccl";
  }
  return is_built("nccl") && cuda_is_available() ? "cuda:nccl" : "cpu:gloo";
}

std::chrono::milliseconds default_timeout(const std::string& backend) {
  const std::string name = canonical_backend_name(backend);
  const bool is_nccl = name == "nccl" || name == "nccl2" || name == "nccl-legacy";
  return is_nccl ? std::chrono::minutes(10) : std::chrono::minutes(30);
}

bool meet_by_store(const std::vector<DeviceBackend>& selected) {
  return std::all_of(selected.begin(), selected.end(),
                     [](const DeviceBackend& choice) { return choice.backend.needs_store; });
}

bool meet_by_mpi(const std::vector<DeviceBackend>& selected) {
  return std::none_of(selected.begin(), selected.end(),
                      [](const DeviceBackend& choice) { return choice.backend.needs_store; });
}

std::optional<c10::Device> check_backends(const std::vector<DeviceBackend>& selected, const BackendSetting& setting) {
  std::optional<c10::Device> device;
  bool options_fit = !setting.options;
  for (const DeviceBackend& choice : selected) {
    BackendSetting own = setting;
    own.options = options_for(choice.backend, setting.options);
    options_fit = options_fit || own.options;
    const auto wanted = choice.backend.check(own);
    device = device ? device : wanted;
  }
  if (!options_fit) {
    throw TypeError("pg_options are for backend " + detail::quoted(setting.options->backend) + ", but the backend is " +
                    detail::quoted(selected.front().backend.name));
  }
  return device;
}

c10::intrusive_ptr<c10d::Backend::Options> options_for(const BackendEntry& backend,
                                                       const c10::intrusive_ptr<c10d::Backend::Options>& options) {
  const bool fit = options && (backend.options_name.empty() || backend.options_name == options->backend);
  return fit ? options : nullptr;
}

}  // namespace torch_dist_init::detail
