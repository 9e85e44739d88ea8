/// @file
/// One rank of a job, with LibTorch alone, as one writes it by hand.
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>

#include "after_joining.h"

int main() {
  const int rank = std::atoi(std::getenv("RANK"));
  const int world_size = std::atoi(std::getenv("WORLD_SIZE"));
  const std::chrono::seconds timeout(300);

  c10d::TCPStoreOptions store_options;
  store_options.port = static_cast<std::uint16_t>(std::atoi(std::getenv("MASTER_PORT")));
  store_options.isServer = rank == 0;
  store_options.numWorkers = static_cast<std::size_t>(world_size);
  store_options.timeout = timeout;
#ifndef TORCH_DIST_INIT_LIBUV
  store_options.useLibUV = false;
#endif
  auto store = c10::make_intrusive<c10d::TCPStore>(std::getenv("MASTER_ADDR"), store_options);

  auto options = c10d::ProcessGroupGloo::Options::create();
  options->timeout = timeout;
  options->devices = {c10d::ProcessGroupGloo::createDefaultDevice()};
  c10d::ProcessGroupGloo group(c10::make_intrusive<c10d::PrefixStore>("gloo", store), rank, world_size, options);
  say_ready_and_all_reduce(group);
}
