/// @file
/// A real Slurm cluster for tests: slurm_cluster.sh in namespaces of its own.
#include "slurm_cluster.h"

#include <fstream>
#include <sstream>

namespace test {
namespace {

void require_slurm() {
  require_namespaces({"slurmctld", "slurmd", "srun", "munged"}, "apt-get install slurmctld slurmd slurm-client munge");
}

}  // namespace

SlurmCluster::SlurmCluster() : daemons_(SLURM_CLUSTER, {folder()}, "The cluster is up") {}

Outcome SlurmCluster::run(const std::vector<std::string>& command, const Variables& variables) const {
  Variables all = variables;
  all["SLURM_CONF"] = folder() + "/slurm.conf";
  return Process(daemons_.enter(folder(), command), all).wait();
}

Outcome SlurmCluster::run_batch(const std::vector<std::string>& options, const std::string& script) const {
  // The script tells its end through a pipe: sbatch --wait asks only every few seconds.
  std::ofstream(folder() + "/batch.sh") << "#!/bin/sh\ntrap 'echo $? >status' EXIT\n" << script;
  std::vector<std::string> command = {
      "sh", "-c",
      "rm -f status && mkfifo status && sbatch --output=batch.out \"$@\" batch.sh && exit \"$(cat status)\"", "sh"};
  command.insert(command.end(), options.begin(), options.end());
  Outcome outcome = run(command);
  std::ostringstream written;
  written << std::ifstream(folder() + "/batch.out").rdbuf();
  outcome.output += written.str();
  return outcome;
}

const SlurmCluster& slurm() {
  require_slurm();
  static const SlurmCluster cluster;
  return cluster;
}

}  // namespace test
