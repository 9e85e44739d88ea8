/// @file
/// Jobs of rank_program, as a launcher would start them.
#include "job.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "catch.h"

namespace test {

namespace {

Process start(const std::string& program, const std::vector<std::string>& arguments, const Variables& variables) {
  std::vector<std::string> command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Process(command, variables);
}

std::vector<Process> start_all(const std::string& program, int world_size, const std::vector<std::string>& arguments,
                               const Variables& changes) {
  const int port = free_port();
  std::vector<Process> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    Variables variables = rank_variables(rank, world_size, port);
    for (const auto& [name, value] : changes) {
      variables[name] = value;
    }
    ranks.push_back(start(program, arguments, variables));
  }
  return ranks;
}

}  // namespace

Process start_program(const std::vector<std::string>& arguments, const Variables& variables) {
  return start(RANK_PROGRAM, arguments, variables);
}

Process start_group_program(const std::vector<std::string>& arguments, const Variables& variables) {
  return start(GROUP_PROGRAM, arguments, variables);
}

Outcome run_program(const std::vector<std::string>& arguments, const Variables& variables) {
  return start_program(arguments, variables).wait();
}

Variables rank_variables(int rank, int world_size, int port) {
  return {{"RANK", std::to_string(rank)},       {"WORLD_SIZE", std::to_string(world_size)},
          {"LOCAL_RANK", std::to_string(rank)}, {"LOCAL_WORLD_SIZE", std::to_string(world_size)},
          {"MASTER_ADDR", "127.0.0.1"},         {"MASTER_PORT", std::to_string(port)}};
}

std::vector<Process> start_ranks(int world_size, const std::vector<std::string>& arguments, const Variables& changes) {
  return start_all(RANK_PROGRAM, world_size, arguments, changes);
}

std::vector<Process> start_group_ranks(int world_size, const std::vector<std::string>& arguments,
                                       const Variables& changes) {
  return start_all(GROUP_PROGRAM, world_size, arguments, changes);
}

std::vector<std::string> run_group_program(int world_size, const std::vector<std::string>& arguments,
                                           const Variables& changes) {
  std::vector<std::string> outputs;
  for (Process& rank : start_group_ranks(world_size, arguments, changes)) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    outputs.push_back(outcome.output);
  }
  return outputs;
}

std::string require_program(const std::string& name, const std::string& remedy) {
  const std::string path = find_program(name);
  if (path.empty()) {
    SKIP("needs " << name << ": " << remedy);
  }
  return path;
}

std::string require_torchrun() {
  return require_program("torchrun", "it comes with Python's torch (pip install torch); its folder must be in PATH");
}

void check_failure(Process& rank, const std::string& message) {
  const Outcome outcome = rank.wait(soon);
  INFO(outcome.output);
  CHECK_FALSE(outcome.killed_at_deadline);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring(message));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TemporaryFolder::TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "torch_dist_init_XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace test
