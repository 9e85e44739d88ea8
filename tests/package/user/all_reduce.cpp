/// @file
/// A whole job of one rank: joins, adds a tensor up over all ranks, leaves. Then the same on nccl, where that can be.
#include <torch_dist_init/torch_dist_init.h>

#include <ATen/ATen.h>

#include <iostream>
#include <string>
#include <vector>

void all_reduce(const std::string& backend, c10::DeviceType device) {
  const auto group = torch_dist_init::init_dist("none", backend, {{"timeout", 60}});
  std::vector<at::Tensor> tensors = {at::ones({3}, device)};
  group->allreduce(tensors)->wait();
  torch_dist_init::barrier();
  std::cout << "the sum is " << tensors[0].sum().item<float>() << '\n';
  torch_dist_init::destroy_process_group();
}

int main() {
  return torch_dist_init::run([] {
    all_reduce("gloo", at::kCPU);
#ifdef REGISTER_NCCL
    torch_dist_init::register_nccl_backend();
#endif
    try {
      all_reduce("nccl", at::kCUDA);
    } catch (const torch_dist_init::BackendError& error) {
      std::cout << error.what() << '\n';
      // Its library must be where the package put it.
      return std::string(error.what()).find("'nccl' is not installed") == std::string::npos ? 0 : 3;
    }
    return 0;
  });
}
