/// @file
/// The store that Gloo gets to build its mesh of connections from.
#include "backends/mesh_store.h"

#include <algorithm>

namespace torch_dist_init::detail {

using std::chrono::milliseconds;

void MeshStore::wait(const std::vector<std::string>& keys) { wait(keys, getTimeout()); }

void MeshStore::wait(const std::vector<std::string>& keys, const milliseconds& timeout) {
  // Gloo asks for "CONTEXT/RANK", one rank after the other.
  const std::size_t slash = keys.size() == 1 ? keys[0].rfind('/') : std::string::npos;
  if (slash != std::string::npos && keys[0].substr(0, slash) != complete_context_) {
    const std::string context = keys[0].substr(0, slash);
    std::vector<std::string> all_ranks;
    for (int rank = 0; rank < world_size_; ++rank) {
      all_ranks.push_back(context + "/" + std::to_string(rank));
    }
    PrefixStore::wait(all_ranks, remaining());
    complete_context_ = context;
  }
  PrefixStore::wait(keys, std::min(timeout, remaining()));
}

milliseconds MeshStore::remaining() const {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - std::chrono::steady_clock::now());
  return std::max(left, milliseconds(1));
}

}  // namespace torch_dist_init::detail
