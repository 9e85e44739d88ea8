/// @file
/// torch-dist check: every rank's part, and rank 0's report of all.
#include "tools/check.h"

#include <torch_dist_init/error.h>
#include <torch_dist_init/init.h>
#include <unistd.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host.h"
#include "libtorch_error.h"
#include "quoted.h"
#include "rendezvous/connect.h"
#include "rendezvous/handshake.h"
#include "tools/check_steps.h"
#include "world/world.h"

namespace torch_dist_init::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// How long rank 0 waits for the others' reports, and they for its verdict. All are through the same collectives.
constexpr std::chrono::seconds patience{10};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string report_key(int rank) { return "torch_dist_check/report/" + std::to_string(rank); }

/// Of a rank that isn't this program's.
const char* const no_check = "no report: not a torch-dist check";

const char* const verdict_key = "torch_dist_check/verdict";

void write(c10d::Store& store, const std::string& key, const std::string& text) {
  store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// What is under `key`, waiting for it at most until `deadline`.
std::optional<std::string> read(c10d::Store& store, const std::string& key, Clock::time_point deadline) {
  while (!store.check({key})) {
    if (Clock::now() >= deadline) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::vector<std::uint8_t> bytes = store.get(key);
  return std::string(bytes.begin(), bytes.end());
}

/// Plain ASCII on one line: a byte that is no UTF-8 becomes U+FFFD.
std::string line_of(const Json& report) {
  return report.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

/// The address of this host that leads to the others.
std::string own_address(const detail::RendezvousPlan& plan) {
  return plan.kind == detail::RendezvousPlan::Kind::tcp
             ? detail::local_address_towards(plan.host, plan.port).value_or("-")
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
  report["address"] = own_address(detail::current_world()->plan);
  for (const auto& [name, step] : all_check_steps()) {
    const bool is_wanted = std::find(options.steps.begin(), options.steps.end(), name) != options.steps.end();
    if (is_wanted && !timed(report, name, [&, &run = step] { run(*group); })) {
      break;
    }
  }
  return report;
}

bool is_announced(const detail::World& world, int rank) {
  const std::vector<int> announced = detail::announced_ranks(*world.store, world.plan);
  return std::binary_search(announced.begin(), announced.end(), rank);
}

/// All ranks' reports. A rank in Python leaves none, and isn't waited for.
std::vector<Json> gather(const detail::World& world, const Json& own) {
  std::vector<Json> reports = {own};
  const Clock::time_point deadline = Clock::now() + patience;
  for (int rank = 1; rank < world.launch.world_size; ++rank) {
    const bool may_report = is_announced(world, rank);
    const auto text = may_report ? read(*world.store, report_key(rank), deadline) : std::nullopt;
    const Json report = text ? Json::parse(*text, nullptr, /*allow_exceptions=*/false) : Json();
    if (report.is_object()) {
      reports.push_back(report);
    } else {
      reports.push_back({{"rank", rank}, {"error", may_report ? "no report" : no_check}});
    }
  }
  return reports;
}

std::string text_of(const Json& report, const char* field) {
  const Json value = report.value(field, Json());
  return value.is_null() ? "-" : value.is_string() ? detail::escaped(value.get<std::string>()) : value.dump();
}

void print_table(const std::vector<Json>& reports, const CheckOptions& options) {
  std::vector<std::string> steps = {"init"};
  steps.insert(steps.end(), options.steps.begin(), options.steps.end());
  std::cout << std::left << std::setw(6) << "rank" << std::setw(18) << "host" << std::setw(8) << "device"
            << std::setw(18) << "address" << std::right;
  for (const std::string& step : steps) {
    std::cout << std::setw(12) << step;
  }
  std::cout << "   seconds\n";
  for (const Json& report : reports) {
    std::cout << std::left << std::setw(6) << text_of(report, "rank") << std::setw(18) << text_of(report, "host")
              << std::setw(8) << text_of(report, "device") << std::setw(18) << text_of(report, "address") << std::right
              << std::fixed << std::setprecision(4);
    const Json seconds = report.value("seconds", Json::object());
    for (const std::string& step : steps) {
      std::cout << std::setw(12);
      if (seconds.contains(step)) {
        std::cout << seconds[step].get<double>();
      } else {
        std::cout << "-";
      }
    }
    std::cout << (report.value("error", Json()).is_null() ? "" : "   " + text_of(report, "error")) << '\n';
  }
}

/// Prints what all ranks report. True if all is right; where only some steps are asked for, ranks of other programs may
/// take part in them.
bool print(std::vector<Json>& reports, const CheckOptions& options) {
  bool all_right = true;
  for (Json& report : reports) {
    const bool takes_part_only = report["error"] == no_check && options.steps != check_steps();
    all_right = all_right && (report.value("ok", false) || takes_part_only);
    if (options.json) {
      std::cout << line_of(report) << '\n';
    }
  }
  if (!options.json) {
    print_table(reports, options);
    const auto world = detail::current_world();
    std::cout << (all_right ? "all right: " : "NOT right: ") << reports.size() << " rank(s), launcher "
              << world->launch.launcher << ", backend " << options.backend << ", store " << world->plan.endpoint()
              << '\n';
  }
  return all_right;
}

/// Reports to rank 0 and takes its verdict; on rank 0 gives it.
bool agree(const Json& own, const CheckOptions& options) {
  const auto world = detail::current_world();
  if (world->launch.rank == 0) {
    std::vector<Json> reports = gather(*world, own);
    const bool all_right = print(reports, options);
    write(*world->store, verdict_key, all_right ? "right" : "wrong");
    return all_right;
  }
  write(*world->store, report_key(world->launch.rank), line_of(own));
  // A rank 0 in Python gives no verdict.
  const auto verdict =
      is_announced(*world, 0) ? read(*world->store, verdict_key, Clock::now() + 2 * patience) : "right";
  return own["ok"].get<bool>() && verdict == "right";
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
      std::cerr << "torch-dist: the store is gone: " + detail::escaped(detail::reason(failure)) + "\n";
      all_right = false;
    }
  } else if (options.json) {
    std::cout << line_of(own) << '\n';
  }
  return all_right && std::cout.flush() ? 0 : 1;
}

}  // namespace torch_dist_init::tools
