/// @file
/// Keyword arguments, checked and made typed.
#include <torch_dist_init/error.h>
#include <torch_dist_init/kwargs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "options/check.h"
#include "quoted.h"

namespace torch_dist_init {
namespace {

using namespace std::string_literals;

const std::vector<std::string> known_names = {"device_id",   "export_environment",
                                              "group_name",  "init_backend",
                                              "init_method", "pg_options",
                                              "port",        "rank",
                                              "store",       "timeout",
                                              "world_size"};

const char* python_type_name(const Value& value) {
  static constexpr const char* names[] = {"NoneType", "bool", "int", "float", "str"};
  return names[value.data().index()];
}

[[noreturn]] void throw_wrong_type(const std::string& name, const char* expected, const Value& value) {
  throw TypeError("keyword argument '" + name + "' must be " + expected + ", but it is of type <class '" +
                  python_type_name(value) + "'>");
}

/// The number of single-character edits between two names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

[[noreturn]] void throw_unknown_name(const std::string& name) {
  // A name longer than this is no slip of the pen, and the distance takes the product of both lengths.
  constexpr std::size_t longest_compared = 64;
  std::string message = "init_process_group() got an unexpected keyword argument " + detail::quoted(name);
  if (name.size() <= longest_compared) {
    const auto nearest = std::min_element(
        known_names.begin(), known_names.end(),
        [&](const std::string& a, const std::string& b) { return edit_distance(name, a) < edit_distance(name, b); });
    message += "; did you mean '" + *nearest + "'?";
  }
  throw TypeError(message);
}

std::chrono::milliseconds to_timeout(const Value& value) {
  double seconds = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value.data())) {
    seconds = static_cast<double>(*whole);
  } else if (const auto* fraction = std::get_if<double>(&value.data())) {
    seconds = *fraction;
  } else {
    throw TypeError(
        "Timeout for distributed training must be provided as timeout in seconds, but we've received the type <class '"s +
        python_type_name(value) +
        "'>. Please specify the timeout like this: dist_cfg=dict(backend='nccl', timeout=1800)");
  }
  // Written so that NaN is refused too.
  if (!(seconds >= 0.001 && seconds <= static_cast<double>(detail::max_timeout.count()))) {
    throw ValueError("keyword argument 'timeout' must be from 0.001 to " + std::to_string(detail::max_timeout.count()) +
                     " seconds, but it is " + std::to_string(seconds));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

int to_int(const std::string& name, const Value& value, std::int64_t min, std::int64_t max) {
  const auto* number = std::get_if<std::int64_t>(&value.data());
  if (number == nullptr) {
    throw_wrong_type(name, "an int", value);
  }
  if (*number < min || *number > max) {
    throw ValueError("keyword argument '" + name + "' must be from " + std::to_string(min) + " to " +
                     std::to_string(max) + ", but it is " + std::to_string(*number));
  }
  return static_cast<int>(*number);
}

std::string to_text(const std::string& name, const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data());
  if (text == nullptr) {
    throw_wrong_type(name, "a str", value);
  }
  return *text;
}

bool to_bool(const std::string& name, const Value& value) {
  const auto* truth = std::get_if<bool>(&value.data());
  if (truth == nullptr) {
    throw_wrong_type(name, "a bool", value);
  }
  return *truth;
}

void check_init_backend(const std::string& init_backend) {
  if (init_backend != "torch") {
    throw ValueError("supported \"init_backend\" is \"torch\", but got " + detail::quoted(init_backend));
  }
}

}  // namespace

KwargOptions parse_kwargs(const Kwargs& kwargs) {
  constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
  KwargOptions options;
  for (const auto& [name, value] : kwargs) {
    if (std::find(known_names.begin(), known_names.end(), name) == known_names.end()) {
      throw_unknown_name(name);
    }
    if (std::holds_alternative<std::nullptr_t>(value.data())) {
      continue;
    }
    if (name == "timeout") {
      options.timeout = to_timeout(value);
    } else if (name == "init_method") {
      options.init_method = to_text(name, value);
    } else if (name == "rank") {
      options.rank = to_int(name, value, 0, int_max - 1);
    } else if (name == "world_size") {
      options.world_size = to_int(name, value, 1, int_max);
    } else if (name == "port") {
      options.port = to_int(name, value, 1, 65535);
    } else if (name == "device_id") {
      options.device_id = to_int(name, value, 0, int_max);
    } else if (name == "group_name") {
      options.group_name = to_text(name, value);
    } else if (name == "export_environment") {
      options.export_environment = to_bool(name, value);
    } else if (name == "init_backend") {
      check_init_backend(to_text(name, value));
    } else {
      throw TypeError("keyword argument '" + name + "' can't be written as a value: set it as a field of InitOptions");
    }
  }
  return options;
}

}  // namespace torch_dist_init
