/// @file
/// One random seed for all ranks.
#include <ATen/Context.h>
#include <torch_dist_init/dist.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/group.h>
#include <torch_dist_init/seed.h>

#include <limits>
#include <random>

#include "host.h"
#include "libtorch_error.h"
#include "world/world.h"

namespace torch_dist_init {
std::int64_t sync_random_seed() {
  std::random_device device;
  std::int64_t seed = device() & std::numeric_limits<std::int32_t>::max();
  const auto world = detail::current_world();
  if (!world) {
    return seed;
  }
  detail::refuse_if_forked(world);
  try {
    std::vector<at::Tensor> tensors = {at::scalar_tensor(seed, at::dtype(at::kLong)).to(get_comm_device())};
    world->group->broadcast(tensors)->wait();
    return tensors.front().item<std::int64_t>();
  } catch (const std::exception& failure) {
    throw BackendError(detail::describe_rank(world->launch.rank) +
                       ": the seed can't be shared: " + detail::reason(failure));
  }
}

std::int64_t set_random_seed(std::optional<std::int64_t> seed, bool deterministic, bool diff_rank_seed) {
  if (seed && *seed < 0) {
    throw ValueError("seed must not be negative, but it is " + std::to_string(*seed));
  }
  const std::int64_t used = (seed ? *seed : sync_random_seed()) + (diff_rank_seed ? get_rank() : 0);
  at::manual_seed(static_cast<std::uint64_t>(used));
  if (deterministic) {
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  }
  return used;
}

}  // namespace torch_dist_init
