/// @file
/// A whole job of one rank: joins, adds a tensor up over all ranks, leaves.
#include <torch_dist_init/torch_dist_init.h>

#include <ATen/ATen.h>

#include <iostream>
#include <vector>

int main() {
  return torch_dist_init::run([] {
    const auto group = torch_dist_init::init_dist("none", "gloo", {{"timeout", 60}});
    std::vector<at::Tensor> tensors = {at::ones({3})};
    group->allreduce(tensors)->wait();
    torch_dist_init::barrier();
    std::cout << "the sum is " << tensors[0].sum().item<float>() << '\n';
    torch_dist_init::destroy_process_group();
  });
}
