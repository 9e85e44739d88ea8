/// @file
/// The backends by name, and the choice among them.
#pragma once

#include <torch_dist_init/environment.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace torch_dist_init::detail {

/// What a backend is made from.
struct BackendRequest {
  /// The group's store.
  c10::intrusive_ptr<c10d::Store> store;
  /// What the backend's keys in it start with.
  std::string prefix;
  int rank = 0;
  int world_size = 1;
  std::chrono::milliseconds timeout{};
  /// When init as a whole has to be over.
  std::chrono::steady_clock::time_point deadline;
  std::string group_name;
  /// The caller's options; null if there are none.
  c10::intrusive_ptr<c10d::Backend::Options> options;
  /// The numeric address of this host by which the other ranks reach it; nothing if that isn't known.
  std::optional<std::string> own_address;
  Environment environment;
};

/// One backend: what it serves, and how it is made.
struct BackendEntry {
  std::string name;
  c10d::ProcessGroup::BackendType type;
  /// The devices whose tensors it takes, in the order of torch.distributed's map.
  std::vector<c10::DeviceType> devices;
  /// Checks variables and options before anything is opened; throws BackendError or TypeError.
  std::function<void(const Environment&, const c10::intrusive_ptr<c10d::Backend::Options>&)> check;
  /// Makes the backend; waits for the other ranks.
  std::function<c10::intrusive_ptr<c10d::Backend>(const BackendRequest&)> create;
};

/// A device and the backend that serves it.
struct DeviceBackend {
  c10::DeviceType device;
  BackendEntry backend;
};

/// The backends that `backend` names: one name, which serves all its devices, or a list "cpu:gloo,cuda:nccl".
/// @throws BackendError for a name that is unknown or not available here, with those that are; ValueError for a bad
/// list.
std::vector<DeviceBackend> select_backends(const std::string& backend);

/// The name in lower case, as get_backend() returns it.
std::string canonical_backend_name(const std::string& backend);

/// torch.distributed's default: 10 minutes with nccl alone, else 30.
std::chrono::milliseconds default_timeout(const std::string& backend);

}  // namespace torch_dist_init::detail
