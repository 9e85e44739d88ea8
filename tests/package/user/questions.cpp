/// @file
/// A program that includes only the headers that know no LibTorch: questions, kwargs, launchers, errors.
#include <torch_dist_init/dist.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/kwargs.h>
#include <torch_dist_init/launch.h>
#include <torch_dist_init/run.h>
#include <torch_dist_init/version.h>

#include <iostream>

int main() {
  return torch_dist_init::run([] {
    // The library throws it and this program catches it: that takes exported classes.
    try {
      torch_dist_init::parse_kwargs({{"timeout", "1800"}});
      return 3;
    } catch (const torch_dist_init::TypeError& error) {
      std::cout << error.type() << ": " << error.what() << '\n';
    }
    const torch_dist_init::LaunchInfo info =
        torch_dist_init::read_launch_info("none", torch_dist_init::Environment({}));
    std::cout << "torch_dist_init " TORCH_DIST_INIT_VERSION ", rank " << info.rank << " of " << info.world_size << '\n';
    return torch_dist_init::get_rank();
  });
}
