/// @file
/// The libraries of single backends, loaded when their backend is asked for: what is not used costs nothing.
#pragma once

#include <optional>
#include <string>

namespace torch_dist_init::detail {

/// What the LibTorch that this was built with has.
inline constexpr bool libtorch_has_nccl = TORCH_DIST_INIT_LIBTORCH_NCCL;
inline constexpr bool libtorch_has_mpi = TORCH_DIST_INIT_LIBTORCH_MPI;
/// What was built.
inline constexpr bool has_nccl = TORCH_DIST_INIT_HAS_NCCL;
inline constexpr bool has_mpi = TORCH_DIST_INIT_HAS_MPI;

/// Whether the library stands beside this one. False in static builds, where the program links it.
bool has_backend_library(const std::string& name);

/// Loads the library of backend `name`, which adds its backends. Returns why it can't be loaded, and what to do;
/// nothing if all went well.
std::optional<std::string> load_backend_library(const std::string& name);

}  // namespace torch_dist_init::detail
