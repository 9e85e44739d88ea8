/// @file
/// Several hosts with a network between them, on this machine.
#pragma once

#include <string>
#include <vector>

#include "job.h"
#include "namespaces.h"
#include "process.h"

namespace test {

/// Hosts n1, n2, … at 10.77.0.1, … and fd00::1, …; all have the host name "node", which resolves to 127.0.1.1.
class Network {
 public:
  /// Skips the test where there can be none.
  explicit Network(int hosts);

  /// Starts a command on host nI.
  Process start(int host, const std::vector<std::string>& command, const Variables& variables = {}) const;

  /// Starts rank_program as rank `rank` of `world_size` on host nI, with this MASTER_ADDR; `changes` replaces or adds
  /// variables.
  Process start_rank(int host, int rank, int world_size, const std::string& master_addr,
                     const std::vector<std::string>& arguments, const Variables& changes = {}) const;

  /// Runs a shell script on host nI, as root there; throws if it fails.
  void set_up(int host, const std::string& script) const;

  /// Adds a line to the hosts file.
  void add_name(const std::string& line) const;

  /// The port where the ranks meet: any, since nobody else is here.
  static constexpr int port = 29500;

 private:
  TemporaryFolder folder_;
  Namespaces hosts_;
};

}  // namespace test
