/// @file
/// torch-dist check: joins, communicates, checks every result, and tells how long each step took.
#pragma once

#include <torch_dist_init/kwargs.h>

#include <string>
#include <vector>

namespace torch_dist_init::tools {

struct CheckOptions {
  std::string launcher = "auto";
  std::string backend = "gloo";
  Kwargs kwargs;
  bool json = false;
  /// The steps after init, in the order of check_steps(); ranks in Python may take part in the first two.
  std::vector<std::string> steps;
};

/// The names of all steps after init, in their order: barrier, all_reduce, broadcast, all_gather.
std::vector<std::string> check_steps();

/// Does it, and prints on rank 0 a table, or with `json` a line, for each rank.
/// @return the exit status: 0 if everything is right on every rank, else 1.
int run_check(const CheckOptions& options);

}  // namespace torch_dist_init::tools
