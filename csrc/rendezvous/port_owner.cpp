/// @file
/// Which process listens on a TCP port of this host, for messages.
#include "rendezvous/port_owner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

namespace fs = std::filesystem;

/// Adds to `links` what the descriptors of sockets that listen on `port` link to, as "socket:[12345]".
void find_listeners(const char* table, int port, std::set<std::string>& links) {
  std::ifstream lines(table);
  std::string line;
  std::getline(lines, line);  // The heading.
  while (std::getline(lines, line)) {
    // "0: 0100007F:733B 00000000:0000 0A …": local and remote address in hexadecimal digits, the state, where 0A is
    // LISTEN; the tenth word is the inode.
    std::istringstream words(line);
    std::string number, local, remote, state, skipped, inode;
    words >> number >> local >> remote >> state;
    for (int i = 4; i < 9; ++i) {
      words >> skipped;
    }
    words >> inode;
    std::istringstream digits(local.substr(std::min(local.rfind(':') + 1, local.size())));
    int local_port = 0;
    if (digits >> std::hex >> local_port && local_port == port && state == "0A") {
      links.insert("socket:[" + inode + "]");
    }
  }
}

bool holds_any(const fs::path& process, const std::set<std::string>& links) {
  std::error_code error;
  for (fs::directory_iterator descriptor(process / "fd", error), end; !error && descriptor != end;
       descriptor.increment(error)) {
    std::error_code unreadable;
    if (links.count(fs::read_symlink(descriptor->path(), unreadable).string()) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string describe_port_owner(int port) {
  std::set<std::string> links;
  find_listeners("/proc/self/net/tcp", port, links);
  find_listeners("/proc/self/net/tcp6", port, links);
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !links.empty() && !error && process != end;
       process.increment(error)) {
    const std::string pid = process->path().filename().string();
    if (pid.find_first_not_of("0123456789") == std::string::npos && holds_any(process->path(), links)) {
      std::string name;
      std::getline(std::ifstream(process->path() / "comm"), name);
      return "process " + pid + " (" + escaped(name) + ")";
    }
  }
  return "";
}

}  // namespace torch_dist_init::detail
