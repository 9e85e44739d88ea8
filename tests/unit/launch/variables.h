/// @file
/// Environments for the tests of the launchers.
#pragma once

#include <torch_dist_init/environment.h>
#include <torch_dist_init/launch.h>

#include <sstream>
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

/// Variables written as in a shell: "RANK=0 WORLD_SIZE=2". Values hold no blanks.
inline Variables shell(const std::string& text) {
  Variables variables;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    variables[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return variables;
}

/// `variables` with those of `more` set on top of them.
inline Variables with(Variables variables, const std::string& more) {
  for (auto& [name, value] : shell(more)) {
    variables[name] = value;
  }
  return variables;
}

/// All warnings, one a line.
inline std::string warnings_of(const torch_dist_init::LaunchInfo& info) {
  std::string text;
  for (const auto& warning : info.warnings) {
    text += warning + "\n";
  }
  return text;
}
