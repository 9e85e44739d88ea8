/// @file
/// Backends of one's own, beside gloo, nccl and mpi.
#pragma once

#include <torch_dist_init/export.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <functional>
#include <string>
#include <vector>

namespace torch_dist_init {

/// Makes a backend for one group, and may wait for the other ranks; as the creators of torch.distributed's
/// Backend.register_backend(extended_api=True).
/// @param options the group: `store` (the backend's own part of it), `group_rank`, `group_size`, `timeout` (seconds),
/// `group_id` (the group's name), `global_ranks_in_group` (empty for the default group).
/// @param pg_options the caller's InitOptions::pg_options or GroupOptions::pg_options; null if there are none.
/// @return not null.
using BackendCreator = std::function<c10::intrusive_ptr<c10d::Backend>(
    const c10d::DistributedBackendOptions& options, const c10::intrusive_ptr<c10d::Backend::Options>& pg_options)>;

/// Adds a backend: init_dist(launcher, name) then calls `creator`, as torch.distributed's Backend.register_backend.
/// @param name letters, digits, "-" and "_"; case doesn't matter.
/// @param devices whose tensors it takes, the main one first; not empty.
/// @throws ValueError if `name` is malformed or taken, or `devices` is empty.
TORCH_DIST_INIT_API void register_backend(const std::string& name, const std::vector<c10::DeviceType>& devices,
                                          BackendCreator creator);

/// Makes nccl available in a program that links torch_dist_init::nccl statically. A shared library does that by itself,
/// when it is loaded.
TORCH_DIST_INIT_API void register_nccl_backend();

/// The same for mpi, with torch_dist_init::mpi.
TORCH_DIST_INIT_API void register_mpi_backend();

}  // namespace torch_dist_init
