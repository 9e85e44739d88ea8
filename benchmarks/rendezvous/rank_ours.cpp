/// @file
/// One rank of a job, with torch_dist_init.
#include <torch_dist_init/torch_dist_init.h>

#include "after_joining.h"

int main() {
  return torch_dist_init::run([] {
    auto group = torch_dist_init::init_dist("pytorch", "gloo", {{"timeout", 300}});
    say_ready_and_all_reduce(*group);
  });
}
