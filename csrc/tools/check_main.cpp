/// @file
/// torch-dist-check: the command line of torch-dist check, which hands over to this program since it needs LibTorch.
/// Exit status 0 if all is right, 1 if not, 2 for a wrong command line.
#include <torch_dist_init/run.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "quoted.h"
#include "tools/check.h"

using namespace torch_dist_init;

namespace {

/// The order that all ranks share, whatever the order on the command line.
std::vector<std::string> in_order(const std::vector<std::string>& wanted) {
  std::vector<std::string> steps;
  for (const std::string& name : tools::check_steps()) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      steps.push_back(name);
    }
  }
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Joins the distributed job that this process is in, communicates, and checks the results.",
               "torch-dist check");
  tools::CheckOptions options;
  double timeout = 60;
  std::vector<std::string> only;
  app.add_option("--launcher", options.launcher, "pytorch, slurm, mpi, none, or auto")->capture_default_str();
  app.add_option("--backend", options.backend, "gloo, nccl, mpi, or a list as cpu:gloo,cuda:nccl")
      ->capture_default_str();
  app.add_option("--timeout", timeout, "Seconds, of each step")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--only", only, "Only these steps, as barrier,all_reduce")
      ->delimiter(',')
      ->check(CLI::IsMember(tools::check_steps()));
  app.add_flag("--json", options.json, "Print a line of JSON for each rank");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::cerr << "torch-dist: " << torch_dist_init::detail::escaped(error.what())
              << "\nRun torch-dist check --help for more information.\n";
    return 2;
  }
  options.kwargs = {{"timeout", timeout}};
  options.steps = in_order(only);
  return run([&] { return tools::run_check(options); });
}
