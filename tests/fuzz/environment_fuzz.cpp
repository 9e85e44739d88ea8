/// @file
/// Fuzzing of the launchers: of any environment each makes numbers that go together, or a LaunchError.
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>

#include <string_view>

#include "expect.h"

using namespace torch_dist_init;

namespace {

/// One variable a line: NAME=value.
Environment environment_from(std::string_view text) {
  Environment::Variables variables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = line.find('=');
    // The one variable that names a file to read.
    if (equals != std::string_view::npos && line.substr(0, equals) != "SLURM_HOSTFILE") {
      variables[std::string(line.substr(0, equals))] = line.substr(equals + 1);
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return Environment(std::move(variables));
}

void check(const LaunchInfo& info) {
  expect(info.launcher == "none" || info.launcher == "pytorch" || info.launcher == "slurm" || info.launcher == "mpi");
  expect(0 <= info.rank && info.rank < info.world_size);
  expect(!info.local_rank || (0 <= *info.local_rank && *info.local_rank < info.world_size));
  expect(!info.local_world_size || (1 <= *info.local_world_size && *info.local_world_size <= info.world_size));
  expect(!info.master_port || (1 <= *info.master_port && *info.master_port <= 65535));
  expect(info.master_addr ? !info.master_addr->empty() : !info.master_addr_help.empty());
  // Where a value came from is told for every field that has one.
  expect(info.sources.count("rank") == 1 && info.sources.count("world_size") == 1);
  expect(info.sources.count("local_rank") == (info.local_rank ? 1 : 0));
  expect(info.sources.count("local_world_size") == (info.local_world_size ? 1 : 0));
  expect(info.sources.count("node_rank") == (info.node_rank ? 1 : 0));
  expect(info.sources.count("num_nodes") == (info.num_nodes ? 1 : 0));
  expect(info.sources.count("master_addr") == (info.master_addr ? 1 : 0));
  expect(info.sources.count("master_port") == (info.master_port ? 1 : 0));
  expect(info.sources.count("job_id") == (info.job_id ? 1 : 0));
  expect(info.sources.count("restart_count") == (info.restart_count ? 1 : 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const Environment environment = environment_from({reinterpret_cast<const char*>(data), size});
  for (const char* launcher : {"pytorch", "slurm", "mpi", "auto", "none"}) {
    try {
      check(read_launch_info(launcher, environment));
    } catch (const LaunchError&) {
    }
  }
  return 0;
}
