/// @file
/// torch-dist info, as a process with the environments that launchers leave.
#include <torch_dist_init/version.h>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "process.h"
#include "unit/launch/captured.h"

using nlohmann::json;

namespace {

/// torch-dist's stdout and stderr, or with `redirection` (as the shell writes it) one of them.
test::Outcome torch_dist(const std::vector<std::string>& arguments, const Variables& variables = {},
                         const std::string& redirection = "") {
  std::vector<std::string> command = {"sh", "-c", "exec \"$@\" " + redirection, "sh", TORCH_DIST};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return test::Process(command, {variables.begin(), variables.end()}).wait();
}

json json_of(const std::vector<std::string>& arguments, const Variables& variables, int expected_status = 0) {
  std::vector<std::string> command = {"info", "--json"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const test::Outcome outcome = torch_dist(command, variables, "2>/dev/null");
  INFO(outcome.output);
  CHECK(outcome.status == expected_status);
  return json::parse(outcome.output);
}

/// The table's line that begins with `field`, without the blanks between its columns.
std::string row(const std::string& table, const std::string& field) {
  const auto begin = ("\n" + table).find("\n" + field + " ");
  if (begin == std::string::npos) {
    return "";
  }
  std::istringstream words(table.substr(begin, table.find('\n', begin) - begin));
  std::string text;
  for (std::string word; words >> word;) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

}  // namespace

TEST_CASE("info shows torchrun's values and their variables", "[integration][info]") {
  const json info = json_of({}, captured::torchrun_in_srun);
  CHECK(info.at("launcher") == "pytorch");
  CHECK(info.at("rank") == 3);
  CHECK(info.at("world_size") == 4);
  CHECK(info.at("local_rank") == 1);
  CHECK(info.at("local_world_size") == 2);
  CHECK(info.at("node_rank") == 1);
  CHECK(info.at("num_nodes") == 2);
  CHECK(info.at("master_addr") == "localhost");
  CHECK(info.at("master_port") == 33451);
  CHECK(info.at("job_id") == "77");
  CHECK(info.at("restart_count") == 0);
  CHECK(info.at("agent_store") == true);
  CHECK(info.at("sources").at("launcher") == "auto: RANK, WORLD_SIZE");
  CHECK(info.at("sources").at("rank") == "RANK");
  CHECK(info.at("sources").at("agent_store") == "TORCHELASTIC_USE_AGENT_STORE");
  // The captured job's two nodes were one host.
  REQUIRE(info.at("warnings").size() == 1);
  CHECK_THAT(info.at("warnings").at(0).get<std::string>(), ContainsSubstring("the master address is localhost"));
}

TEST_CASE("info shows a Slurm step's values, also the derived ones", "[integration][info]") {
  const json info = json_of({"--launcher", "slurm"}, captured::srun);
  CHECK(info.at("launcher") == "slurm");
  CHECK(info.at("rank") == 2);
  CHECK(info.at("world_size") == 3);
  CHECK(info.at("master_addr") == "n1");
  CHECK(info.at("master_port") == 61001);
  CHECK(info.at("job_id") == "1.0");
  CHECK(info.at("restart_count").is_null());
  CHECK(info.at("agent_store") == false);
  CHECK(info.at("sources").at("rank") == "SLURM_PROCID");
  CHECK_FALSE(info.at("sources").contains("restart_count"));
}

TEST_CASE("info shows what mpirun left, and fails as init_dist would where no address is known",
          "[integration][info]") {
  const json info = json_of({}, with(captured::openmpi5_in_batch, "MASTER_ADDR=n1"));
  CHECK(info.at("launcher") == "mpi");
  CHECK(info.at("rank") == 3);
  CHECK(info.at("world_size") == 6);
  CHECK(info.at("node_rank").is_null());
  CHECK(info.at("master_addr") == "n1");
  CHECK(info.at("master_port") == 29500);

  const json failed = json_of({}, captured::openmpi5_in_batch, 2);
  CHECK(failed.at("error").at("type") == "LaunchError");
  CHECK_THAT(failed.at("error").at("message").get<std::string>(), ContainsSubstring("mpirun -x MASTER_ADDR="));
}

TEST_CASE("info without any variable is a world of one that meets nobody", "[integration][info]") {
  const json info = json_of({}, {});
  CHECK(info.at("launcher") == "none");
  CHECK(info.at("world_size") == 1);
  CHECK(info.at("master_addr").is_null());
  CHECK(info.at("master_port").is_null());
  CHECK(info.at("job_id").is_null());
}

TEST_CASE("info's JSON always has the same keys, null for what isn't known", "[integration][info]") {
  const std::vector<std::string> expected = {"launcher",         "rank",      "world_size",    "local_rank",
                                             "local_world_size", "node_rank", "num_nodes",     "master_addr",
                                             "master_port",      "job_id",    "restart_count", "agent_store",
                                             "sources",          "warnings",  "libtorch"};
  for (const Variables& variables : {Variables(), captured::srun, captured::torchrun_in_srun}) {
    const auto output = torch_dist({"info", "--json"}, variables).output;
    std::vector<std::string> keys;
    const auto parsed = nlohmann::ordered_json::parse(output);
    for (const auto& [key, value] : parsed.items()) {
      keys.push_back(key);
    }
    CHECK(keys == expected);
  }
}

TEST_CASE("info tells what the LibTorch it was built with has", "[integration][info]") {
  const json libtorch = json_of({}, {}).at("libtorch");
  CHECK_THAT(libtorch.at("version").get<std::string>(), ContainsSubstring("2."));
  CHECK(libtorch.at("gloo") == true);
  for (const char* name : {"nccl", "mpi", "libuv"}) {
    CHECK(libtorch.at(name).is_boolean());
  }
}

TEST_CASE("info's table has a line for each field: value and variable", "[integration][info]") {
  const test::Outcome outcome = torch_dist({"info"}, captured::srun);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(row(outcome.output, "field") == "field value from");
  CHECK(row(outcome.output, "launcher") == "launcher slurm auto: SLURM_PROCID, SLURM_STEP_NUM_TASKS");
  CHECK(row(outcome.output, "rank") == "rank 2 SLURM_PROCID");
  CHECK(row(outcome.output, "restart_count") == "restart_count -");
  CHECK(row(outcome.output, "agent_store") == "agent_store false");
  CHECK_THAT(row(outcome.output, "Built"), ContainsSubstring("Built with LibTorch 2.") && ContainsSubstring("gloo"));
}

TEST_CASE("info shows warnings", "[integration][info]") {
  const std::string warning = "RANK=0, WORLD_SIZE=1 contradict SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=4 (Slurm)";
  const Variables variables = with(captured::leftover_rank, "MASTER_ADDR=n1");
  const test::Outcome table = torch_dist({"info", "--launcher=pytorch"}, variables);
  CHECK(table.status == 0);
  CHECK_THAT(table.output, ContainsSubstring("warning: " + warning));
  const json info = json_of({"--launcher=pytorch"}, variables);
  REQUIRE(info.at("warnings").size() == 1);
  CHECK_THAT(info.at("warnings").at(0).get<std::string>(), ContainsSubstring(warning));
}

TEST_CASE("a variable that can't be read is named: on stderr, with --json on stdout too", "[integration][info]") {
  const Variables variables = shell("RANK=1x WORLD_SIZE=2 MASTER_ADDR=n1");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"info"}, {"info", "--json"}}) {
    const test::Outcome outcome = torch_dist(arguments, variables, "2>&1 >/dev/null");
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.output, ContainsSubstring("torch-dist: LaunchError: RANK") && ContainsSubstring("'1x'"));
  }
  CHECK(torch_dist({"info"}, variables, "2>/dev/null").output == "");
  const json failed = json_of({}, variables, 2);
  CHECK(failed.size() == 1);
  CHECK(failed.at("error").at("type") == "LaunchError");
  CHECK_THAT(failed.at("error").at("message").get<std::string>(), ContainsSubstring("RANK"));
}

