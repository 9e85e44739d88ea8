/// @file
/// This host: as messages name it, and what means nothing but it.
#include "host.h"

#include <limits.h>
#include <unistd.h>

#include <array>

namespace torch_dist_init::detail {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return "unknown";
  }
  return name.data();
}

std::string describe_rank(int rank) { return "rank " + std::to_string(rank) + " on host " + host_name(); }

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

}  // namespace torch_dist_init::detail
