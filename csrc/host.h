/// @file
/// This host, as messages name it.
#pragma once

#include <string>

namespace torch_dist_init::detail {

/// This host's own name, as gethostname(2) gives it.
std::string host_name();

/// "rank 3 on host nodeB": the words with which a message begins.
std::string describe_rank(int rank);

}  // namespace torch_dist_init::detail
