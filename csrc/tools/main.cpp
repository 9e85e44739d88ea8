/// @file
/// torch-dist: the command line. Exit status 0, or 2 with the reason on stderr.
#include <torch_dist_init/version.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "quoted.h"
#include "tools/info.h"

using namespace torch_dist_init;

int main(int argc, char** argv) {
  CLI::App app("Looks at the distributed job that this process is in, without joining it.", "torch-dist");
  app.set_version_flag("--version", "torch-dist " TORCH_DIST_INIT_VERSION);
  app.require_subcommand(1);

  tools::InfoOptions info;
  CLI::App* info_command =
      app.add_subcommand("info", "Shows what init_dist would use, and the variable that each value came from.");
  info_command->add_option("--launcher", info.launcher, "pytorch, slurm, mpi, none, or auto")->capture_default_str();
  info_command->add_flag("--json", info.json, "Print JSON");

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
