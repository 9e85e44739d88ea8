/// @file
/// The mpi backend: LibTorch's c10d::ProcessGroupMPI, whose ranks MPI gives out. It has no timeouts of its own.
#include <mpi.h>
#include <torch_dist_init/backend.h>
#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>

#include "backends/registry.h"
#include "host.h"
#include "quoted.h"

namespace torch_dist_init {
namespace detail {
namespace {

bool ask(int (*question)(int*)) {
  int answer = 0;
  question(&answer);
  return answer != 0;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return escaped(version.substr(0, version.find_first_of(",\n")));
}

/// The program may have initialised MPI itself; LibTorch calls it from a thread of its own.
std::optional<c10::Device> check_mpi(const BackendSetting& setting) {
  const std::string who = describe_rank(setting.launch.rank);
  if (ask(MPI_Finalized)) {
    throw BackendError(who + ": backend 'mpi' can't be used: MPI is finalised, and can't be initialised again");
  }
  int level = 0;
  if (ask(MPI_Initialized) && MPI_Query_thread(&level) == MPI_SUCCESS && level < MPI_THREAD_SERIALIZED) {
    throw BackendError(who +
                       ": backend 'mpi' needs MPI's thread level MPI_THREAD_SERIALIZED, but the program has "
                       "initialised MPI with " +
                       (level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED") +
                       ": call MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) instead of MPI_Init, or "
                       "leave it to init");
  }
  return std::nullopt;
}

std::string likely_cause(const BackendRequest& request, int mpi_size) {
  if (mpi_size != 1) {
    return "Are these ranks parts of several MPI jobs, or do variables of another launcher lie about?";
  }
  if (request.launcher == "slurm") {
    return "MPI took this process for one that was started alone. Start it with srun --mpi=pmix (srun --mpi=list tells "
           "what this Slurm has)";
  }
  if (request.launcher == "mpi") {
    return "MPI took this process for one that was started alone. Is this mpirun that of another MPI than the one that "
           "LibTorch is linked with?";
  }
  return "MPI took this process for one that was started alone. Start it with the mpirun of that MPI, and take "
         "launcher "
         "'mpi'";
}

/// Rank and size are MPI's: where the launcher says otherwise, each process would be alone.
void compare(const BackendRequest& request, const c10d::Backend& group) {
  if (group.getSize() == request.world_size && group.getRank() == request.rank) {
    return;
  }
  throw BackendError(describe_rank(request.rank) + ": launcher '" + request.launcher + "' says rank " +
                     std::to_string(request.rank) + " of " + std::to_string(request.world_size) + ", but MPI (" +
                     library_version() + ") says rank " + std::to_string(group.getRank()) + " of " +
                     std::to_string(group.getSize()) + ". " + likely_cause(request, group.getSize()));
}

c10::intrusive_ptr<c10d::Backend> create_mpi(const BackendRequest& request) {
  // LibTorch initialises MPI unless the program has, and then finalises it too, when the process exits.
  auto group = c10d::ProcessGroupMPI::createProcessGroupMPI(request.global_ranks);
  if (request.global_ranks.empty()) {
    compare(request, *group);
  }
  // Null where this process is no member.
  return group;
}

/// A process that just exits waits in MPI_Finalize for the others, which wait for it in an operation.
void abort_job() {
  if (ask(MPI_Initialized) && !ask(MPI_Finalized)) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

const bool registered = (register_mpi_backend(), true);

}  // namespace
}  // namespace detail

void register_mpi_backend() {
  detail::BackendEntry entry;
  entry.name = "mpi";
  entry.type = c10d::ProcessGroup::BackendType::MPI;
  entry.devices = {c10::kCPU, c10::kCUDA};
  entry.options_name = "mpi";
  entry.needs_store = false;
  entry.involves_all_ranks = true;
  entry.check = detail::check_mpi;
  entry.create = detail::create_mpi;
  entry.abort_job = detail::abort_job;
  detail::add_backend(std::move(entry));
}

}  // namespace torch_dist_init
