/// @file
/// Ranks on several hosts, on networks as they are met: names that lead astray, firewalls, slow links.
#include "network.h"

#include "catch.h"

using namespace test;

namespace {

const std::vector<std::string> join = {"timeout=60", "do=init", "do=all_reduce"};

void check_sum(std::vector<Process>& ranks, int sum) {
  for (Process& rank : ranks) {
    const Outcome outcome = rank.wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("sum=" + std::to_string(sum)));
  }
}

/// One rank on each of the hosts n1, n2, …
std::vector<Process> one_rank_each(const Network& network, int hosts, const std::string& master_addr,
                                   const Variables& changes = {}) {
  std::vector<Process> ranks;
  for (int rank = 0; rank < hosts; ++rank) {
    ranks.push_back(network.start_rank(rank + 1, rank, hosts, master_addr, join, changes));
  }
  return ranks;
}

}  // namespace

TEST_CASE("ranks on two hosts whose name resolves to loopback join, by name, IPv4 and IPv6 (cases 19, 22)",
          "[integration][network]") {
  const Network network(2);
  for (const char* master_addr : {"n1", "10.77.0.1", "fd00::1", "[fd00::1]"}) {
    INFO(master_addr);
    std::vector<Process> ranks = one_rank_each(network, 2, master_addr);
    check_sum(ranks, 3);
  }
  std::vector<Process> by_url;
  for (int rank = 0; rank < 2; ++rank) {
    by_url.push_back(
        network.start_rank(rank + 1, rank, 2, "unused.invalid",
                           {"init_method=tcp://[fd00::1]:29600", "timeout=60", "do=init", "do=all_reduce"}));
  }
  check_sum(by_url, 3);
}

TEST_CASE("rank 0 whose own name is the master address joins, though it resolves to loopback there",
          "[integration][network]") {
  const Network network(2);
  // Of two ranks Gloo lets that one connect whose address is the greater one: here it is rank 1.
  for (int host = 1; host <= 2; ++host) {
    network.set_up(host, "ip address add 192.168.77." + std::to_string(host) + "/24 dev eth0");
  }
  std::vector<Process> ranks;
  ranks.push_back(network.start_rank(1, 0, 2, "node", join));
  ranks.push_back(network.start_rank(2, 1, 2, "192.168.77.1", join));
  check_sum(ranks, 3);
}

TEST_CASE("the master may be named by an alias on another interface (case 25)", "[integration][network]") {
  const Network network(2);
  network.set_up(
      1, "ip link add link eth0 name ib0 type macvlan; ip link set ib0 up; ip address add 10.78.0.1/24 dev ib0");
  network.set_up(2, "ip route add 10.78.0.0/24 dev eth0");
  network.add_name("10.78.0.1 n1-ib");
  std::vector<Process> ranks = one_rank_each(network, 2, "n1-ib");
  check_sum(ranks, 3);
  CHECK_THAT(ranks[0].output(), !ContainsSubstring("warning"));
}

TEST_CASE("GLOO_SOCKET_IFNAME names one interface or several; what is no interface is refused (case 23)",
          "[integration][network]") {
  const Network network(2);
  for (int host = 1; host <= 2; ++host) {
    network.set_up(host,
                   "ip link add link eth0 name eth1 type macvlan mode bridge; ip link set eth1 up; "
                   "ip address add 10.79.0." +
                       std::to_string(host) + "/24 dev eth1");
  }
  for (const char* names : {"eth0", "eth1", "eth0,eth1"}) {
    INFO(names);
    std::vector<Process> ranks = one_rank_each(network, 2, "n1", {{"GLOO_SOCKET_IFNAME", names}});
    check_sum(ranks, 3);
  }
  for (const char* names : {"eth7", "eth0,eth7", "^lo", "10.77.0.1", "eth0,"}) {
    INFO(names);
    Process rank = network.start_rank(1, 0, 2, "n1", join, {{"GLOO_SOCKET_IFNAME", names}});
    check_failure(rank, std::string("GLOO_SOCKET_IFNAME is '") + names + "', but this host has no interface ");
    CHECK_THAT(rank.output(), ContainsSubstring("it has: eth0 eth1 lo"));
  }
}

