/// @file
/// What differs between LibTorch 2.6 and the newest: the one place that knows. Differences are found by what compiles,
/// not by version numbers, so that packages with patches of their own are served as well.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <string>

namespace torch_dist_init::detail::compat {

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

}  // namespace torch_dist_init::detail::compat
