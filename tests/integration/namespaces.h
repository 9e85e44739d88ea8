/// @file
/// A script in namespaces of its own: what it starts and sets up can't meet what else runs on the machine, and ends
/// with the object.
#pragma once

#include <string>
#include <vector>

#include "process.h"

namespace test {

class Namespaces {
 public:
  /// Starts `script` with `arguments` in new network, mount, process and host name namespaces, and waits until it says
  /// `ready`.
  Namespaces(const std::string& script, const std::vector<std::string>& arguments, const std::string& ready);

  /// A command that runs `command` in these namespaces, in `folder`.
  std::vector<std::string> enter(const std::string& folder, const std::vector<std::string>& command) const;

 private:
  Process script_;
};

/// Skips the test where this user may not make namespaces, or these programs (package by package) are missing.
void require_namespaces(const std::vector<std::string>& programs, const std::string& remedy);

}  // namespace test
