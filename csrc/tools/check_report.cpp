/// @file
/// The reports of torch-dist check: gathered on rank 0, printed, judged.
#include "tools/check_report.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <thread>

#include "quoted.h"
#include "rendezvous/keys.h"
#include "world/world.h"

namespace torch_dist_init::tools {
namespace {

using Clock = std::chrono::steady_clock;

/// How long rank 0 waits for the others' reports, and they for its verdict. All are through the same collectives.
constexpr std::chrono::seconds patience{10};

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

bool is_announced(const detail::World& world, int rank) {
  return world.store->check({detail::rank_key(world.plan, rank)});
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

/// Where only some steps are asked for, ranks of other programs may take part in them.
bool is_right(const Json& report, const CheckOptions& options) {
  const bool takes_part_only = report.value("error", Json()) == no_check && options.steps != check_steps();
  return report.value("ok", false) || takes_part_only;
}

bool are_right(const std::vector<Json>& reports, const CheckOptions& options) {
  return std::all_of(reports.begin(), reports.end(), [&](const Json& report) { return is_right(report, options); });
}

/// Prints what all ranks report.
void print(const std::vector<Json>& reports, const CheckOptions& options) {
  for (const Json& report : reports) {
    if (options.json) {
      std::cout << line_of(report) << '\n';
    }
  }
  if (!options.json) {
    print_table(reports, options);
    const auto world = detail::current_world();
    std::cout << (are_right(reports, options) ? "all right: " : "NOT right: ") << reports.size()
              << " rank(s), launcher " << world->launch.launcher << ", backend " << options.backend << ", store "
              << world->plan.endpoint() << '\n';
  }
}

/// All ranks' reports, gathered by the group: MPI's ranks have no store.
std::vector<Json> gather_by_group(const detail::World& world, const Json& own) {
  constexpr std::int64_t room = 4096;
  std::vector<at::Tensor> sent = {at::zeros({room}, at::kByte)};
  std::vector<std::vector<at::Tensor>> gathered(1);
  for (int rank = 0; rank < world.launch.world_size; ++rank) {
    gathered[0].push_back(at::zeros({room}, at::kByte));
  }
  const std::string line = line_of(own).substr(0, room - 1);
  std::memcpy(sent[0].data_ptr(), line.data(), line.size());
  world.group->allgather(gathered, sent)->wait();
  std::vector<Json> reports;
  for (const at::Tensor& text : gathered[0]) {
    Json report = Json::parse(static_cast<const char*>(text.data_ptr()), nullptr, /*allow_exceptions=*/false);
    if (!report.is_object()) {
      report = {{"rank", reports.size()}, {"error", "no report"}};
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace

std::string line_of(const Json& report) {
  return report.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

bool agree(const Json& own, const CheckOptions& options) {
  const auto world = detail::current_world();
  if (world->plan.kind == detail::RendezvousPlan::Kind::mpi) {
    const std::vector<Json> reports = gather_by_group(*world, own);
    if (world->launch.rank == 0) {
      print(reports, options);
    }
    return are_right(reports, options);
  }
  if (world->launch.rank == 0) {
    const std::vector<Json> reports = gather(*world, own);
    print(reports, options);
    const bool all_right = are_right(reports, options);
    write(*world->store, verdict_key, all_right ? "right" : "wrong");
    return all_right;
  }
  write(*world->store, report_key(world->launch.rank), line_of(own));
  // A rank 0 in Python gives no verdict.
  const auto verdict =
      is_announced(*world, 0) ? read(*world->store, verdict_key, Clock::now() + 2 * patience) : "right";
  return own["ok"].get<bool>() && verdict == "right";
}

}  // namespace torch_dist_init::tools
