/// @file
/// A launcher's variables as a set.
#include "launch/family.h"

#include <torch_dist_init/error.h>

#include <limits>

#include "launch/integer.h"

namespace torch_dist_init::detail {
namespace {

constexpr int max_size = std::numeric_limits<int>::max();

/// Reads the first of `names` that is set, and notes in info.sources which it was.
std::optional<int> read_field(const Environment& environment, LaunchInfo& info, const char* field,
                              const Family::Names& names, int minimum, int maximum) {
  const auto name = first_set(environment, names);
  if (!name) {
    return std::nullopt;
  }
  info.sources[field] = *name;
  return read_integer(environment, *name, minimum, maximum);
}

/// A field's value and its variable: "RANK=5"; the field's name where it came from no variable.
std::string described(const LaunchInfo& info, const char* field, int value) {
  const auto source = info.sources.find(field);
  return (source == info.sources.end() ? field : source->second) + "=" + std::to_string(value);
}

void check_range(const LaunchInfo& info, const char* field, std::optional<int> value, int minimum,
                 int maximum = max_size) {
  if (value && (*value < minimum || *value > maximum)) {
    throw LaunchError(described(info, field, *value) + " must be from " + std::to_string(minimum) + " to " +
                      std::to_string(maximum));
  }
}

void check_below(const LaunchInfo& info, const char* number_field, std::optional<int> number, const char* size_field,
                 std::optional<int> size) {
  if (number && size && *number >= *size) {
    throw LaunchError("contradiction: " + described(info, number_field, *number) + " must be below " +
                      described(info, size_field, *size) + ", since " + number_field +
                      " counts from 0. Check what sets the two");
  }
}

void check_at_most(const LaunchInfo& info, const char* part_field, std::optional<int> part, const char* whole_field,
                   int whole) {
  if (part && *part > whole) {
    throw LaunchError("contradiction: " + described(info, part_field, *part) + " must be at most " +
                      described(info, whole_field, whole) + ". Check what sets the two");
  }
}

}  // namespace

std::optional<std::string> first_set(const Environment& environment, const Family::Names& names) {
  for (const auto& name : names) {
    if (environment.has(name)) {
      return name;
    }
  }
  return std::nullopt;
}

bool has_pair(const Environment& environment, const Family& family) {
  return first_set(environment, family.rank) && first_set(environment, family.world_size);
}

bool is_complete(const Environment& environment, const Family& family) {
  return has_pair(environment, family) && (family.local_rank.empty() || first_set(environment, family.local_rank));
}

LaunchInfo read_family(const Environment& environment, const Family& family) {
  LaunchInfo info;
  const auto read = [&](const char* field, const Family::Names& names, int minimum, int maximum) {
    return read_field(environment, info, field, names, minimum, maximum);
  };
  info.rank = read("rank", family.rank, 0, max_size - 1).value();
  info.world_size = read("world_size", family.world_size, 1, max_size).value();
  info.local_rank = read("local_rank", family.local_rank, 0, max_size - 1);
  info.local_world_size = read("local_world_size", family.local_world_size, 1, max_size);
  info.node_rank = read("node_rank", family.node_rank, 0, max_size - 1);
  info.num_nodes = read("num_nodes", family.num_nodes, 1, max_size);
  info.restart_count = read("restart_count", family.restart_count, 0, max_size);
  if (const auto name = first_set(environment, family.job_id)) {
    info.job_id = environment.get(*name);
    info.sources["job_id"] = *name;
  }
  return info;
}

void check_consistent(const LaunchInfo& info) {
  check_range(info, "rank", info.rank, 0);
  check_range(info, "world_size", info.world_size, 1);
  check_range(info, "local_rank", info.local_rank, 0);
  check_range(info, "local_world_size", info.local_world_size, 1);
  check_range(info, "node_rank", info.node_rank, 0);
  check_range(info, "num_nodes", info.num_nodes, 1);
  check_range(info, "restart_count", info.restart_count, 0);
  check_range(info, "master_port", info.master_port, 1, 65535);
  check_below(info, "rank", info.rank, "world_size", info.world_size);
  check_below(info, "local_rank", info.local_rank, "local_world_size", info.local_world_size);
  check_below(info, "local_rank", info.local_rank, "world_size", info.world_size);
  check_at_most(info, "local_world_size", info.local_world_size, "world_size", info.world_size);
  check_below(info, "node_rank", info.node_rank, "num_nodes", info.num_nodes);
  check_at_most(info, "num_nodes", info.num_nodes, "world_size", info.world_size);
}

}  // namespace torch_dist_init::detail
