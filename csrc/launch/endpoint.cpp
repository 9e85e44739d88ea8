/// @file
/// MASTER_ADDR and MASTER_PORT: where the ranks meet, as the user or the launcher set it.
#include "launch/endpoint.h"

#include <torch_dist_init/error.h>

#include <algorithm>

#include "host.h"
#include "launch/integer.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

constexpr int max_port = 65535;

[[noreturn]] void throw_bad_address(const std::string& value, const std::string& why) {
  throw LaunchError("MASTER_ADDR must be a host name or an IP address, but it is " + quoted(value) + ": " + why);
}

/// The address without the brackets of an IPv6 literal.
std::string without_brackets(const std::string& value) {
  if (value.front() != '[') {
    return value;
  }
  const auto closing = value.find(']');
  if (closing == std::string::npos) {
    throw_bad_address(value, "the bracket isn't closed");
  }
  if (closing + 1 != value.size()) {
    throw_bad_address(value, "set the port with MASTER_PORT");
  }
  const std::string address = value.substr(1, closing - 1);
  if (address.find(':') == std::string::npos) {
    throw_bad_address(value, "brackets are for IPv6 addresses only");
  }
  return address;
}

}  // namespace

void read_master_addr(const Environment& environment, LaunchInfo& info) {
  const auto value = environment.get("MASTER_ADDR");
  if (!value) {
    return;
  }
  if (value->find("://") != std::string::npos) {
    throw_bad_address(*value, "a URL goes into the keyword argument 'init_method'");
  }
  const auto is_foreign = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '/' || c == ',' || c == ';';
  };
  const auto foreign = std::find_if(value->begin(), value->end(), is_foreign);
  if (foreign != value->end()) {
    throw_bad_address(*value, "it holds the character " + quoted(std::string(1, *foreign)));
  }
  const std::string address = without_brackets(*value);
  if (std::count(address.begin(), address.end(), ':') == 1) {
    throw_bad_address(*value, "set the port with MASTER_PORT");
  }
  info.master_addr = address;
  info.sources["master_addr"] = "MASTER_ADDR";
}

void read_master_port(const Environment& environment, LaunchInfo& info) {
  const auto value = environment.get("MASTER_PORT");
  if (!value) {
    return;
  }
  if (value->find("://") != std::string::npos) {
    throw LaunchError("MASTER_PORT must be a port from 1 to 65535, but it is " + quoted(*value) +
                      ": this looks like a Kubernetes service variable, which every pod gets if a service is called "
                      "'master'. Rename the service, set enableServiceLinks: false in the pod, or set MASTER_PORT");
  }
  info.master_port = read_integer(environment, "MASTER_PORT", 1, max_port);
  info.sources["master_port"] = "MASTER_PORT";
}

void use_default_port(LaunchInfo& info) {
  if (!info.master_port) {
    info.master_port = default_master_port;
    info.sources["master_port"] = "default";
  }
}

void warn_of_loopback(LaunchInfo& info) {
  const std::string address = info.master_addr.value_or("");
  const bool has_other_nodes =
      info.num_nodes ? *info.num_nodes > 1 : info.local_world_size.value_or(info.world_size) < info.world_size;
  if (is_loopback(address) && has_other_nodes) {
    info.warnings.push_back("the master address is " + address + " (" + info.sources["master_addr"] +
                            "), but the ranks are on several nodes: on each it is that node itself. Set MASTER_ADDR to "
                            "the host of rank 0");
  }
}

}  // namespace torch_dist_init::detail
