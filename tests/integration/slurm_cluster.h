/// @file
/// A real Slurm cluster of three nodes n1, n2, n3 for tests, on this machine.
#pragma once

#include <string>
#include <vector>

#include "job.h"
#include "namespaces.h"
#include "process.h"

namespace test {

/// Starts with the object, ends with it. Each has its own network: clusters of several test programs don't meet.
class SlurmCluster {
 public:
  SlurmCluster();

  /// A command on the cluster's login host, as srun or salloc, to its end.
  Outcome run(const std::vector<std::string>& command, const Variables& variables = {}) const;

  /// A batch job, to its end: `script` with these options of sbatch. The outcome is the script's.
  Outcome run_batch(const std::vector<std::string>& options, const std::string& script) const;

  /// A folder that all nodes see.
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  Namespaces daemons_;
};

/// The cluster of this test program, started when first asked for. Skips the test where there can be none.
const SlurmCluster& slurm();

}  // namespace test
