/// @file
/// The choice among the backends: which one serves which device.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backends/registry.h"

namespace torch_dist_init::detail {

/// A device and the backend that serves it.
struct DeviceBackend {
  c10::DeviceType device;
  BackendEntry backend;
};

/// The name in lower case, as get_backend() returns it.
std::string canonical_backend_name(const std::string& backend);

/// The backends that `backend` names: one name, which serves all its devices, or a list "cpu:gloo,cuda:nccl".
/// @throws BackendError for a name that is unknown or not available here, with those that are; ValueError for a bad
/// list.
std::vector<DeviceBackend> select_backends(const std::string& backend);

/// What torch.distributed takes if no backend is named: "nccl" if a device is given, "cuda:nccl" if a GPU is there,
/// else "cpu:gloo".
std::string default_backend(bool has_device_id);

/// torch.distributed's default: 10 minutes with nccl alone, else 30.
std::chrono::milliseconds default_timeout(const std::string& backend);

/// Whether the ranks of all of them find each other over a store.
bool meet_by_store(const std::vector<DeviceBackend>& selected);

/// Whether they find each other by MPI alone.
bool meet_by_mpi(const std::vector<DeviceBackend>& selected);

/// Checks all backends, as BackendEntry::check; options go to those that they are for. Returns the device that is this
/// rank's, if a backend wants one.
/// @throws TypeError if the options are for none of the backends.
std::optional<c10::Device> check_backends(const std::vector<DeviceBackend>& selected, const BackendSetting& setting);

/// The options if they are for this backend, else null.
c10::intrusive_ptr<c10d::Backend::Options> options_for(const BackendEntry& backend,
                                                       const c10::intrusive_ptr<c10d::Backend::Options>& options);

}  // namespace torch_dist_init::detail
