/// @file
/// The text of an exception that LibTorch threw.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace torch_dist_init::detail {

/// What went wrong, without the backtrace that LibTorch appends.
inline std::string reason(const std::exception& failure) {
  const auto* error = dynamic_cast<const c10::Error*>(&failure);
  return error != nullptr ? error->what_without_backtrace() : failure.what();
}

}  // namespace torch_dist_init::detail
