/// @file
/// A main function that reports its failures.
#include <torch_dist_init/dist.h>
#include <torch_dist_init/environment.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>
#include <torch_dist_init/run.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>

#include "host.h"
#include "libtorch_error.h"
#include "world/world.h"

namespace torch_dist_init {
namespace {

/// The words that name this process: with its rank if a group or a launcher tells it.
std::string describe_process() {
  if (is_initialized()) {
    return detail::describe_rank(get_rank());
  }
  try {
    const LaunchInfo launch = read_launch_info("auto");
    if (launch.launcher != "none") {
      return detail::describe_rank(launch.rank);
    }
  } catch (const Error&) {
    // The variables are part of what went wrong.
  }
  return "host " + detail::host_name();
}

std::string describe_failure(const std::exception& failure) {
  const auto* own = dynamic_cast<const Error*>(&failure);
  return (own != nullptr ? std::string(own->type()) + ": " : "") + detail::reason(failure);
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// Writes the failure where torchrun's agent looks for the root cause, in the form of torch.distributed.elastic.
void write_error_file(const std::string& message) {
  const auto path = Environment::current().get("TORCHELASTIC_ERROR_FILE");
  if (!path) {
    return;
  }
  const std::string text = json_string(message);
  std::ofstream file(*path);
  // torchrun's report prints the call stack, not the message.
  file << R"({"message": {"message": )" << text << R"(, "extraInfo": {"py_callstack": )" << text
       << R"(, "timestamp": ")" << std::time(nullptr) << R"("}}})" << '\n';
  if (!file.flush()) {
    std::cerr << "torch_dist_init: can't write TORCHELASTIC_ERROR_FILE '" + *path + "'\n";
  }
}

int report_failure(const std::string& message) {
  std::cout.flush();
  std::cerr << "torch_dist_init: " + describe_process() + ": " + message + "\n";
  write_error_file(message);
  return 1;
}

/// Calls `action`; what it throws is reported, and the exit status is 1.
template <class Action>
int guarded(const Action& action) {
  try {
    return action();
  } catch (const std::exception& failure) {
    return report_failure(describe_failure(failure));
  } catch (...) {
    return report_failure("an exception that is no std::exception");
  }
}

}  // namespace

int run(const std::function<int()>& main) noexcept {
  const int status = guarded(main);
  const int left = guarded([status] {
    status == 0 ? detail::leave_world() : detail::leave_world_after_failure();
    return 0;
  });
  return status != 0 ? status : left;
}

}  // namespace torch_dist_init
