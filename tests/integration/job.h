/// @file
/// Jobs of rank_program, as a launcher would start them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "process.h"

namespace test {

/// rank_program with these arguments and variables, to its end.
Outcome run_program(const std::vector<std::string>& arguments, const Variables& variables);

/// Starts rank_program once.
Process start_program(const std::vector<std::string>& arguments, const Variables& variables);

/// Starts one rank of group_program.
Process start_group_program(const std::vector<std::string>& arguments, const Variables& variables);

/// The variables of one rank on this host: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
Variables rank_variables(int rank, int world_size, int port);

/// Starts all ranks of a job at a free port. `changes` replaces or adds variables on every rank.
std::vector<Process> start_ranks(int world_size, const std::vector<std::string>& arguments,
                                 const Variables& changes = {});

/// The same with group_program.
std::vector<Process> start_group_ranks(int world_size, const std::vector<std::string>& arguments,
                                       const Variables& changes = {});

/// The same; each rank's output, once all have ended well.
std::vector<std::string> run_group_program(int world_size, const std::vector<std::string>& arguments,
                                           const Variables& changes = {});

/// The path of a program in PATH. Skips the test where there is none, with what to do about it.
std::string require_program(const std::string& name, const std::string& remedy);

/// The path of torchrun.
std::string require_torchrun();

/// Whether this LibTorch's store can be served by torchrun's agent: one without libuv can serve none.
#ifdef TORCH_DIST_INIT_LIBUV
inline constexpr bool has_libuv = true;
#else
inline constexpr bool has_libuv = false;
#endif

/// Far less than a wait for a timeout of ten minutes, and than the 1800 s that are the default.
constexpr std::chrono::seconds soon{30};

/// Checks that a rank ends soon, by itself, with exit status 1 and this message.
void check_failure(Process& rank, const std::string& message);

/// How often `part` is in `text`.
std::size_t count(const std::string& text, const std::string& part);

/// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace test
