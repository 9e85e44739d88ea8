/// @file
/// A main function that reports its failures.
#include <torch_dist_init/dist.h>
#include <torch_dist_init/environment.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/launch.h>
#include <torch_dist_init/run.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

#include "host.h"
#include "libtorch_error.h"
#include "quoted.h"
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

/// Each line made fit to be shown: a message may hold anything, and what is no UTF-8 torchrun's agent can't read.
std::string escaped_lines(const std::string& text) {
  std::istringstream stream(text);
  std::string lines;
  for (std::string line; std::getline(stream, line);) {
    lines += (lines.empty() ? "" : "\n") + detail::escaped(line);
  }
  return lines;
}

/// @param lines no other control characters are in it.
std::string json_string(const std::string& lines) {
  std::string quoted = "\"";
  for (const char c : lines) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c == '\n' ? "\\n" : std::string(1, c);
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

int report_failure(const std::string& message, bool is_root_cause) {
  const std::string lines = escaped_lines(message);
  std::cout.flush();
  std::cerr << "torch_dist_init: " + describe_process() + ": " + lines + "\n";
  if (is_root_cause) {
    write_error_file(lines);
  }
  return 1;
}

/// Calls `action`; what it throws is reported, and the exit status is 1.
/// @param is_first whether nothing has failed before.
template <class Action>
int guarded(const Action& action, bool is_first) {
  try {
    return action();
  } catch (const std::exception& failure) {
    return report_failure(describe_failure(failure), is_first);
  } catch (...) {
    return report_failure("an exception that is no std::exception", is_first);
  }
}

}  // namespace

int run(const std::function<int()>& main) noexcept {
  const int status = guarded(main, /*is_first=*/true);
  const auto leave = [status] {
    status == 0 ? detail::leave_world() : detail::leave_world_after_failure();
    return 0;
  };
  const int left = guarded(leave, /*is_first=*/status == 0);
  return status != 0 ? status : left;
}

}  // namespace torch_dist_init
