/// @file
/// The reports of torch-dist check: gathered on rank 0, printed, judged.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/check.h"

namespace torch_dist_init::tools {

using Json = nlohmann::ordered_json;

/// Plain ASCII on one line: a byte that is no UTF-8 becomes U+FFFD.
std::string line_of(const Json& report);

/// Gives this rank's report to rank 0 and takes its verdict; rank 0 prints all of them. True if all ranks are right.
/// @throws std::exception if the ranks can't be reached any more.
bool agree(const Json& own, const CheckOptions& options);

}  // namespace torch_dist_init::tools
