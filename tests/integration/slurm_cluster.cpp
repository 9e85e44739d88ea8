/// @file
/// A real Slurm cluster for tests: slurm_cluster.sh in namespaces of its own.
#include "slurm_cluster.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "catch.h"

namespace test {
namespace {

const std::vector<std::string> own_namespaces = {"unshare",      "--pid", "--fork",  "--kill-child",
                                                 "--mount-proc", "--net", "--mount", "--uts"};

/// Ends when this process does, however that ends, and everything in the namespaces with it.
Process start_daemons(const std::string& folder) {
  std::vector<std::string> command = {"setpriv", "--pdeathsig=KILL"};
  command.insert(command.end(), own_namespaces.begin(), own_namespaces.end());
  command.insert(command.end(), {SLURM_CLUSTER, folder});
  return Process(command, {});
}

bool may_make_namespaces() {
  if (::geteuid() != 0) {
    return false;
  }
  std::vector<std::string> command = own_namespaces;
  command.insert(command.end(), {"ip", "link", "add", "probe", "type", "veth"});
  return Process(command, {}).wait().status == 0;
}

void require_slurm() {
  for (const char* program : {"slurmctld", "slurmd", "srun", "munged", "ip", "nsenter", "setpriv"}) {
    require_program(program, "apt-get install slurmctld slurmd slurm-client munge iproute2 util-linux");
  }
  static const bool may = may_make_namespaces();
  if (!may) {
    SKIP("needs a root who may make namespaces with a network: the cluster's hosts are such");
  }
}

}  // namespace

SlurmCluster::SlurmCluster() : daemons_(start_daemons(folder())) {
  if (!daemons_.wait_for_output("The cluster is up\n")) {
    throw std::runtime_error("Slurm did not start:\n" + daemons_.output());
  }
}

Outcome SlurmCluster::run(const std::vector<std::string>& command, const Variables& variables) const {
  const std::string pid = std::to_string(daemons_.pid());
  // --root, since tests may run in a chroot, which entering a mount namespace leaves.
  std::vector<std::string> whole = {"nsenter",
                                    "--target=" + pid,
                                    "--net",
                                    "--mount",
                                    "--uts",
                                    "--root",
                                    "--pid=/proc/" + pid + "/ns/pid_for_children",
                                    "env",
                                    "--chdir=" + folder()};
  whole.insert(whole.end(), command.begin(), command.end());
  Variables all = variables;
  all["SLURM_CONF"] = folder() + "/slurm.conf";
  return Process(whole, all).wait();
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
