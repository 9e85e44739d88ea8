/// @file
/// torch-dist check: every rank's part.
#include "tools/check.h"

#include <torch_dist_init/error.h>
#include <torch_dist_init/init.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "host.h"
#include "libtorch_error.h"
#include "quoted.h"
#include "rendezvous/own_address.h"
#include "tools/check_report.h"
#include "tools/check_steps.h"
#include "world/world.h"

namespace torch_dist_init::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The address of this host that leads to the others.
std::string own_address(const detail::RendezvousPlan& plan) {
  return plan.kind == detail::RendezvousPlan::Kind::tcp ? detail::address_for_others(plan.host, plan.port).value_or("-")
                                                        : "-";
}

/// Calls `step`; writes its time into the report, or what went wrong.
template <class Step>
bool timed(Json& report, const std::string& name, const Step& step) {
  const Clock::time_point start = Clock::now();
  try {
    step();
  } catch (const std::exception& failure) {
    const auto* own = dynamic_cast<const Error*>(&failure);
    report["ok"] = false;
    report["error"] = name + ": " + (own != nullptr ? std::string(own->type()) + ": " : "") + detail::reason(failure);
    return false;
  }
  report["seconds"][name] = seconds_since(start);
  return true;
}

/// This rank's own part.
Json check_own(const CheckOptions& options, Group& group) {
  Json report = {{"rank", nullptr},
                 {"world_size", nullptr},
                 {"host", detail::host_name()},
                 {"pid", ::getpid()},
                 {"local_rank", nullptr},
                 {"device", "cpu"},
                 {"address", nullptr},
                 {"backend", options.backend},
                 {"ok", true},
                 {"seconds", Json::object()},
                 {"error", nullptr}};
  const auto init = [&] {
    const LaunchInfo launch = read_launch_info(options.launcher);
    report["rank"] = launch.rank;
    report["world_size"] = launch.world_size;
    if (launch.local_rank) {
      report["local_rank"] = *launch.local_rank;
    }
    group = init_dist(options.launcher, options.backend, options.kwargs);
  };
  if (!timed(report, "init", init)) {
    return report;
  }
  const auto world = detail::current_world();
  const c10::Device device = world->device.value_or(c10::Device(c10::kCPU));
  report["device"] = device.str();
  report["address"] = own_address(world->plan);
  for (const auto& [name, step] : all_check_steps()) {
    const bool is_wanted = std::find(options.steps.begin(), options.steps.end(), name) != options.steps.end();
    if (is_wanted && !timed(report, name, [&, &run = step] { run(*group, device); })) {
      break;
    }
  }
  return report;
}

}  // namespace

std::vector<std::string> check_steps() {
  std::vector<std::string> names;
  for (const auto& step : all_check_steps()) {
    names.push_back(step.first);
  }
  return names;
}

int run_check(const CheckOptions& options) {
  Group group;
  const Json own = check_own(options, group);
  bool all_right = own["ok"].get<bool>();
  if (!own["error"].is_null()) {
    std::cerr << "torch-dist: " + detail::escaped(own["error"].get<std::string>()) + "\n";
  }
  if (group) {
    try {
      all_right = agree(own, options) && all_right;
    } catch (const std::exception& failure) {
      std::cerr << "torch-dist: the reports can't be gathered: " + detail::escaped(detail::reason(failure)) + "\n";
      all_right = false;
    }
  } else if (options.json) {
    std::cout << line_of(own) << '\n';
  }
  return all_right && std::cout.flush() ? 0 : 1;
}

}  // namespace torch_dist_init::tools
