/// @file
/// Slurm's host lists. What is expected was printed by Slurm's own `scontrol show hostnames`, if not said otherwise.
#include "launch/hostlist.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using torch_dist_init::LaunchError;
using torch_dist_init::detail::expand_host_list;
using torch_dist_init::detail::first_host;

namespace {

std::string expanded(const std::string& list) {
  std::string text;
  for (const auto& host : expand_host_list(list, "SLURM_NODELIST")) {
    text += (text.empty() ? "" : " ") + host;
  }
  return text;
}

struct Example {
  const char* list;
  const char* hosts;
};

void check(const std::vector<Example>& examples) {
  for (const auto& example : examples) {
    INFO(example.list);
    CHECK(expanded(example.list) == example.hosts);
    const std::string hosts = example.hosts;
    CHECK(first_host(example.list, "SLURM_NODELIST") == hosts.substr(0, hosts.find(' ')));
  }
}

}  // namespace

TEST_CASE("plain names are hosts, separated by commas or blanks", "[launch][hostlist]") {
  check({
      {"n1", "n1"},
      {"n1,n2", "n1 n2"},
      {"n1 n2", "n1 n2"},
      {"n1, n2", "n1 n2"},
      {"n1\tn2\nn3", "n1 n2 n3"},
      {",n1,,n2,", "n1 n2"},
      {"login,node[1-2]", "login node1 node2"},
      {"localhost", "localhost"},
      {"10.0.0.1", "10.0.0.1"},
  });
}

TEST_CASE("ranges keep the width of their first number", "[launch][hostlist]") {
  check({
      {"n[001-003]", "n001 n002 n003"},
      {"n[010-012]", "n010 n011 n012"},
      {"n[098-101]", "n098 n099 n100 n101"},
      {"n[8-11]", "n8 n9 n10 n11"},
      {"n[08-11]", "n08 n09 n10 n11"},
      {"n[9-010]", "n9 n10"},
      {"n[1,03]", "n1 n03"},
      {"n[0001]", "n0001"},
      {"n[1-]", "n1"},
      {"n[00-02],m", "n00 n01 n02 m"},
  });
}

TEST_CASE("the order as written is kept, and so is what is there twice", "[launch][hostlist]") {
  check({
      {"n[3,1]", "n3 n1"},
      {"n[1,1]", "n1 n1"},
      {"n[1,3,5-7]", "n1 n3 n5 n6 n7"},
      {"a[5],b[6-7]", "a5 b6 b7"},
      {"n-[01-02],m-[1,3]", "n-01 n-02 m-1 m-3"},
      {"[1-3]", "1 2 3"},
      {"10.0.0.[1-3]", "10.0.0.1 10.0.0.2 10.0.0.3"},
      {"n.x[1-2]", "n.x1 n.x2"},
      {"n[1-2],rack1n01,rack2n02", "n1 n2 rack1n01 rack2n02"},
  });
}

TEST_CASE("case 73: names with hyphens, letters, signs and several groups", "[launch][hostlist]") {
  check({
      {"gpu-compute-on-demand-dy-g4dnxlarge-[1-4]",
       "gpu-compute-on-demand-dy-g4dnxlarge-1 gpu-compute-on-demand-dy-g4dnxlarge-2 "
       "gpu-compute-on-demand-dy-g4dnxlarge-3 gpu-compute-on-demand-dy-g4dnxlarge-4"},
      {"c1009a-s17,c1010a-s11", "c1009a-s17 c1010a-s11"},
      {"c1001a-s[11,17]", "c1001a-s11 c1001a-s17"},
      {"compute-b24-[1-3,5-6], compute-b25-[1,4],compute-b25-[2-3,13]",
       "compute-b24-1 compute-b24-2 compute-b24-3 compute-b24-5 compute-b24-6 compute-b25-1 compute-b25-4 "
       "compute-b25-2 compute-b25-3 compute-b25-13"},
      {"compute+b24_[1-2]", "compute+b24_1 compute+b24_2"},
      {"compute:b24_[1-2]", "compute:b24_1 compute:b24_2"},
      {"overlapping-hosts_[1-3,2-4]",
       "overlapping-hosts_1 overlapping-hosts_2 overlapping-hosts_3 overlapping-hosts_2 overlapping-hosts_3 "
       "overlapping-hosts_4"},
  });
}

TEST_CASE("case 74: a comma in brackets separates no hosts", "[launch][hostlist]") {
  check({
      {"node[001-002]", "node001 node002"},
      {"node[001,003]", "node001 node003"},
      {"gpu[001-002],cpu[001-002]", "gpu001 gpu002 cpu001 cpu002"},
      {"nodeA,nodeB[001,003],nodeC", "nodeA nodeB001 nodeB003 nodeC"},
      {"ml-16-node-[001-002,004],ml-17-node-[001-003]",
       "ml-16-node-001 ml-16-node-002 ml-16-node-004 ml-17-node-001 ml-17-node-002 ml-17-node-003"},
  });
}

TEST_CASE("case 76: of two groups in a name the left varies slowest", "[launch][hostlist]") {
  check({
      {"rack[0-1]_blade[0-1]", "rack0_blade0 rack0_blade1 rack1_blade0 rack1_blade1"},
      {"rack[0-1]-n[5]", "rack0-n5 rack1-n5"},
      {"a[1-2]b[3-4]", "a1b3 a1b4 a2b3 a2b4"},
      {"n[1-2][3-4]", "n13 n14 n23 n24"},
      {"rack[1-2]node[01-02]", "rack1node01 rack1node02 rack2node01 rack2node02"},
      {"node-[055,114],node-[056,115]", "node-055 node-114 node-056 node-115"},
      {"node[7],host2", "node7 host2"},
  });
}

