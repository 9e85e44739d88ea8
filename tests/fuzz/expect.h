/// @file
/// What a fuzz target asserts.
#pragma once

#include <cstdlib>

/// Ends the process if `condition` is false, which libFuzzer reports with the input.
inline void expect(bool condition) {
  if (!condition) {
    std::abort();
  }
}
