/// @file
/// Two launchers whose variables tell different ranks: found, and said.
#include "launch/contradiction.h"

#include "launch/integer.h"
#include "launch/launchers.h"

namespace torch_dist_init::detail {
namespace {

constexpr std::uint64_t max_int = 2147483647;

/// What `info` itself took.
Claim claim_of(const LaunchInfo& info) {
  return {info.rank, info.world_size,
          info.sources.at("rank") + "=" + std::to_string(info.rank) + ", " + info.sources.at("world_size") + "=" +
              std::to_string(info.world_size)};
}

}  // namespace

std::optional<Claim> claim_of(const Environment& environment, const Family& family) {
  const auto rank_name = first_set(environment, family.rank);
  const auto size_name = first_set(environment, family.world_size);
  if (!rank_name || !size_name) {
    return std::nullopt;
  }
  const auto rank = parse_decimal(*environment.get(*rank_name), max_int);
  const auto size = parse_decimal(*environment.get(*size_name), max_int);
  if (!rank || !size) {
    return std::nullopt;
  }
  return Claim{static_cast<int>(*rank), static_cast<int>(*size),
               *rank_name + "=" + std::to_string(*rank) + ", " + *size_name + "=" + std::to_string(*size)};
}

bool agree(const Claim& a, const Claim& b) { return a.rank == b.rank && a.world_size == b.world_size; }

void warn_of_contradictions(const Environment& environment, LaunchInfo& info) {
  const Claim taken = claim_of(info);
  const bool took_plain = info.sources.at("rank") == "RANK";
  const bool took_slurm = info.sources.at("rank") == "SLURM_PROCID";
  if (took_plain && environment.has("TORCHELASTIC_RUN_ID")) {
    return;
  }
  const auto compare = [&](const Family& family) {
    const auto other = claim_of(environment, family);
    if (!other || agree(taken, *other)) {
      return;
    }
    info.warnings.push_back(taken.text + " contradict " + other->text + " (" + family.title + "): took the former");
  };
  if (!took_plain) {
    compare(torchrun_family());
  }
  for (const Family* family : mpi_families()) {
    compare(*family);
  }
  if (!took_slurm && is_slurm_task(environment)) {
    const Family& slurm = slurm_family(environment);
    const auto step = claim_of(environment, slurm);
    // A daemon's step has at most as many tasks as the daemons start processes.
    const bool is_daemons = !took_plain && step && step->world_size <= taken.world_size;
    if (!is_daemons) {
      compare(slurm);
    }
  }
}

}  // namespace torch_dist_init::detail
