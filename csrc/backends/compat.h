/// @file
/// What differs between LibTorch 2.6 and the newest: the one place that knows. Differences are found by what compiles,
/// not by version numbers, so that packages with patches of their own are served as well.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#ifdef USE_C10D_NCCL
#include <torch/version.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#if __has_include(<torch/csrc/distributed/c10d/nccl2/ProcessGroupNCCL.hpp>)
#include <torch/csrc/distributed/c10d/nccl2/ProcessGroupNCCL.hpp>
#define TORCH_DIST_INIT_HAS_NCCL2
#endif
#endif

#include <memory>
#include <string>
#include <vector>

namespace torch_dist_init::detail::compat {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

/// Whether this LibTorch's TCPStore has the libuv server; the build finds out, since no header tells.
#ifdef TORCH_DIST_INIT_LIBUV
inline constexpr bool has_libuv = true;
#else
inline constexpr bool has_libuv = false;
#endif

namespace probe {

template <class Options>
auto set_group_name(Options& options, const std::string& name, int) -> decltype(options.group_name = name, void()) {
  options.group_name = name;
}
template <class Options>
void set_group_name(Options&, const std::string&, long) {}

template <class Group>
auto shut_down(Group& group, int) -> decltype(group.shutdown(), void()) {
  group.shutdown();
}
template <class Group>
void shut_down(Group&, long) {}

template <class Store>
auto clone(Store& store, int) -> decltype(store.clone()) {
  return store.clone();
}
template <class Store>
c10::intrusive_ptr<c10d::Store> clone(Store&, long) {
  return nullptr;
}

template <class Parent, class Options>
auto split(Parent& parent, const c10::intrusive_ptr<c10d::Store>& store, const std::vector<int>& ranks,
           const Options& options, int) -> decltype(BackendPtr(parent.split(store, ranks, options))) {
  return parent.split(store, ranks, options);
}
template <class Parent, class Options>
BackendPtr split(Parent&, const c10::intrusive_ptr<c10d::Store>&, const std::vector<int>&, const Options&, long) {
  return nullptr;
}

}  // namespace probe

/// Names the group in a backend's options; before 2.9 they have no name.
template <class Options>
void set_group_name(Options& options, const std::string& name) {
  probe::set_group_name(options, name, 0);
}

/// Shuts all backends of a group down; before 2.7 their destructors alone do that.
template <class Group>
void shut_down(Group& group) {
  probe::shut_down(group, 0);
}

/// A store of its own with the same content, as another connection to the same server; null if this LibTorch
/// has no such thing.
template <class Store>
c10::intrusive_ptr<c10d::Store> clone(Store& store) {
  return probe::clone(store, 0);
}

#ifdef USE_C10D_NCCL
/// Whether there is the second NCCL backend, and whether it is what torch.distributed means by "nccl".
#ifdef TORCH_DIST_INIT_HAS_NCCL2
inline constexpr bool has_nccl2 = true;
inline constexpr bool nccl_is_nccl2 = TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15;
using ProcessGroupNCCL2 = c10d::nccl2::ProcessGroupNCCL;
#else
inline constexpr bool has_nccl2 = false;
inline constexpr bool nccl_is_nccl2 = false;
using ProcessGroupNCCL2 = c10d::ProcessGroupNCCL;
#endif

/// Puts the parent into the options of a backend that is split from it; up to 2.7 these hold a std::shared_ptr.
inline void assign(c10::intrusive_ptr<c10d::ProcessGroupNCCL>& field,
                   const c10::intrusive_ptr<c10d::ProcessGroupNCCL>& parent) {
  field = parent;
}
inline void assign(std::shared_ptr<c10d::ProcessGroupNCCL>& field,
                   const c10::intrusive_ptr<c10d::ProcessGroupNCCL>& parent) {
  field = {parent.get(), [parent](c10d::ProcessGroupNCCL*) {}};
}

/// A backend for some of the parent's ranks, made from its communicator.
template <class Parent, class Options>
BackendPtr split(Parent& parent, const c10::intrusive_ptr<c10d::Store>& store, const std::vector<int>& ranks,
                 const Options& options) {
  return probe::split(parent, store, ranks, options, 0);
}
#endif

}  // namespace torch_dist_init::detail::compat
