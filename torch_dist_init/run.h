/// @file
/// A main function that reports its failures: for programs under a launcher. Knows no LibTorch.
#pragma once

#include <torch_dist_init/export.h>

#include <functional>
#include <type_traits>
#include <utility>

namespace torch_dist_init {

/// Runs `main` and returns the exit status for the process: what `main` returned, or 1 if it threw. What escapes is
/// printed on stderr with the rank and host in front and written to torchrun's error file (TORCHELASTIC_ERROR_FILE), so
/// that torchrun's report shows it. The default group is destroyed either way. Throws nothing.
TORCH_DIST_INIT_API int run(const std::function<int()>& main) noexcept;

/// The same for a `main` that returns nothing: exit status 0.
template <class Main, std::enable_if_t<std::is_void_v<std::invoke_result_t<Main&>>, int> = 0>
int run(Main&& main) noexcept {
  return run(std::function<int()>([&main] {
    main();
    return 0;
  }));
}

}  // namespace torch_dist_init
