/// @file
/// torch-dist info: what init_dist would use, and where each value came from.
#include "tools/info.h"

#include <torch_dist_init/environment.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/kwargs.h>
#include <torch_dist_init/launch.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "quoted.h"
#include "rendezvous/plan.h"

namespace torch_dist_init::tools {
namespace {

/// Keeps the order of its keys.
using Json = nlohmann::ordered_json;

/// What init_dist would read; throws what it would throw before it opens a socket.
LaunchInfo read(const std::string& launcher) {
  const Environment environment = Environment::current();
  LaunchInfo info = read_launch_info(launcher, environment);
  detail::plan_rendezvous(info, KwargOptions(), environment, /*needs=*/{}, /*timeout=*/{});
  return info;
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The fields of `info` that are one value each.
Json fields_of(const LaunchInfo& info) {
  return {
      {"launcher", info.launcher},
      {"rank", info.rank},
      {"world_size", info.world_size},
      {"local_rank", value_or_null(info.local_rank)},
      {"local_world_size", value_or_null(info.local_world_size)},
      {"node_rank", value_or_null(info.node_rank)},
      {"num_nodes", value_or_null(info.num_nodes)},
      {"master_addr", value_or_null(info.master_addr)},
      {"master_port", value_or_null(info.master_port)},
      {"job_id", value_or_null(info.job_id)},
      {"restart_count", value_or_null(info.restart_count)},
      {"agent_store", info.agent_store},
  };
}

/// The LibTorch that torch_dist_init was built with; known since then, so that it need not be loaded.
Json libtorch() {
  return {
      {"version", TORCH_DIST_INIT_LIBTORCH_VERSION},   {"gloo", bool{TORCH_DIST_INIT_LIBTORCH_GLOO}},
      {"nccl", bool{TORCH_DIST_INIT_LIBTORCH_NCCL}},   {"mpi", bool{TORCH_DIST_INIT_LIBTORCH_MPI}},
      {"libuv", bool{TORCH_DIST_INIT_LIBTORCH_LIBUV}},
  };
}

void print_json(const Json& json) {
  // Plain ASCII: a byte that is no UTF-8 becomes U+FFFD, and no terminal finds a control character.
  std::cout << json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << '\n';
}

std::string cell(const Json& value) {
  return value.is_null() ? "-" : value.is_string() ? detail::escaped(value.get<std::string>()) : value.dump();
}

void print_table(const LaunchInfo& info) {
  const Json fields = fields_of(info);
  std::size_t width = 0;
  for (const auto& [name, value] : fields.items()) {
    // A longer value pushes what follows it to the right, and only that.
    width = std::max(width, std::min<std::size_t>(cell(value).size(), 40));
  }
  const auto print_row = [&](const std::string& name, const std::string& value, const std::string& source) {
    std::cout << std::left << std::setw(18) << name;
    if (source.empty()) {
      std::cout << value << '\n';
    } else {
      std::cout << std::setw(static_cast<int>(width) + 2) << value << source << '\n';
    }
  };
  print_row("field", "value", "from");
  for (const auto& [name, value] : fields.items()) {
    const auto source = info.sources.find(name);
    print_row(name, cell(value), source == info.sources.end() ? "" : detail::escaped(source->second));
  }
}

void print_libtorch() {
  const Json facts = libtorch();
  std::string has;
  std::string has_not;
  for (const auto& [name, value] : facts.items()) {
    if (value.is_boolean()) {
      std::string& list = value.get<bool>() ? has : has_not;
      list += (list.empty() ? "" : ", ") + name;
    }
  }
  std::cout << "Built with LibTorch " TORCH_DIST_INIT_LIBTORCH_VERSION ", which has " << has;
  if (!has_not.empty()) {
    std::cout << "; not " << has_not;
  }
  std::cout << '\n';
}

void print(const LaunchInfo& info, bool json) {
  if (json) {
    Json all = fields_of(info);
    all["sources"] = info.sources;
    all["warnings"] = info.warnings;
    all["libtorch"] = libtorch();
    print_json(all);
    return;
  }
  print_table(info);
  std::cout << '\n';
  print_libtorch();
  for (const std::string& warning : info.warnings) {
    std::cout << "warning: " << detail::escaped(warning) << '\n';
  }
}

}  // namespace

int print_info(const InfoOptions& options) {
  try {
    print(read(options.launcher), options.json);
  } catch (const Error& error) {
    if (options.json) {
      print_json({{"error", {{"type", error.type()}, {"message", error.what()}}}});
    }
    std::cerr << "torch-dist: " << error.type() << ": " << detail::escaped(error.what()) << '\n';
    return 2;
  }
  if (!std::cout.flush()) {
    std::cerr << "torch-dist: can't write to stdout\n";
    return 2;
  }
  return 0;
}

}  // namespace torch_dist_init::tools
