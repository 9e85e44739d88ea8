/// @file
/// torch-dist info: what init_dist would use, and where each value came from. Opens no socket and needs no LibTorch.
#pragma once

#include <string>

namespace torch_dist_init::tools {

struct InfoOptions {
  std::string launcher = "auto";
  bool json = false;
};

/// Prints it on stdout, as a table or as JSON; where init_dist would fail by the environment, the reason on stderr.
/// @return the exit status: 0, or 2 after a failure.
int print_info(const InfoOptions& options);

}  // namespace torch_dist_init::tools
