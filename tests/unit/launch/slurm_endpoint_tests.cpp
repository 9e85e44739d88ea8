/// @file
/// Where the ranks of a Slurm step meet.
#include "launch/slurm_endpoint.h"

#include <torch_dist_init/error.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "captured.h"
#include "catch.h"

using namespace torch_dist_init;
using detail::slurm_port;

namespace {

LaunchInfo read_slurm(const Variables& variables) { return read("slurm", variables); }

/// A host file that lives as long as the test.
class HostFile {
 public:
  explicit HostFile(const std::string& text) {
    const int descriptor = ::mkstemp(path_.data());
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    std::ofstream(path_) << text;
  }
  ~HostFile() { std::remove(path_.c_str()); }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/torch_dist_init_hostfile_XXXXXX";
};

LaunchInfo read_arbitrary(const std::string& hostfile_path) {
  auto variables = captured::arbitrary_step;
  variables["SLURM_HOSTFILE"] = hostfile_path;
  return read_slurm(variables);
}

}  // namespace

TEST_CASE("case 2: the address is the first host of the list, found without scontrol", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(shell("SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_LOCALID=0 SLURM_NODELIST=node[01-02]"));
  CHECK(info.master_addr == "node01");
  CHECK(info.sources.at("master_addr") == "first host of SLURM_NODELIST");
}

TEST_CASE("case 80: MASTER_ADDR and MASTER_PORT that the user set win", "[launch][slurm]") {
  const LaunchInfo info =
      read_slurm(shell("SLURM_NODELIST=n[1-2] SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_LOCALID=0 MASTER_ADDR=10.1.2.3 "
                       "MASTER_PORT=23456"));
  CHECK(info.master_addr == "10.1.2.3");
  CHECK(info.sources.at("master_addr") == "MASTER_ADDR");
  CHECK(info.master_port == 23456);
  CHECK(info.sources.at("master_port") == "MASTER_PORT");
}

TEST_CASE("with MASTER_ADDR set the node list isn't even read", "[launch][slurm]") {
  CHECK(read_slurm(with(captured::srun, "SLURM_STEP_NODELIST=n[ MASTER_ADDR=n1")).master_addr == "n1");
}

TEST_CASE("a step on one node meets on the loopback, since names of nodes need not resolve", "[launch][slurm]") {
  const LaunchInfo one_node = read_slurm(with(captured::srun,
                                              "SLURM_STEP_NUM_NODES=1 SLURM_STEP_NODELIST=n2 "
                                              "SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=3"));
  CHECK(one_node.master_addr == "127.0.0.1");
  CHECK(one_node.local_world_size == 3);
}

TEST_CASE("a node list that can't be read is an error that names its variable", "[launch][slurm]") {
  REQUIRE_THROWS_WITH(read_slurm(with(captured::srun, "SLURM_STEP_NODELIST=n[2-1]")),
                      Catch::Matchers::StartsWith("SLURM_STEP_NODELIST is no Slurm host list"));
}

TEST_CASE("without any node list the address is empty, with what to do", "[launch][slurm]") {
  const LaunchInfo info = read_slurm(shell("SLURM_PROCID=0 SLURM_NTASKS=2"));
  CHECK_FALSE(info.master_addr);
  CHECK_THAT(info.master_addr_help, ContainsSubstring("set MASTER_ADDR"));
}

TEST_CASE("case 1: every rank of a step derives the same port, above the ephemeral ones", "[launch][slurm]") {
  const std::string job = "SLURM_LOCALID=0 SLURM_NTASKS=2 SLURM_NODELIST=localhost SLURM_JOB_ID=81234 SLURM_PROCID=";
  CHECK(read_slurm(shell(job + "0")).master_port == 61000 + 81234 % 4536);
  CHECK(read_slurm(shell(job + "1")).master_port == 61000 + 81234 % 4536);
}

TEST_CASE("case 97: whatever the ids, the port is from 61000 to 65535", "[launch][slurm]") {
  for (const std::uint32_t job : {0U, 7U, 10000U, 4535U, 4536U, 4294967295U}) {
    for (const std::uint32_t step : {0U, 1U, 4294967290U, 4294967295U}) {
      INFO(job << "." << step);
      CHECK(slurm_port(job, step) >= 61000);
      CHECK(slurm_port(job, step) <= 65535);
    }
  }
  CHECK(slurm_port(0, 0) == 61000);
  CHECK(slurm_port(7, 0) == 61007);
  CHECK(slurm_port(7, 1) == 61000 + (7 + 2803) % 4536);
}

TEST_CASE("case 97: the steps of a job, and the jobs of a day, have ports of their own", "[launch][slurm]") {
  std::set<int> steps;
  std::set<int> jobs;
  for (std::uint32_t i = 0; i < 4536; ++i) {
    steps.insert(slurm_port(81234, i));
    jobs.insert(slurm_port(81234 + i, 0));
  }
  CHECK(steps.size() == 4536);
  CHECK(jobs.size() == 4536);
  // A job of five steps beside its neighbours with five steps each.
  std::set<int> neighbours;
  for (std::uint32_t job = 0; job < 20; ++job) {
    for (std::uint32_t step = 0; step < 5; ++step) {
      neighbours.insert(slurm_port(81234 + job, step));
    }
  }
  CHECK(neighbours.size() == 100);
}

