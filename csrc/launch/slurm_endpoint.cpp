/// @file
/// Where the ranks of a Slurm step meet, if the user set nothing.
#include "launch/slurm_endpoint.h"

#include <sys/stat.h>
#include <torch_dist_init/error.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "launch/endpoint.h"
#include "launch/family.h"
#include "launch/hostlist.h"
#include "launch/integer.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

constexpr int port_base = 61000;
constexpr std::uint64_t port_count = 4536;
constexpr std::uint64_t step_stride = 2803;
constexpr std::uint64_t max_id = std::numeric_limits<std::uint32_t>::max();

const Family::Names job_id_names = {"SLURM_JOB_ID", "SLURM_JOBID"};
const Family::Names step_id_names = {"SLURM_STEP_ID", "SLURM_STEPID"};
const Family::Names node_list_names = {"SLURM_STEP_NODELIST", "SLURM_NODELIST", "SLURM_JOB_NODELIST"};

/// A step's number. From Slurm 26.05 on the special steps are printed as negative numbers, before as 32-bit ones.
std::optional<std::uint32_t> parse_step_id(const std::string& text) {
  const bool negative = text.front() == '-';
  const auto number = parse_decimal(std::string_view(text).substr(negative ? 1 : 0), max_id);
  if (!number) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(negative ? -*number : *number);
}

/// The first port of SLURM_STEP_RESV_PORTS, as "30101-30104": free on all nodes of the step, and no other step's.
bool take_reserved_port(const Environment& environment, LaunchInfo& info) {
  const std::string name = "SLURM_STEP_RESV_PORTS";
  const auto ports = environment.get(name);
  if (!ports) {
    return false;
  }
  const auto port = parse_decimal(std::string_view(*ports).substr(0, ports->find_first_of("-,")), 65535);
  if (!port || *port == 0) {
    throw LaunchError(name + " must be ports as \"30101-30104\", but it is " + quoted(*ports) +
                      ". Set MASTER_PORT to do without it");
  }
  info.master_port = static_cast<int>(*port);
  info.sources["master_port"] = name;
  return true;
}

/// The first host of SLURM_HOSTFILE; nothing if there is no such file, or nothing in it.
std::optional<std::string> first_host_of_file(const std::string& path) {
  // Opening a pipe would wait for its writer.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  std::ifstream file(path);
  // The first lines are enough, whatever the size of the file.
  std::string start(4096, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  std::size_t begin = 0;
  while (begin < start.size()) {
    const std::size_t end = std::min(start.find('\n', begin), start.size());
    // "node*4" stands for four tasks on that node; "#" begins a comment.
    const std::string line = start.substr(begin, std::min(start.find_first_of("#*\r", begin), end) - begin);
    if (line.find_first_not_of(" \t,") != std::string::npos) {
      return first_host(line, path);
    }
    begin = end + 1;
  }
  return std::nullopt;
}

bool names_host(const Environment& environment, const std::string& node_list_name, const std::string& host) {
  const auto hosts = expand_host_list(*environment.get(node_list_name), node_list_name);
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

/// True if all ranks are on one node; then the node's name need not resolve.
bool is_on_one_node(const LaunchInfo& info) {
  return info.world_size == 1 || info.num_nodes == 1 || info.local_world_size == info.world_size;
}

/// True for `srun -m arbitrary`. SLURM_DISTRIBUTION isn't set in every step; then a host file is sign enough.
bool is_arbitrary(const Environment& environment) {
  const auto distribution = environment.get("SLURM_DISTRIBUTION");
  return distribution ? distribution->rfind("arbitrary", 0) == 0 : environment.has("SLURM_HOSTFILE");
}

/// With `srun -m arbitrary` the tasks are placed as SLURM_HOSTFILE lists them, while the node list is sorted: rank 0
/// need not be on the list's first node.
void read_arbitrary_address(const Environment& environment, const std::string& node_list_name, LaunchInfo& info) {
  const auto path = environment.get("SLURM_HOSTFILE");
  const auto host = path ? first_host_of_file(*path) : std::nullopt;
  if (host && names_host(environment, node_list_name, *host)) {
    info.master_addr = host;
    info.sources["master_addr"] = "first host in SLURM_HOSTFILE";
    return;
  }
  std::string why = "it isn't set";
  if (host) {
    why = "its first host " + quoted(*host) + " isn't in " + node_list_name;
  } else if (path) {
    why = "its file " + quoted(*path) + " can't be read here";
  }
  info.master_addr_help =
      "the tasks are placed in an arbitrary distribution, so that only SLURM_HOSTFILE tells where rank 0 runs, and " +
      why + ". Set MASTER_ADDR to the host of rank 0";
}

}  // namespace

int slurm_port(std::uint32_t job, std::uint32_t step) {
  return port_base + static_cast<int>((job + step_stride * step) % port_count);
}

void read_slurm_job_and_port(const Environment& environment, LaunchInfo& info) {
  const auto job_name = first_set(environment, job_id_names);
  const auto step_name = first_set(environment, step_id_names);
  const std::string job = job_name ? *environment.get(*job_name) : "";
  const std::string step = step_name ? *environment.get(*step_name) : "0";
  if (job_name) {
    info.job_id = step_name ? job + "." + step : job;
    info.sources["job_id"] = step_name ? *job_name + ", " + *step_name : *job_name;
  }

  read_master_port(environment, info);
  if (info.master_port || take_reserved_port(environment, info)) {
    return;
  }
  const auto job_number = parse_decimal(job, max_id);
  const auto step_number = parse_step_id(step);
  if (job_number && step_number) {
    info.master_port = slurm_port(static_cast<std::uint32_t>(*job_number), *step_number);
    info.sources["master_port"] = "61000 + (" + *job_name + " + 2803 * " + step_name.value_or("step 0") + ") % 4536";
    return;
  }
  info.warnings.push_back("no port can be derived from " +
                          (job_name ? quoted(*info.job_id) + " (" + info.sources["job_id"] + ")"
                                    : std::string("SLURM_JOB_ID, which isn't set")) +
                          ": took " + std::to_string(default_master_port) +
                          ", which another job on this host may hold; set MASTER_PORT to choose");
  use_default_port(info);
}

void read_slurm_address(const Environment& environment, LaunchInfo& info) {
  read_master_addr(environment, info);
  if (info.master_addr) {
    return;
  }
  if (is_on_one_node(info)) {
    info.master_addr = "127.0.0.1";
    info.sources["master_addr"] = "default, since all ranks are on one node";
    return;
  }
  const auto node_list_name = first_set(environment, node_list_names);
  if (!node_list_name) {
    info.master_addr_help =
        "neither MASTER_ADDR nor SLURM_STEP_NODELIST is set: start the program with srun, or set MASTER_ADDR to the "
        "host of rank 0";
    return;
  }
  if (is_arbitrary(environment)) {
    read_arbitrary_address(environment, *node_list_name, info);
    return;
  }
  info.master_addr = first_host(*environment.get(*node_list_name), *node_list_name);
  info.sources["master_addr"] = "first host of " + *node_list_name;
}

}  // namespace torch_dist_init::detail