TEST_CASE("why the store can't be reached is told apart", "[integration][network]") {
  const Network network(2);
  network.set_up(1,
                 "nft add table inet t; nft add chain inet t c '{ type filter hook input priority 0; }';"
                 "nft add rule inet t c tcp dport 29501 drop; nft add rule inet t c tcp dport 29502 reject;"
                 "nft add rule inet t c tcp dport 29503 reject with tcp reset");
  struct Try {
    std::string address;
    int port;
    std::string cause;
  };
  const std::vector<Try> tries = {
      {"n1", 29500, "connection refused: nothing listens there"},
      {"n1", 29501, "no answer: the host is down or a firewall drops the packets"},
      {"n1", 29502, "connection refused: nothing listens there"},
      {"n1", 29503, "connection refused: nothing listens there"},
      {"10.77.0.99", 29500, "No route to host"},
      {"10.99.0.1", 29500, "Network is unreachable"},
      {"nowhere.invalid", 29500, "the name 'nowhere.invalid' does not resolve on this host"},
  };
  std::vector<Process> ranks;
  for (const Try& one : tries) {
    // It takes the system three seconds to find that a host of its own network isn't there.
    ranks.push_back(network.start_rank(2, 1, 2, one.address, {"timeout=5", "do=init"},
                                       {{"MASTER_PORT", std::to_string(one.port)}}));
  }
  for (std::size_t i = 0; i < tries.size(); ++i) {
    check_failure(ranks[i], "TimeoutError: ");
    CHECK_THAT(ranks[i].output(), ContainsSubstring(tries[i].address + ":" + std::to_string(tries[i].port)) &&
                                      ContainsSubstring("within 5000 ms: " + tries[i].cause));
  }
}

TEST_CASE("workers that reach the store but not each other fail within the timeout", "[integration][network]") {
  const Network network(3);
  network.set_up(3,
                 "nft add table inet t; nft add chain inet t c '{ type filter hook input priority 0; }';"
                 "nft add chain inet t o '{ type filter hook output priority 0; }';"
                 "nft add rule inet t c ip saddr 10.77.0.2 drop; nft add rule inet t o ip daddr 10.77.0.2 drop");
  std::vector<Process> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.push_back(network.start_rank(rank + 1, rank, 3, "n1", {"timeout=4", "do=init", "do=all_reduce"}));
  }
  for (Process& rank : ranks) {
    check_failure(rank, "torch_dist_init: rank ");
  }
}

TEST_CASE("ranks join over a slow link", "[integration][network]") {
  const Network network(2);
  network.set_up(2, "tc qdisc add dev eth0 root tbf rate 200kbit burst 1600 latency 2s");
  std::vector<Process> ranks = one_rank_each(network, 2, "n1");
  check_sum(ranks, 3);
}

TEST_CASE("a name that resolves only later is waited for (case 29)", "[integration][network]") {
  const Network network(2);
  std::vector<Process> ranks = one_rank_each(network, 2, "late");
  for (Process& rank : ranks) {
    CHECK(
        rank.wait_for_output("waits for the store at late:29500 (MASTER_ADDR, MASTER_PORT): the name 'late' does not "
                             "resolve on this host"));
  }
  network.add_name("10.77.0.1 late");
  check_sum(ranks, 3);
}

TEST_CASE("rank 0 on another host than MASTER_ADDR names is warned about at once (case 28)", "[integration][network]") {
  const Network network(2);
  Process rank_0 = network.start_rank(2, 0, 2, "n1", {"timeout=60", "do=init"});
  CHECK(
      rank_0.wait_for_output("serves the store at n1:29500 (MASTER_ADDR, MASTER_PORT), but that is no address of this "
                             "host",
                             soon));
  Process rank_1 = network.start_rank(1, 1, 2, "n1", {"timeout=1", "do=init"});
  check_failure(rank_1, "connection refused: nothing listens there");
}
