/// @file
/// Launcher "none": a world of one, whatever the environment says.
#include "launch/launchers.h"

namespace torch_dist_init::detail {

LaunchInfo read_none(const Environment&) {
  LaunchInfo info;
  info.rank = 0;
  info.world_size = 1;
  info.local_rank = 0;
  info.local_world_size = 1;
  info.node_rank = 0;
  info.num_nodes = 1;
  for (const char* field : {"rank", "world_size", "local_rank", "local_world_size", "node_rank", "num_nodes"}) {
    info.sources[field] = "default";
  }
  info.master_addr_help =
      "launcher \"none\" is a world of one, which meets nobody: to meet other processes use the launcher that started "
      "them, or the keyword argument 'init_method'";
  return info;
}

}  // namespace torch_dist_init::detail
