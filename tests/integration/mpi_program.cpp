/// @file
/// One rank that initialises MPI itself, for the tests to start: mpi_program serialized|funneled [finalize_first].
#include <mpi.h>
#include <torch_dist_init/torch_dist_init.h>

#include <iostream>
#include <string>

namespace tdi = torch_dist_init;

int main(int argc, char** argv) {
  int provided = 0;
  const bool is_serialized = std::string(argv[1]) == "serialized";
  MPI_Init_thread(&argc, &argv, is_serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, &provided);
  const bool finalize_first = argc > 2;
  if (finalize_first) {
    MPI_Finalize();
  }
  const int status = tdi::run([] {
    const auto group = tdi::init_dist("mpi", "mpi", {{"timeout", 60}});
    std::vector<at::Tensor> tensors = {at::full({4}, tdi::get_rank() + 1, at::kFloat)};
    group->allreduce(tensors)->wait();
    std::cout << "sum=" + std::to_string(tensors[0][0].item<int>()) + "\n" << std::flush;
  });
  // As MPI has it: who initialises, finalises.
  if (!finalize_first) {
    MPI_Finalize();
  }
  return status;
}
