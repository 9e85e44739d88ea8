/// @file
/// One random seed for all ranks, as mmengine.dist.sync_random_seed and mmengine.runner.set_random_seed.
#pragma once

#include <torch_dist_init/export.h>

#include <cstdint>
#include <optional>

namespace torch_dist_init {

/// Draws a seed from 0 to 2^31 - 1 on rank 0 and gives it to all ranks of the default group; all must call it. Without
/// a default group: just draws one.
/// @throws BackendError if the broadcast fails.
TORCH_DIST_INIT_API std::int64_t sync_random_seed();

/// Seeds LibTorch's generators on all devices.
/// @param seed nothing: sync_random_seed()'s.
/// @param deterministic also asks LibTorch for deterministic algorithms (and cuDNN's, without benchmarking).
/// @param diff_rank_seed adds the rank to the seed, so that each rank draws other numbers.
/// @return the seed that was used on this rank.
/// @throws ValueError for a negative seed; BackendError if the broadcast fails.
TORCH_DIST_INIT_API std::int64_t set_random_seed(std::optional<std::int64_t> seed = std::nullopt,
                                                 bool deterministic = false, bool diff_rank_seed = false);

}  // namespace torch_dist_init
