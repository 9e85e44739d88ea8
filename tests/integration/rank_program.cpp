/// @file
/// One rank of a distributed job, for the tests to start: joins as its arguments say and does what they name.
///
///     rank_program launcher=pytorch backend=gloo timeout=10 do=report do=all_reduce
///
/// Arguments other than launcher, backend and do are keyword arguments of init_dist.
#include <sys/wait.h>
#include <torch_dist_init/torch_dist_init.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include <ATen/core/dispatch/Dispatcher.h>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
namespace tdi = torch_dist_init;

struct Job {
  std::string launcher = "pytorch";
  std::string backend = "gloo";
  tdi::Kwargs kwargs;
  std::vector<std::string> actions;
};

tdi::Value parse_value(const std::string& text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  char* end = nullptr;
  const long long whole = std::strtoll(text.c_str(), &end, 10);
  if (!text.empty() && *end == '\0') {
    return static_cast<std::int64_t>(whole);
  }
  const double fraction = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? tdi::Value(fraction) : tdi::Value(text);
}

Job parse_job(int argc, char** argv) {
  Job job;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = argument.substr(equals + 1);
    if (name == "launcher") {
      job.launcher = value;
    } else if (name == "backend") {
      job.backend = value;
    } else if (name == "do") {
      job.actions.push_back(value);
    } else {
      job.kwargs.emplace(name, parse_value(value));
    }
  }
  return job;
}

/// One write, so that lines of several ranks don't mix.
void say(const std::string& text) { std::cout << text + "\n" << std::flush; }

/// The sum of rank + 1 over all ranks.
float sum_of_ranks(const Group& group) {
  std::vector<at::Tensor> tensors = {
      at::full({4}, tdi::get_rank() + 1, at::dtype(at::kFloat).device(tdi::get_comm_device()))};
  group->allreduce(tensors)->wait();
  return tensors.front().sum().item<float>() / 4;
}

void report() {
  const tdi::DistInfo info = tdi::get_dist_info();
  say("rank=" + std::to_string(info.rank) + " world_size=" + std::to_string(info.world_size) +
      " local_rank=" + std::to_string(tdi::get_local_rank()) + " local_size=" + std::to_string(tdi::get_local_size()) +
      " backend=" + tdi::get_backend().value_or("none") + " main=" + std::to_string(tdi::is_main_process()) +
      " initialized=" + std::to_string(tdi::is_initialized()));
}

/// Calls an operator as an interpreter would: its arguments' types differ between LibTorch's versions.
at::Tensor call_operator(const char* name, std::vector<c10::IValue> arguments) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(arguments);
  return arguments.front().toTensor();
}

/// The all_reduce that functional collectives call, by the group's name.
void functional_all_reduce() {
  const at::Tensor input = at::full({2}, tdi::get_rank() + 1, at::dtype(at::kFloat).device(tdi::get_comm_device()));
  const at::Tensor pending = call_operator("_c10d_functional::all_reduce", {input, "sum", "0"});
  const at::Tensor sum = call_operator("_c10d_functional::wait_tensor", {pending});
  say("functional sum=" + std::to_string(static_cast<int>(sum[0].item<float>())));
}

/// Lives as long as the process.
Group held_group;

/// What a forked process is told; then it exits as any program does, and the parent goes on.
void fork_child(const Job& job) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const std::function<void()>& use : std::vector<std::function<void()>>{
             [] { tdi::barrier(); },
             [&] { tdi::init_dist(job.launcher, job.backend, job.kwargs); },
             [] { tdi::destroy_process_group(); },
         }) {
      try {
        use();
        say("the child was not refused");
      } catch (const tdi::Error& error) {
        say(std::string("child: ") + error.type() + ": " + error.what());
      }
    }
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  say("child's status " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
}

void act(const std::string& action, const Job& job, Group& group) {
  if (action == "report") {
    report();
  } else if (action == "all_reduce") {
    say("sum=" + std::to_string(static_cast<int>(sum_of_ranks(group))));
  } else if (action == "functional") {
    functional_all_reduce();
  } else if (action == "barrier") {
    tdi::barrier();
  } else if (action == "seed") {
    say("seed=" + std::to_string(tdi::set_random_seed()));
  } else if (action == "environment") {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
      const char* value = std::getenv(name);
      say(std::string(name) + "=" + (value != nullptr ? value : "unset"));
    }
  } else if (action == "init_again") {
    tdi::init_dist(job.launcher, job.backend, job.kwargs);
  } else if (action == "destroy") {
    group.reset();
    tdi::destroy_process_group();
  } else if (action == "init") {
    group = tdi::init_dist(job.launcher, job.backend, job.kwargs);
  } else if (action == "init_at_wrong_port") {
    try {
      tdi::Kwargs kwargs = job.kwargs;
      kwargs["port"] = std::atoi(std::getenv("WRONG_PORT"));
      kwargs["timeout"] = 1;
      tdi::init_dist(job.launcher, job.backend, kwargs);
    } catch (const tdi::Error& error) {
      say(std::string("first try: ") + error.type() + ": " + error.what());
    }
  } else if (action == "fail") {
    throw std::runtime_error("this rank \"fails\"\non purpose");
  } else if (action == "fail_first_attempt") {
    const char* attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
    if (attempt != nullptr && std::string(attempt) == "0") {
      throw std::runtime_error("the first attempt fails on purpose");
    }
  } else if (action == "hold") {
    held_group = group;
  } else if (action == "fork") {
    fork_child(job);
  } else if (action == "pause") {
    say("pausing");
    ::pause();
  } else if (action == "exit_without_destroy") {
    std::exit(0);
  } else {
    throw std::invalid_argument("unknown action " + action);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tdi::run([&] {
    const Job job = parse_job(argc, argv);
    Group group;
    for (const std::string& action : job.actions) {
      act(action, job, group);
    }
  });
}
