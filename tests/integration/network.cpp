/// @file
/// Several hosts with a network between them, on this machine.
#include "network.h"

#include <fstream>
#include <stdexcept>

namespace test {
namespace {

int require_network(int hosts) {
  require_namespaces({"nft", "tc"}, "apt-get install nftables iproute2");
  return hosts;
}

}  // namespace

Network::Network(int hosts)
    : hosts_(NETWORK, {folder_.path(), std::to_string(require_network(hosts))}, "The hosts are up") {}

Process Network::start(int host, const std::vector<std::string>& command, const Variables& variables) const {
  std::vector<std::string> on_host = {"nsenter", "--net=/run/netns/n" + std::to_string(host)};
  on_host.insert(on_host.end(), command.begin(), command.end());
  return Process(hosts_.enter(folder_.path(), on_host), variables);
}

Process Network::start_rank(int host, int rank, int world_size, const std::string& master_addr,
                            const std::vector<std::string>& arguments, const Variables& changes) const {
  Variables variables = rank_variables(rank, world_size, port);
  variables["MASTER_ADDR"] = master_addr;
  for (const auto& [name, value] : changes) {
    variables[name] = value;
  }
  std::vector<std::string> command = {RANK_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return start(host, command, variables);
}

void Network::set_up(int host, const std::string& script) const {
  const Outcome outcome = start(host, {"sh", "-ec", script}).wait();
  if (outcome.status != 0) {
    throw std::runtime_error(script + " failed:\n" + outcome.output);
  }
}

void Network::add_name(const std::string& line) const {
  std::ofstream(folder_.path() + "/hosts", std::ios::app) << line << '\n';
}

}  // namespace test
