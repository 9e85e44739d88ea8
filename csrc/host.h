/// @file
/// This host: as messages name it, and what means nothing but it.
#pragma once

#include <string>

namespace torch_dist_init::detail {

/// This host's own name, as gethostname(2) gives it.
std::string host_name();

/// "rank 3 on host nodeB": the words with which a message begins.
std::string describe_rank(int rank);

/// Whether `address`, a number or localhost, is the loopback one: each host means itself by it.
bool is_loopback(const std::string& address);

}  // namespace torch_dist_init::detail
