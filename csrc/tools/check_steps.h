/// @file
/// The steps of torch-dist check: collectives whose results are known.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace torch_dist_init::tools {

/// Communicates tensors of this device, and checks the result.
/// @throws BackendError if the result is wrong, saying what was expected and found; what the backend throws.
using CheckStep = std::function<void(c10d::ProcessGroup&, c10::Device)>;

/// All steps by name, in their order.
const std::vector<std::pair<std::string, CheckStep>>& all_check_steps();

}  // namespace torch_dist_init::tools
