/// @file
/// The variables that a successful init leaves in the environment.
#include "world/exported_variables.h"

#include <cstdlib>

namespace torch_dist_init::detail {
namespace {

void export_variable(const Environment& environment, const char* name, const std::string& value) {
  // Under torchrun all are there already: then nothing is written that another thread might be reading.
  if (environment.get(name) != value) {
    ::setenv(name, value.c_str(), /*overwrite=*/1);
  }
}

}  // namespace

void export_variables(const Environment& environment, const LaunchInfo& launch, const RendezvousPlan& plan) {
  export_variable(environment, "RANK", std::to_string(plan.rank));
  export_variable(environment, "WORLD_SIZE", std::to_string(plan.world_size));
  if (launch.local_rank) {
    export_variable(environment, "LOCAL_RANK", std::to_string(*launch.local_rank));
  }
  if (launch.local_world_size) {
    export_variable(environment, "LOCAL_WORLD_SIZE", std::to_string(*launch.local_world_size));
  }
  if (plan.kind == RendezvousPlan::Kind::tcp) {
    export_variable(environment, "MASTER_ADDR", plan.host);
    export_variable(environment, "MASTER_PORT", std::to_string(plan.port));
  }
}

}  // namespace torch_dist_init::detail
