/// @file
/// A script in namespaces of its own.
#include "namespaces.h"

#include <unistd.h>

#include <stdexcept>

#include "catch.h"
#include "job.h"

namespace test {
namespace {

const std::vector<std::string> own_namespaces = {"unshare",      "--pid", "--fork",  "--kill-child",
                                                 "--mount-proc", "--net", "--mount", "--uts"};

/// Ends when this process does, however that ends, and everything in the namespaces with it.
Process start(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"setpriv", "--pdeathsig=KILL"};
  command.insert(command.end(), own_namespaces.begin(), own_namespaces.end());
  command.push_back(script);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Process(command, {});
}

bool may_make_namespaces() {
  if (::geteuid() != 0) {
    return false;
  }
  std::vector<std::string> command = own_namespaces;
  command.insert(command.end(), {"ip", "link", "add", "probe", "type", "veth"});
  return Process(command, {}).wait().status == 0;
}

}  // namespace

Namespaces::Namespaces(const std::string& script, const std::vector<std::string>& arguments, const std::string& ready)
    : script_(start(script, arguments)) {
  if (!script_.wait_for_output(ready + "\n")) {
    throw std::runtime_error(script + " failed:\n" + script_.output());
  }
}

std::vector<std::string> Namespaces::enter(const std::string& folder, const std::vector<std::string>& command) const {
  const std::string pid = std::to_string(script_.pid());
  // --root, since tests may run in a chroot, which entering a mount namespace leaves.
  std::vector<std::string> whole = {"nsenter",
                                    "--target=" + pid,
                                    "--net",
                                    "--mount",
                                    "--uts",
                                    "--root",
                                    "--pid=/proc/" + pid + "/ns/pid_for_children",
                                    "env",
                                    "--chdir=" + folder};
  whole.insert(whole.end(), command.begin(), command.end());
  return whole;
}

void require_namespaces(const std::vector<std::string>& programs, const std::string& remedy) {
  for (const std::string& program : programs) {
    require_program(program, remedy);
  }
  for (const char* program : {"ip", "nsenter", "setpriv", "unshare"}) {
    require_program(program, "apt-get install iproute2 util-linux");
  }
  static const bool may = may_make_namespaces();
  if (!may) {
    SKIP("needs a root who may make namespaces with a network: the hosts are such");
  }
}

}  // namespace test