TEST_CASE("several ranks without an address fail, an unknown launcher too", "[integration][info]") {
  const json no_address = json_of({}, shell("RANK=0 WORLD_SIZE=2"), 2);
  CHECK_THAT(no_address.at("error").at("message").get<std::string>(), ContainsSubstring("MASTER_ADDR isn't set"));
  const json unknown = json_of({"--launcher", "carrier-pigeon"}, {}, 2);
  CHECK(unknown.at("error").at("type") == "ValueError");
  CHECK_THAT(unknown.at("error").at("message").get<std::string>(),
             ContainsSubstring("Invalid launcher type: carrier-pigeon"));
}

TEST_CASE("control characters and bytes that are no UTF-8 reach neither the terminal nor JSON", "[integration][info]") {
  Variables variables = captured::torchrun_in_srun;
  variables["TORCHELASTIC_RUN_ID"] = "a\x1b[2J\xff\n";
  const test::Outcome table = torch_dist({"info"}, variables);
  CHECK(table.status == 0);
  CHECK(row(table.output, "job_id") == "job_id a\\x1b[2J\\xff\\n TORCHELASTIC_RUN_ID");
  CHECK(json_of({}, variables).at("job_id") == "a\x1b[2J\ufffd\n");

  variables["RANK"] = "\x1b[2J\xff";
  const test::Outcome failed = torch_dist({"info", "--json"}, variables);
  CHECK(failed.status == 2);
  CHECK(failed.output.find('\x1b') == std::string::npos);
  CHECK(failed.output.find('\xff') == std::string::npos);
}

TEST_CASE("a wrong command line ends with status 2 and says how to get help", "[integration][info]") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"inform"}, {"info", "--jason"}, {"info", "--launcher"}, {"info", "more"}}) {
    const test::Outcome outcome = torch_dist(arguments, {}, "2>&1 >/dev/null");
    INFO(outcome.output);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.output, ContainsSubstring("Run torch-dist --help for more information."));
  }
}

TEST_CASE("torch-dist tells its version and its subcommands", "[integration][info]") {
  const test::Outcome version = torch_dist({"--version"});
  CHECK(version.status == 0);
  CHECK(version.output == "torch-dist " TORCH_DIST_INIT_VERSION "\n");
  const test::Outcome help = torch_dist({"--help"});
  CHECK(help.status == 0);
  CHECK_THAT(help.output, ContainsSubstring("info"));
}

TEST_CASE("output that can't be written is a failure", "[integration][info]") {
  const test::Outcome outcome = torch_dist({"info"}, {}, ">/dev/full");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.output, ContainsSubstring("can't write to stdout"));
}

TEST_CASE("torch-dist loads no LibTorch", "[integration][info]") {
  // The loader lists the libraries instead of starting the program, as for ldd.
  const test::Outcome libraries = test::Process({TORCH_DIST}, {{"LD_TRACE_LOADED_OBJECTS", "1"}}).wait();
  INFO(libraries.output);
  CHECK_THAT(libraries.output, ContainsSubstring("libc.so"));
  CHECK_THAT(libraries.output, !ContainsSubstring("libtorch") && !ContainsSubstring("libc10"));
}
