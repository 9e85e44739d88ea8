/// @file
/// Launcher "auto": the innermost launcher whose variables are complete, else a world of one.
#include <torch_dist_init/error.h>

#include "launch/contradiction.h"
#include "launch/detect.h"
#include "launch/launchers.h"

namespace torch_dist_init::detail {
namespace {

/// RANK and WORLD_SIZE are what people set to have the last word. If they contradict a launcher, either may be the
/// stale one: no guess is safe.
void refuse_contradicting_pair(const Environment& environment, const Detected& detected) {
  if (detected.launcher == "pytorch") {
    return;
  }
  const auto plain = claim_of(environment, torchrun_family());
  const auto launched = claim_of(environment, *detected.family);
  if (plain && launched && !agree(*plain, *launched)) {
    throw LaunchError("contradiction: " + plain->text + ", but " + launched->text + " (" + detected.family->title +
                      "). Unset RANK and WORLD_SIZE if they are left over, or choose: launcher \"pytorch\" takes the "
                      "former, launcher \"" +
                      detected.launcher + "\" the latter");
  }
}

/// Signs of a launcher, of which none is enough.
void warn_of_signs(const Environment& environment, LaunchInfo& info) {
  std::vector<const Family*> families = mpi_families();
  families.push_back(&torchrun_family());
  for (const Family* family : families) {
    const auto rank = first_set(environment, family->rank);
    const auto size = first_set(environment, family->world_size);
    if (rank && !size) {
      info.warnings.push_back("took a world of one, since " + *rank + " is set and " + family->world_size.front() +
                              " isn't");
    }
  }
  if (const auto job = environment.get("SLURM_JOB_ID")) {
    info.warnings.push_back("took a world of one, since this is inside Slurm job " + *job +
                            ", but not one of its tasks: srun starts those");
  } else if (environment.has("PMIX_RANK")) {
    info.warnings.push_back("took a world of one, since PMIX_RANK is set, but no variable tells the size");
  }
}

}  // namespace

LaunchInfo read_auto(const Environment& environment) {
  const auto detected = detect_launcher(environment);
  if (!detected) {
    LaunchInfo info = read_none(environment);
    info.launcher = "none";
    info.sources["launcher"] = "auto: no launcher's variables are complete";
    warn_of_signs(environment, info);
    return info;
  }
  refuse_contradicting_pair(environment, *detected);
  LaunchInfo info = detected->launcher == "pytorch" ? read_pytorch(environment)
                    : detected->launcher == "mpi"   ? read_mpi(environment)
                                                    : read_slurm(environment);
  info.launcher = detected->launcher;
  info.sources["launcher"] = "auto: " + info.sources["rank"] + ", " + info.sources["world_size"];
  return info;
}

}  // namespace torch_dist_init::detail
