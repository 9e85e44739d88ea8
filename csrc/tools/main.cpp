/// @file
/// torch-dist: the command line. Exit status 0, or 2 with the reason on stderr.
#include <torch_dist_init/version.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <system_error>

#include "quoted.h"
#include "tools/info.h"

using namespace torch_dist_init;

namespace {

/// Hands over to torch-dist-check, which lies beside this program and, unlike it, needs LibTorch.
int become_check(char** arguments) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.replace_filename("torch-dist-check").string();
  ::execv(program.c_str(), arguments);
  std::cerr << "torch-dist: can't run " << detail::escaped(program) << ": " << std::generic_category().message(errno)
            << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "check") {
    return become_check(argv + 1);
  }
  CLI::App app("Looks at the distributed job that this process is in.", "torch-dist");
  app.set_version_flag("--version", "torch-dist " TORCH_DIST_INIT_VERSION);
  app.require_subcommand(1);

  tools::InfoOptions info;
  CLI::App* info_command =
      app.add_subcommand("info", "Shows what init_dist would use, and the variable that each value came from.");
  info_command->add_option("--launcher", info.launcher, "pytorch, slurm, mpi, none, or auto")->capture_default_str();
  info_command->add_flag("--json", info.json, "Print JSON");
  app.add_subcommand("check", "Joins, communicates, and checks the results: torch-dist check --help tells more.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    // --help and --version.
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::cerr << "torch-dist: " << detail::escaped(error.what()) << "\nRun torch-dist --help for more information.\n";
    return 2;
  }
  return tools::print_info(info);
}
