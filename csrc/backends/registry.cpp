/// @file
/// The backends by name.
#include "backends/registry.h"

#include <torch_dist_init/backend.h>
#include <torch_dist_init/error.h>

#include <torch/version.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <utility>

#include "backends/gloo.h"
#include "backends/library.h"
#include "backends/selection.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<BackendEntry> entries = {gloo_backend()};
};

/// Never destroyed: static objects of the program may still ask while it exits.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

/// Returns whether it was added.
bool add(BackendEntry entry) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  auto& entries = registry().entries;
  if (std::any_of(entries.begin(), entries.end(),
                  [&](const BackendEntry& other) { return other.name == entry.name; })) {
    return false;
  }
  entries.push_back(std::move(entry));
  return true;
}

std::optional<BackendEntry> registered(const std::string& name) {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  for (const BackendEntry& entry : registry().entries) {
    if (entry.name == name) {
      return entry;
    }
  }
  return std::nullopt;
}

/// The names that have not failed: registered, or in a library that is there.
std::string available_names() {
  std::string names;
  const auto append = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    for (const BackendEntry& entry : registry().entries) {
      append(entry.name);
    }
  }
  for (const char* name : {"nccl", "mpi"}) {
    if (is_built(name) && has_backend_library(name) && !registered(name)) {
      append(name);
    }
  }
  return names;
}

/// Why a known backend can't be in this build.
std::string why_not_built(const std::string& library) {
  const std::string libtorch = std::string("this LibTorch (") + TORCH_VERSION + ")";
  if (library == "mpi") {
    return libtorch_has_mpi
               ? "torch_dist_init was built without it, since MPI's headers were not found then: install them (Debian: "
                 "apt install libopenmpi-dev) and build it again"
               : libtorch +
                     " has none: Debian's and Ubuntu's libtorch-dev has, and a PyTorch that is built with MPI "
                     "there. Launcher and backend are separate things: launcher 'mpi' goes with gloo and nccl "
                     "too";
  }
  return libtorch_has_nccl
             ? "torch_dist_init was built without it, since the headers of CUDA and NCCL were not found then: those of "
               "the nvidia wheels beside torch serve, or a CUDA toolkit's with nccl.h. Build it again"
             : libtorch + " has none: it was built without CUDA, or without NCCL";
}

/// The library that holds a backend of this name; empty for one that isn't ours.
std::string library_of(const std::string& name) {
  if (name == "nccl" || name == "nccl2" || name == "nccl-legacy") {
    return "nccl";
  }
  return name == "mpi" ? name : "";
}

}  // namespace

void add_backend(BackendEntry entry) { add(std::move(entry)); }

bool is_built(const std::string& name) {
  return registered(name) || (library_of(name) == "nccl" && has_nccl) || (library_of(name) == "mpi" && has_mpi);
}

BackendEntry find_backend(const std::string& name) {
  if (const auto found = registered(name)) {
    return *found;
  }
  const std::string library = library_of(name);
  std::string problem = " is unknown";
  if (!library.empty() && !is_built(name)) {
    problem = " is not available: " + why_not_built(library);
  } else if (!library.empty()) {
    const auto failure = load_backend_library(library);
    if (const auto found = registered(name)) {
      return *found;
    }
    problem =
        failure ? " is not installed: " + *failure : " is not in this LibTorch (" TORCH_VERSION "), which has nccl";
  }
  throw BackendError("backend " + detail::quoted(name) + problem + ". Available here: " + available_names());
}

}  // namespace torch_dist_init::detail

namespace torch_dist_init {

void register_backend(const std::string& name, const std::vector<c10::DeviceType>& devices, BackendCreator creator) {
  const std::string key = detail::canonical_backend_name(name);
  const auto is_allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (key.empty() || !std::all_of(key.begin(), key.end(), is_allowed)) {
    throw ValueError("a backend's name must consist of letters, digits, '-' and '_', but it is " +
                     detail::quoted(name));
  }
  if (devices.empty()) {
    throw ValueError("backend " + detail::quoted(name) + " must take tensors of a device, but no devices are given");
  }
  detail::BackendEntry entry;
  entry.name = key;
  entry.type = c10d::ProcessGroup::BackendType::CUSTOM;
  entry.devices = devices;
  entry.check = [](const detail::BackendSetting&) { return std::nullopt; };
  entry.create = [key, creator = std::move(creator)](const detail::BackendRequest& request) {
    c10d::DistributedBackendOptions options;
    options.store = request.own_store();
    options.group_rank = request.rank;
    options.group_size = request.world_size;
    options.timeout = request.timeout;
    options.group_id = request.group_name;
    options.global_ranks_in_group.assign(request.global_ranks.begin(), request.global_ranks.end());
    auto backend = creator(options, request.options);
    if (!backend) {
      throw BackendError("the creator of backend '" + key + "' returned null");
    }
    return backend;
  };
  if (!detail::library_of(key).empty() || !detail::add(std::move(entry))) {
    throw ValueError("there is a backend " + detail::quoted(key) + " already");
  }
}

}  // namespace torch_dist_init