TEST_CASE("a special step's negative number is the same as its 32-bit one", "[launch][slurm]") {
  const auto port = [](const char* id) {
    return read_slurm(with(captured::interactive_step, std::string("SLURM_STEP_ID=") + id)).master_port;
  };
  CHECK(port("-6") == port("4294967290"));
}

TEST_CASE("case 97: ids that are no numbers give the default port and a warning", "[launch][slurm]") {
  for (const char* ids : {"SLURM_JOB_ID=123_4", "SLURM_JOB_ID= SLURM_JOBID=", "SLURM_STEP_ID=abc", "SLURM_STEP_ID=-",
                          "SLURM_JOB_ID=4294967296"}) {
    INFO(ids);
    const LaunchInfo info = read_slurm(with(captured::srun, ids));
    CHECK(info.master_port == 29500);
    CHECK(info.sources.at("master_port") == "default");
    REQUIRE(info.warnings.size() == 1);
    CHECK_THAT(info.warnings[0], ContainsSubstring("no port can be derived") && ContainsSubstring("MASTER_PORT"));
  }
  CHECK(read_slurm(with(captured::srun, "SLURM_JOB_ID= SLURM_JOBID=7")).master_port == 61007);
}

TEST_CASE("case 11: MASTER_PORT wins over any port that is derived", "[launch][slurm]") {
  CHECK(read_slurm(with(captured::srun, "MASTER_PORT=29666")).master_port == 29666);
  CHECK(read_slurm(with(captured::srun, "MASTER_PORT=29666 SLURM_STEP_RESV_PORTS=30101-30104")).master_port == 29666);
}

TEST_CASE("ports that Slurm reserved for the step win over a derived one", "[launch][slurm]") {
  const auto port = [](const char* reserved) {
    return read_slurm(with(captured::srun, std::string("SLURM_STEP_RESV_PORTS=") + reserved)).master_port;
  };
  CHECK(port("30101-30104") == 30101);
  CHECK(port("30108") == 30108);
  CHECK(port("30105,30107-30109") == 30105);
  // Slurm reserves the same ports for all parts of a heterogeneous step.
  CHECK(read_slurm(with(captured::heterogeneous_step, "SLURM_STEP_RESV_PORTS=30101-30105")).master_port == 30101);
  for (const char* reserved : {"abc", "0", "70000", "-30101", "x30101-30104"}) {
    INFO(reserved);
    REQUIRE_THROWS_WITH(port(reserved), Catch::Matchers::StartsWith("SLURM_STEP_RESV_PORTS must be ports"));
  }
}

TEST_CASE("case 79: under an arbitrary distribution the host file tells where rank 0 is", "[launch][slurm]") {
  const HostFile file("# placed by hand\n\n n3\nn1\nn1\n");
  const LaunchInfo info = read_arbitrary(file.path());
  CHECK(info.master_addr == "n3");
  CHECK(info.sources.at("master_addr") == "first host in SLURM_HOSTFILE");

  const HostFile compact("n3*1\r\nn1*2");
  CHECK(read_arbitrary(compact.path()).master_addr == "n3");
}

TEST_CASE("case 79: a host file is sign enough where SLURM_DISTRIBUTION isn't set", "[launch][slurm]") {
  const HostFile file("cn-801\ncn-869\ncn-583\ncn-752\n");
  const std::string step =
      "SLURM_NODELIST=cn-[583,752,801,869] SLURM_STEP_NODELIST=cn-[583,752,801,869] SLURM_PROCID=0 "
      "SLURM_STEP_NUM_TASKS=4 SLURM_HOSTFILE=" +
      file.path();
  CHECK(read_slurm(shell(step)).master_addr == "cn-801");
  CHECK(read_slurm(shell(step + " SLURM_DISTRIBUTION=block")).master_addr == "cn-583");
}

TEST_CASE("an arbitrary distribution without a usable host file leaves the address to the user", "[launch][slurm]") {
  const auto help = [](const std::string& path) {
    const LaunchInfo info = read_arbitrary(path);
    CHECK_FALSE(info.master_addr);
    CHECK_THAT(info.master_addr_help, ContainsSubstring("Set MASTER_ADDR to the host of rank 0"));
    return info.master_addr_help;
  };
  CHECK_THAT(help(""), ContainsSubstring("it isn't set"));
  CHECK_THAT(help("/nonexistent/hosts"), ContainsSubstring("'/nonexistent/hosts' can't be read"));
  CHECK_THAT(help("/dev/zero"), ContainsSubstring("can't be read"));
  const HostFile empty("\n# nothing\n");
  CHECK_THAT(help(empty.path()), ContainsSubstring("can't be read"));
  const HostFile stale("other7\nn1\n");
  CHECK_THAT(help(stale.path()), ContainsSubstring("its first host 'other7' isn't in SLURM_STEP_NODELIST"));
}
