/// @file
/// The launchers by name: the built-in ones and those that a program registers.
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>

#include <map>
#include <mutex>
#include <utility>

#include "launch/endpoint.h"
#include "launch/family.h"
#include "launch/launchers.h"
#include "quoted.h"

namespace torch_dist_init {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, LaunchReader> readers = {
      {"auto", detail::read_auto},       {"mpi", detail::read_mpi},     {"none", detail::read_none},
      {"pytorch", detail::read_pytorch}, {"slurm", detail::read_slurm},
  };
};

Registry& registry() {
  // Never destroyed: a static object of the program may still ask while the process exits.
  static auto* instance = new Registry;
  return *instance;
}

std::string joined_names() {
  std::string text;
  for (const auto& name : launcher_names()) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

LaunchReader find_reader(const std::string& launcher) {
  {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    const auto found = registry().readers.find(launcher);
    if (found != registry().readers.end()) {
      return found->second;
    }
  }
  throw ValueError("Invalid launcher type: " + detail::escaped(launcher) + ". Known launchers: " + joined_names());
}

}  // namespace

LaunchInfo read_launch_info(const std::string& launcher, const Environment& environment) {
  // A copy, called without the lock, so that a reader may itself read another launcher.
  const LaunchReader reader = find_reader(launcher);
  LaunchInfo info = reader(environment);
  if (info.launcher.empty()) {
    info.launcher = launcher;
  }
  info.sources.emplace("launcher", "argument");
  if (!info.master_addr && info.master_addr_help.empty()) {
    info.master_addr_help = "launcher " + detail::quoted(launcher) + " tells no address where the ranks meet";
  }
  detail::check_consistent(info);
  detail::warn_of_loopback(info);
  return info;
}

void register_launcher(const std::string& name, LaunchReader reader) {
  if (name.empty()) {
    throw ValueError("a launcher's name must not be empty");
  }
  if (!reader) {
    throw ValueError("launcher " + detail::quoted(name) + " needs a function that reads its variables");
  }
  const std::lock_guard<std::mutex> lock(registry().mutex);
  if (!registry().readers.emplace(name, std::move(reader)).second) {
    throw ValueError("launcher " + detail::quoted(name) + " is registered already");
  }
}

std::vector<std::string> launcher_names() {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& entry : registry().readers) {
    names.push_back(entry.first);
  }
  return names;
}

}  // namespace torch_dist_init
