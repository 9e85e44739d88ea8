/// @file
/// The backends by name.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/export.h>
#include <torch_dist_init/launch.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace torch_dist_init::detail {

/// What is known of a backend's setting before anything is opened.
struct BackendSetting {
  Environment environment{{}};
  LaunchInfo launch;
  /// The caller's choice of a CUDA device.
  std::optional<int> device_id;
  /// The caller's options; null if there are none.
  c10::intrusive_ptr<c10d::Backend::Options> options;
};

/// What a backend is made from.
struct BackendRequest {
  /// The group's store.
  c10::intrusive_ptr<c10d::Store> store;
  /// What the backend's keys in it start with.
  std::string prefix;
  /// This process's number in the group; -1 if it is no member.
  int rank = 0;
  /// The group's size.
  int world_size = 1;
  /// The members of a sub group by their ranks in the default group; empty for the default group.
  std::vector<int> global_ranks;
  std::chrono::milliseconds timeout{};
  /// When init as a whole has to be over.
  std::chrono::steady_clock::time_point deadline;
  std::string group_name;
  /// As LaunchInfo's.
  std::string launcher;
  /// The caller's options; null if there are none.
  c10::intrusive_ptr<c10d::Backend::Options> options;
  /// The numeric address of this host by which the other ranks reach it; nothing if that isn't known.
  std::optional<std::string> own_address;
  Environment environment{{}};
  /// The device that is this rank's.
  std::optional<c10::Device> device;
  /// Whether to connect the devices now, not at the first operation.
  bool connects_now = false;
  /// For a sub group that all ranks make: the default group's backend, from which it may be split; else null.
  c10::intrusive_ptr<c10d::Backend> parent;

  /// The part of the store that is the backend's own.
  c10::intrusive_ptr<c10d::Store> own_store() const { return c10::make_intrusive<c10d::PrefixStore>(prefix, store); }
};

/// One backend: what it serves, and how it is made.
struct BackendEntry {
  std::string name;
  c10d::ProcessGroup::BackendType type;
  /// The devices whose tensors it takes, in the order of torch.distributed's map.
  std::vector<c10::DeviceType> devices;
  /// The name that its options carry; empty if it takes any.
  std::string options_name;
  /// False if its ranks find each other without a store.
  bool needs_store = true;
  /// Whether a sub group is made by all ranks of the default group. Then `create` is called on others than its members
  /// too, and returns null there.
  bool involves_all_ranks = false;
  /// Checks variables, devices and options before anything is opened; returns the device that is this rank's, if the
  /// backend wants one. Throws BackendError, LaunchError or TypeError.
  std::function<std::optional<c10::Device>(const BackendSetting&)> check;
  /// Makes the backend; waits for the other ranks.
  std::function<c10::intrusive_ptr<c10d::Backend>(const BackendRequest&)> create;
  /// Ends the job, where a process that just exits would leave the others waiting; mostly empty.
  std::function<void()> abort_job;
};

/// Adds a backend; does nothing if its name is there. For the libraries of single backends.
TORCH_DIST_INIT_API void add_backend(BackendEntry entry);

/// The backend of that name, in lower case; loads the library that holds it, if need be.
/// @throws BackendError if it is unknown, not in this build, or not installed, with those that are available.
BackendEntry find_backend(const std::string& name);

/// Whether find_backend would try to load, or has, that backend.
bool is_built(const std::string& name);

}  // namespace torch_dist_init::detail
