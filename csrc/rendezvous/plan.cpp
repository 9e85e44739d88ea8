/// @file
/// Where and how the ranks meet: decided from values alone, before any socket is opened.
#include "rendezvous/plan.h"

#include <torch_dist_init/error.h>

#include <numeric>

#include "options/check.h"
#include "options/init_method.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

using Scheme = InitMethod::Scheme;

/// The query of the init_method and the keyword arguments may both name a rank, but must not contradict each other.
int choose(const char* name, std::optional<int> in_url, std::optional<int> in_kwargs, int launched) {
  if (in_url && in_kwargs && *in_url != *in_kwargs) {
    throw ValueError(std::string("keyword argument '") + name + "' is " + std::to_string(*in_kwargs) +
                     ", but init_method says " + name + "=" + std::to_string(*in_url));
  }
  return in_kwargs ? *in_kwargs : in_url ? *in_url : launched;
}

/// USE_LIBUV as torch.distributed reads it, except that a value that is neither 0 nor 1 is an error.
bool use_libuv(const Environment& environment) {
  const auto value = environment.get("USE_LIBUV");
  if (value && *value != "0" && *value != "1") {
    throw LaunchError("USE_LIBUV must be 0 or 1, but it is " + quoted(*value));
  }
  return value != "0";
}

void plan_env_endpoint(RendezvousPlan& plan, const LaunchInfo& launch, const KwargOptions& options) {
  if (!launch.master_addr) {
    throw LaunchError(launch.master_addr_help);
  }
  plan.host = *launch.master_addr;
  const auto source = [&](const char* field) {
    const auto found = launch.sources.find(field);
    return found == launch.sources.end() ? std::string(field) : found->second;
  };
  plan.endpoint_source = source("master_addr") + ", ";
  if (options.port) {
    plan.port = *options.port;
    plan.endpoint_source += "keyword argument port";
  } else if (launch.master_port) {
    plan.port = *launch.master_port;
    plan.endpoint_source += source("master_port");
  } else {
    throw LaunchError("launcher '" + launch.launcher +
                      "' gave no port: set MASTER_PORT or the keyword argument 'port'");
  }
}

void plan_tcp(RendezvousPlan& plan, const LaunchInfo& launch) {
  plan.kind = RendezvousPlan::Kind::tcp;
  // The agent serves its own endpoint and no other.
  plan.agent_store = launch.agent_store && plan.host == launch.master_addr && plan.port == launch.master_port;
  plan.serves = plan.rank == 0 && !plan.agent_store;
}

}  // namespace

std::string RendezvousPlan::endpoint() const {
  switch (kind) {
    case Kind::tcp: {
      const bool is_ipv6 = host.find(':') != std::string::npos;
      return escaped(is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + " (" + endpoint_source + ")";
    }
    case Kind::file:
      return "file " + escaped(path);
    case Kind::given:
      return "the given store";
    case Kind::registered:
      return escaped(url) + " (init_method)";
    case Kind::mpi:
      return "none, MPI starts the ranks";
    case Kind::local:
      break;
  }
  return "this process";
}

std::vector<int> RendezvousPlan::members() const {
  if (!group_ranks.empty()) {
    return group_ranks;
  }
  std::vector<int> all(static_cast<std::size_t>(world_size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

RendezvousPlan plan_rendezvous(const LaunchInfo& launch, const KwargOptions& options, const Environment& environment,
                               const MeetingNeeds& needs, std::chrono::milliseconds timeout,
                               const std::set<std::string>& registered_schemes) {
  check_options(options);
  if (needs.has_store && (options.init_method || options.port)) {
    throw ValueError(std::string("a store was given, so keyword argument '") +
                     (options.init_method ? "init_method" : "port") + "' can't be given too");
  }
  const InitMethod method = parse_init_method(options.init_method.value_or("env://"), registered_schemes);
  if (method.scheme != Scheme::env && options.port) {
    throw ValueError("keyword argument 'port' goes with env://, but init_method is " + quoted(*options.init_method));
  }

  RendezvousPlan plan;
  plan.timeout = timeout;
  plan.rank = choose("rank", method.rank, options.rank, launch.rank);
  plan.world_size = choose("world_size", method.world_size, options.world_size, launch.world_size);
  if (plan.rank >= plan.world_size) {
    throw ValueError("rank must be below world_size, but rank is " + std::to_string(plan.rank) + " and world_size is " +
                     std::to_string(plan.world_size));
  }
  plan.attempt = launch.restart_count.value_or(0);
  plan.job_id = launch.job_id.value_or("");
  plan.node_of_rank = launch.node_of_rank;
  plan.use_libuv = method.use_libuv ? *method.use_libuv : use_libuv(environment);

  if (needs.has_store) {
    plan.kind = RendezvousPlan::Kind::given;
  } else if (method.scheme == Scheme::registered) {
    plan.kind = RendezvousPlan::Kind::registered;
    plan.url = *options.init_method;
  } else if (method.scheme == Scheme::file) {
    plan.kind = RendezvousPlan::Kind::file;
    plan.path = method.path;
  } else if (method.scheme == Scheme::tcp) {
    plan.host = method.host;
    plan.port = method.port;
    plan.endpoint_source = "init_method";
    plan_tcp(plan, launch);
  } else if (needs.by_mpi && !options.port) {
    plan.kind = RendezvousPlan::Kind::mpi;
  } else if (launch.launcher == "none" && plan.world_size == 1) {
    plan.kind = RendezvousPlan::Kind::local;
  } else {
    plan_env_endpoint(plan, launch, options);
    plan_tcp(plan, launch);
  }
  return plan;
}

}  // namespace torch_dist_init::detail
