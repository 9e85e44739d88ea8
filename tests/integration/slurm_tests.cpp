/// @file
/// Ranks that a real Slurm starts, on three nodes with a network between them. The address and the port are derived,
/// and used.
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "catch.h"
#include "launch/hostlist.h"
#include "slurm_cluster.h"

using namespace test;
using torch_dist_init::detail::expand_host_list;

namespace {

/// srun with these options, for a rank that joins, says who it is and where it met the others, and sums.
std::vector<std::string> srun(const std::vector<std::string>& options, const std::string& launcher = "auto") {
  std::vector<std::string> command = {"srun"};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {RANK_PROGRAM, "launcher=" + launcher, "timeout=60", "do=init", "do=report",
                                 "do=environment", "do=all_reduce"});
  return command;
}

void check_world(const Outcome& outcome, std::size_t size, const std::string& address) {
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "\nWORLD_SIZE=" + std::to_string(size) + "\n") == size);
  CHECK(count(outcome.output, "MASTER_ADDR=" + address + "\n") == size);
  CHECK(count(outcome.output, "sum=" + std::to_string(size * (size + 1) / 2) + "\n") == size);
}

/// The different values that the lines "name=value" tell.
std::set<std::string> values(const std::string& output, const std::string& name) {
  std::set<std::string> found;
  const std::string start = "\n" + name + "=";
  for (std::size_t at = output.find(start); at != std::string::npos; at = output.find(start, at + 1)) {
    const std::size_t value = at + start.size();
    found.insert(output.substr(value, output.find('\n', value) - value));
  }
  return found;
}

/// Host lists of one to three names of up to three bracket groups each, all of which every version of Slurm reads.
std::string generate_host_list(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const std::vector<std::string> stems = {"n", "node-", "gpu0", "c427-", "rack1_", "a.b"};
  std::string list;
  for (unsigned names = 1 + below(3); names > 0; --names) {
    list += stems[below(6)];
    for (unsigned groups = below(4); groups > 0; --groups) {
      list += "[";
      for (unsigned ranges = 1 + below(3); ranges > 0; --ranges) {
        const unsigned low = below(120);
        std::string text = std::to_string(low);
        text.insert(0, below(3), '0');
        list += text + (below(2) == 0 ? "" : "-" + std::to_string(low + below(4))) + (ranges > 1 ? "," : "");
      }
      list += groups > 1 ? "]x" : "]";
    }
    list += names > 1 ? "," : "";
  }
  return list;
}

}  // namespace

TEST_CASE("srun's tasks, uneven over three nodes, meet on the first one", "[integration][slurm]") {
  const Outcome outcome = slurm().run(srun({"-N3", "-n5"}, "slurm"));
  INFO(outcome.output);
  check_world(outcome, 5, "n1");
  CHECK_THAT(outcome.output, ContainsSubstring("rank=0 world_size=5 local_rank=0 local_size=3") &&
                                 ContainsSubstring("rank=2 world_size=5 local_rank=2 local_size=3") &&
                                 ContainsSubstring("rank=3 world_size=5 local_rank=0 local_size=1") &&
                                 ContainsSubstring("rank=4 world_size=5 local_rank=0 local_size=1"));
}

TEST_CASE("a step smaller than its allocation is a world of its own, on its own nodes (cases 14, 82)",
          "[integration][slurm]") {
  std::vector<std::string> command = {"salloc", "-N3", "-n6"};
  // With --preserve-env the job's SLURM_NTASKS and its like stand beside the step's own.
  const std::vector<std::string> step = srun({"--preserve-env", "-N2", "-n2", "-w", "n2,n3"});
  command.insert(command.end(), step.begin(), step.end());
  const Outcome outcome = slurm().run(command);
  INFO(outcome.output);
  check_world(outcome, 2, "n2");
  CHECK_THAT(outcome.output, ContainsSubstring("launcher slurm (auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS)"));
}

TEST_CASE("two steps of a batch job at once meet at ports of their own (cases 1, 97)", "[integration][slurm]") {
  const TemporaryFolder here;
  const std::string task = slurm().folder() + "/task.sh";
  // Every task waits until those of both steps are there.
  std::ofstream(task) << "echo \"EXPECTED=$((61000 + (SLURM_JOB_ID + 2803 * SLURM_STEP_ID) % 4536))\"\n"
                      << "touch " << here.path() << "/$SLURM_STEP_ID.$SLURM_PROCID\n"
                      << "until [ \"$(ls " << here.path() << " | wc -l)\" = 4 ]; do sleep 0.02; done\n"
                      << "exec " << RANK_PROGRAM << " launcher=slurm timeout=60 do=init do=environment do=all_reduce\n";
  const std::string step = "srun --overlap -N2 -n2 sh " + task;
  const Outcome outcome = slurm().run_batch({"-N2", "-n4"}, step + " & first=$!\n" + step + " && wait $first\n");
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "sum=3\n") == 4);
  CHECK(values(outcome.output, "MASTER_PORT").size() == 2);
  CHECK(values(outcome.output, "MASTER_PORT") == values(outcome.output, "EXPECTED"));
}

TEST_CASE("with an arbitrary distribution ranks meet on the first host of SLURM_HOSTFILE (case 79)",
          "[integration][slurm]") {
  const std::string hosts = slurm().folder() + "/hostfile";
  std::ofstream(hosts) << "n3\nn1\nn1\n";
  const Outcome outcome = slurm().run(srun({"-n3", "-m", "arbitrary"}), {{"SLURM_HOSTFILE", hosts}});
  INFO(outcome.output);
  check_world(outcome, 3, "n3");
}

