/// @file
/// The store that Gloo gets to build its mesh of connections from.
#pragma once

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace torch_dist_init::detail {

/// Waits for the addresses of all ranks where Gloo asks for the first one's. Older Gloos connect to the first rank
/// before they ask for the second one's address, and allow each connection five times the timeout: a rank would wait
/// that long for one that itself waits for a missing one. No wait goes beyond the deadline.
class MeshStore final : public c10d::PrefixStore {
 public:
  MeshStore(const std::string& prefix, const c10::intrusive_ptr<c10d::Store>& store, int world_size,
            std::chrono::steady_clock::time_point deadline)
      : PrefixStore(prefix, store), world_size_(world_size), deadline_(deadline) {}

  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  std::chrono::milliseconds remaining() const;

  const int world_size_;
  const std::chrono::steady_clock::time_point deadline_;
  /// The one whose ranks are all there.
  std::string complete_context_;
};

}  // namespace torch_dist_init::detail
