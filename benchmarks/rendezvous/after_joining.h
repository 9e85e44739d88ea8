/// @file
/// What every rank in C++ of these benchmarks does once it has joined.
#pragma once

#include <ATen/ATen.h>
#include <torch/version.h>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

/// Says when it was ready, on the clock that all processes of a host share, then adds the ranks up with all the others.
/// @param group a c10d::ProcessGroup or a c10d::Backend: they have no common base.
template <class Group>
void say_ready_and_all_reduce(Group& group) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  std::cout << "LibTorch " + std::string(TORCH_VERSION) + " ready " + std::to_string(now.count()) + "\n" << std::flush;
  std::vector<at::Tensor> tensors = {at::full({1}, group.getRank(), at::kFloat)};
  group.allreduce(tensors)->wait();
  if (tensors[0].item<float>() != static_cast<float>(group.getSize() * (group.getSize() - 1) / 2)) {
    throw std::runtime_error("the sum of the ranks is wrong");
  }
}
