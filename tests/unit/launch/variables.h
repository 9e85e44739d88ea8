/// @file
/// Environments for the tests of the launchers.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include <string>
#include <utility>

using Variables = torch_dist_init::Environment::Variables;

/// An environment with just these variables. (Environment's constructor can't tell braces from a copy.)
inline torch_dist_init::Environment environment(Variables variables) {
  return torch_dist_init::Environment(std::move(variables));
}

/// What `launcher` makes of these variables.
inline torch_dist_init::LaunchInfo read(const std::string& launcher, Variables variables) {
  return torch_dist_init::read_launch_info(launcher, environment(std::move(variables)));
}
