/// @file
/// A plugin that joins a job and leaves it, for plugin_program to load.
#include <torch_dist_init/torch_dist_init.h>

#include <iostream>

extern "C" __attribute__((visibility("default"))) int join_and_leave() {
  return torch_dist_init::run([] {
    const auto group = torch_dist_init::init_dist("pytorch", "gloo");
    std::vector<at::Tensor> tensors = {at::ones({1})};
    group->allreduce(tensors)->wait();
    std::cout << "sum=" + std::to_string(tensors[0].item<int>()) + "\n" << std::flush;
  });
}
