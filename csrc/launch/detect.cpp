/// @file
/// Which launcher started this process, as far as the environment shows.
#include "launch/detect.h"

#include "launch/launchers.h"

namespace torch_dist_init::detail {

std::optional<Detected> detect_launcher(const Environment& environment) {
  const Family& torchrun = torchrun_family();
  if (environment.has("TORCHELASTIC_RUN_ID") && is_complete(environment, torchrun)) {
    return Detected{"pytorch", &torchrun};
  }
  if (const Family* mpi = complete_mpi_family(environment)) {
    return Detected{"mpi", mpi};
  }
  if (is_slurm_task(environment)) {
    return Detected{"slurm", &slurm_family(environment)};
  }
  // Set by hand, by PyTorchJob, or by a container's start script, which all have no LOCAL_RANK or may lack it.
  if (has_pair(environment, torchrun)) {
    return Detected{"pytorch", &torchrun};
  }
  // PMI_RANK and PMI_SIZE without more are set by several small launchers.
  for (const Family* mpi : mpi_families()) {
    if (has_pair(environment, *mpi)) {
      return Detected{"mpi", mpi};
    }
  }
  return std::nullopt;
}

std::string hint_at_other_launcher(const Environment& environment, const std::string& launcher) {
  const auto detected = detect_launcher(environment);
  if (!detected || detected->launcher == launcher) {
    return "";
  }
  return "; this looks like " + detected->family->title + ", use launcher \"" + detected->launcher + "\"";
}

}  // namespace torch_dist_init::detail