TEST_CASE("three groups come in Slurm's own order, which isn't the alphabetic one", "[launch][hostlist]") {
  check({
      {"a[1-2]b[3-4]c[5-6]", "a1b3c5 a1b3c6 a2b3c5 a2b3c6 a1b4c5 a1b4c6 a2b4c5 a2b4c6"},
      {"row[0,1]_rack[2-3]_blade[4,5]",
       "row0_rack2_blade4 row0_rack2_blade5 row1_rack2_blade4 row1_rack2_blade5 row0_rack3_blade4 row0_rack3_blade5 "
       "row1_rack3_blade4 row1_rack3_blade5"},
  });
}

TEST_CASE("case 76: a suffix after a bracket is kept, as Slurm does from 23.11 on", "[launch][hostlist]") {
  check({
      {"web[1-3].example.com", "web1.example.com web2.example.com web3.example.com"},
      {"node[1-2]-ib", "node1-ib node2-ib"},
      {"node[1-2].cl,m[3-4].cl", "node1.cl node2.cl m3.cl m4.cl"},
      {"p[00-3]p", "p00p p01p p02p p03p"},
  });
}

TEST_CASE("case 77: a dash outside brackets is no range", "[launch][hostlist]") {
  check({
      {"c427-032,c429-002", "c427-032 c429-002"},
      {"c438-[062,104]", "c438-062 c438-104"},
  });
}

TEST_CASE("300 generated lists expand as Slurm 24.11 expands them", "[launch][hostlist]") {
  const std::vector<Example> examples = {
#include "scontrol_lists.inc"
  };
  REQUIRE(examples.size() == 300);
  check(examples);
}

TEST_CASE("a list that Slurm would refuse is an error with the place", "[launch][hostlist]") {
  struct Bad {
    const char* list;
    const char* why;
  };
  const std::vector<Bad> examples = {
      {"n[]", "expected a number in the brackets, at character 3 of 'n[]'"},
      {"n[1,]", "expected a number in the brackets, at character 5 of"},
      {"n[,1]", "expected a number in the brackets, at character 3 of"},
      {"n[3-1]", "a range ends before it begins, at character 3 of"},
      {"n[a-c]", "expected a number in the brackets, at character 3 of"},
      {"n[-1]", "expected a number in the brackets, at character 3 of"},
      {"n[1--2]", "expected ',' or ']' after a range, at character 5 of"},
      {"n[1-2-3]", "expected ',' or ']' after a range, at character 6 of"},
      {"n[1x2]", "expected ',' or ']' after a range, at character 4 of"},
      {"n[1-3/2]", "expected ',' or ']' after a range, at character 6 of"},
      {"n[1-5:2]", "expected ',' or ']' after a range, at character 6 of"},
      {"n[ 1-2]", "expected a number in the brackets, at character 3 of"},
      {"n[+1]", "expected a number in the brackets, at character 3 of"},
      {"[a,b]", "expected a number in the brackets, at character 2 of"},
      {"n[[1-2]]", "expected a number in the brackets, at character 3 of"},
      {"n[1-3]]", "']' without '[', at character 7 of"},
      {"n1]", "']' without '[', at character 3 of"},
      {"n[1-2", "'[' isn't closed, at character 2 of"},
      {"n[", "'[' isn't closed, at character 3 of"},
      {"n[1,", "'[' isn't closed, at character 5 of"},
      {"n1,n[2-", "'[' isn't closed, at character 5 of"},
      {"n[9999999999999999999]", "a number has more than 18 digits, at character 3 of"},
      {"", "it names no host"},
      {" ,, ", "it names no host"},
  };
  for (const auto& bad : examples) {
    INFO(bad.list);
    REQUIRE_THROWS_AS(expanded(bad.list), LaunchError);
    REQUIRE_THROWS_WITH(expanded(bad.list),
                        Catch::Matchers::StartsWith("SLURM_NODELIST is no Slurm host list: " + std::string(bad.why)));
    REQUIRE_THROWS_AS(first_host(bad.list, "SLURM_NODELIST"), LaunchError);
  }
}

TEST_CASE("the first host of a list that can't be expanded costs nothing", "[launch][hostlist]") {
  CHECK(first_host("n[0-99999999]", "SLURM_NODELIST") == "n0");
  CHECK(first_host("a[1-999999]b[1-999999]c[1-999999]", "SLURM_NODELIST") == "a1b1c1");
  CHECK(first_host("n[000000000000000001-999999999999999999]", "SLURM_NODELIST") == "n000000000000000001");
}

TEST_CASE("an expansion is bounded, and says so", "[launch][hostlist]") {
  CHECK(expand_host_list("n[0-65535]", "SLURM_NODELIST").size() == 65536);
  for (const char* list :
       {"n[0-65536]", "n[0-65535],m", "a[0-255]b[0-256]", "a[0-9999]b[0-9999]c[0-9999]d[0-9999]",
        "a[0-65535]b[0-65535]c[0-65535]d[0-65535]", "n[0-999999999999999999,0-999999999999999999]"}) {
    INFO(list);
    REQUIRE_THROWS_WITH(expanded(list), Catch::Matchers::StartsWith("SLURM_NODELIST names more than 65536 hosts: "));
  }
}

TEST_CASE("what is too long for a name is refused", "[launch][hostlist]") {
  CHECK(expanded(std::string(255, 'n')) == std::string(255, 'n'));
  REQUIRE_THROWS_WITH(expanded(std::string(256, 'n')), ContainsSubstring("more than 255 characters"));
  std::string many_groups;
  for (int i = 0; i < 256; ++i) {
    many_groups += "[1]";
  }
  REQUIRE_THROWS_WITH(expanded(many_groups), ContainsSubstring("more than 255 characters"));
}