TEST_CASE("a heterogeneous srun is one world (case 86)", "[integration][slurm]") {
  std::vector<std::string> command = srun({"-N1", "-n1"});
  const std::vector<std::string> second = srun({"-N1", "-n2"});
  command.push_back(":");
  command.insert(command.end(), second.begin() + 1, second.end());
  const Outcome outcome = slurm().run(command);
  INFO(outcome.output);
  check_world(outcome, 3, "n1");
}

TEST_CASE("a single task needs no name that resolves", "[integration][slurm]") {
  const Outcome outcome = slurm().run(srun({"-n1", "-w", "n2"}));
  INFO(outcome.output);
  check_world(outcome, 1, "127.0.0.1");
}

TEST_CASE("MASTER_ADDR and MASTER_PORT win over what is derived (cases 11, 80)", "[integration][slurm]") {
  const Outcome outcome =
      slurm().run(srun({"-N2", "-n2"}, "slurm"), {{"MASTER_ADDR", "10.77.0.1"}, {"MASTER_PORT", "29666"}});
  INFO(outcome.output);
  check_world(outcome, 2, "10.77.0.1");
  CHECK(values(outcome.output, "MASTER_PORT") == std::set<std::string>{"29666"});
}

TEST_CASE("a rank that fails ends srun with its message and exit status", "[integration][slurm]") {
  const Outcome outcome = slurm().run({"srun", "-N2", "-n2", RANK_PROGRAM, "launcher=slurm", "do=init", "do=fail"});
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("rank 1 on host n2: this rank \"fails\""));
}

TEST_CASE("a missing rank is named with its node", "[integration][slurm]") {
  const Outcome outcome = slurm().run(
      {"srun", "-N3", "-n5", "sh", "-c",
       "test $SLURM_PROCID = 4 || exec " + std::string(RANK_PROGRAM) + " launcher=slurm timeout=2 do=init"});
  INFO(outcome.output);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("4 of 5 ranks are here; missing: 4 (n3)"));
}

TEST_CASE("a shell of salloc and a batch script are no tasks, and are told to use srun", "[integration][slurm]") {
  const Outcome shell = slurm().run({"salloc", "-n2", RANK_PROGRAM, "launcher=slurm", "do=init"});
  INFO(shell.output);
  CHECK(shell.status == 1);
  CHECK_THAT(shell.output, ContainsSubstring("SLURM_PROCID isn't set") &&
                               ContainsSubstring("This is a shell inside Slurm job") && ContainsSubstring("srun"));
  const std::string program = std::string(RANK_PROGRAM) + " do=init do=report ";
  const Outcome batch = slurm().run_batch({"-n2"}, program + "launcher=auto\n" + program + "launcher=slurm\n");
  INFO(batch.output);
  CHECK(batch.status == 1);
  CHECK_THAT(batch.output, ContainsSubstring("took a world of one, since this is inside Slurm job") &&
                               ContainsSubstring("rank=0 world_size=1"));
  CHECK_THAT(batch.output, ContainsSubstring("this is the batch script itself, not one of its tasks") &&
                               ContainsSubstring("Start the program with srun"));
}

TEST_CASE("a RANK that a script exports to all tasks does no harm, or is refused (case 35)", "[integration][slurm]") {
  const Outcome taken = slurm().run(srun({"-N1", "-n3"}, "slurm"), {{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  INFO(taken.output);
  check_world(taken, 3, "127.0.0.1");
  CHECK_THAT(taken.output, ContainsSubstring("SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=3 contradict RANK=0, WORLD_SIZE=1"));
  const Outcome refused = slurm().run(srun({"-N1", "-n3"}), {{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  INFO(refused.output);
  CHECK(refused.status == 1);
  CHECK_THAT(refused.output, ContainsSubstring("contradiction: RANK=0, WORLD_SIZE=1, but SLURM_PROCID=1"));
}

TEST_CASE("the example trains under srun", "[integration][slurm][example]") {
  const Outcome outcome = slurm().run({"srun", "-N2", "-n2", TRAIN_DIGITS, "--epochs=2"});
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(count(outcome.output, "epoch  1 of 2") == 1);
  CHECK_THAT(outcome.output, ContainsSubstring("ranks with identical weights: 2"));
}

TEST_CASE("generated host lists expand as this Slurm's scontrol expands them", "[integration][slurm]") {
  std::mt19937 random(20261201);
  std::vector<std::string> lists;
  for (int i = 0; i < 250; ++i) {
    lists.push_back(generate_host_list(random));
  }
  std::vector<std::string> command = {"sh", "-c", "for list; do scontrol show hostnames \"$list\"; echo; done", "sh"};
  command.insert(command.end(), lists.begin(), lists.end());
  const Outcome outcome = slurm().run(command);
  REQUIRE(outcome.status == 0);
  std::istringstream printed(outcome.output);
  for (const std::string& list : lists) {
    std::vector<std::string> hosts;
    for (std::string host; std::getline(printed, host) && !host.empty();) {
      hosts.push_back(host);
    }
    INFO(list);
    CHECK(expand_host_list(list, "the list") == hosts);
  }
}
