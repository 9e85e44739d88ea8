/// @file
/// The ranges of options that were set as fields, not by keyword arguments. Knows no LibTorch.
#pragma once

#include <torch_dist_init/kwargs.h>

namespace torch_dist_init::detail {

/// LibTorch's TCPStore hands its timeouts to poll(2) as a 32-bit number of milliseconds.
constexpr std::chrono::seconds max_timeout(2'147'483);

/// @throws ValueError if it is below 1 ms or above max_timeout.
void check_timeout(std::chrono::milliseconds timeout);

/// @throws ValueError, naming the option that is out of range.
void check_options(const KwargOptions& options);

}  // namespace torch_dist_init::detail
