/// @file
/// Fuzzing of Slurm's tasks per node: any text is a list whose sums hold, or a LaunchError.
#include "launch/tasks_per_node.h"

#include <torch_dist_init/error.h>

#include <cstdint>

#include "expect.h"

using namespace torch_dist_init;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const auto tasks =
        detail::parse_tasks_per_node({reinterpret_cast<const char*>(data), size}, "SLURM_STEP_TASKS_PER_NODE");
    std::int64_t num_nodes = 0;
    std::int64_t num_tasks = 0;
    for (const auto& run : tasks.runs) {
      expect(run.tasks > 0 && run.nodes > 0);
      num_nodes += run.nodes;
      num_tasks += std::int64_t{run.tasks} * run.nodes;
    }
    expect(num_nodes == tasks.num_nodes && num_tasks == tasks.num_tasks);
    expect(tasks.at(0) == tasks.runs.front().tasks);
    expect(tasks.at(tasks.num_nodes - 1) == tasks.runs.back().tasks);
    expect(!tasks.at(tasks.num_nodes));
  } catch (const LaunchError&) {
  }
  return 0;
}
