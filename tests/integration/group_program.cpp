/// @file
/// One rank of a distributed job that makes groups and backends of its own, for the tests to start:
///
///     group_program ACTION... [launcher=pytorch] [backend=gloo] [timeout=60] [device_id=0] [port=29500]
///
/// Launcher "env" is init_process_group, there backend "none" means that none is named.
#include <torch_dist_init/torch_dist_init.h>
#include <unistd.h>

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace tdi = torch_dist_init;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// One write, so that lines of several ranks don't mix.
void say(const std::string& text) { std::cout << text + "\n" << std::flush; }

sigset_t just_usr1() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

std::string list(const std::vector<int>& ranks) {
  std::ostringstream text;
  for (const int rank : ranks) {
    text << (text.tellp() > 0 ? "," : "") << rank;
  }
  return text.str();
}

/// The sum of rank + 1 over the group; "none" on a rank that is no member.
std::string sum_over(const Group& group) {
  if (!group) {
    return "none";
  }
  std::vector<at::Tensor> tensors = {
      at::full({4}, tdi::get_rank() + 1, at::dtype(at::kFloat).device(tdi::get_comm_device(group)))};
  group->allreduce(tensors)->wait();
  return std::to_string(tensors[0][0].item<int>()) + " over " + list(tdi::get_process_group_ranks(group));
}

/// The same by the group's name, as functional collectives do it. Called as an interpreter would: the operators'
/// arguments differ between LibTorch's versions.
std::string functional_sum_over(const Group& group) {
  if (!group) {
    return "none";
  }
  const auto call = [](const char* name, std::vector<c10::IValue> arguments) {
    c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(arguments);
    return arguments.front().toTensor();
  };
  const at::Tensor input =
      at::full({2}, tdi::get_rank() + 1, at::dtype(at::kFloat).device(tdi::get_comm_device(group)));
  const at::Tensor pending = call("_c10d_functional::all_reduce", {input, "sum", group->getGroupName()});
  return std::to_string(call("_c10d_functional::wait_tensor", {pending})[0].item<int>());
}

tdi::GroupOptions among_members() {
  tdi::GroupOptions options;
  options.use_local_synchronization = true;
  return options;
}

/// Groups that overlap, in an order of ranks that is not sorted; as the rank in Python makes them in torchrun_tests.
void overlapping_groups() {
  const Group first = tdi::new_group({1, 0});
  const Group second = tdi::new_group({1, 2});
  const Group all = tdi::new_group();
  say("first: " + sum_over(first));
  say("second: " + sum_over(second));
  say("all: " + sum_over(all));
  say("second, functional: " + functional_sum_over(second));
  say("all, functional: " + functional_sum_over(all));
}

/// The last two ranks make groups of their own, of which the others know nothing.
void group_of_the_last_two() {
  const int size = tdi::get_world_size();
  if (tdi::get_rank() >= size - 2) {
    const Group group = tdi::new_group({size - 2, size - 1}, among_members());
    const Group again = tdi::new_group({size - 1, size - 2}, among_members());
    say("first: " + sum_over(group) + ", again: " + sum_over(again));
  }
  say("next: " + sum_over(tdi::new_group({0, size - 1})));
}

void subgroups() {
  const auto [own, all] = tdi::new_subgroups(2);
  say("own: " + sum_over(own) + ", of " + std::to_string(all.size()));
}

void local_group() {
  try {
    tdi::get_local_group();
  } catch (const tdi::RendezvousError& error) {
    say(error.what());
  }
  tdi::init_local_group(tdi::get_rank() / 2, 2);
  say("local: " + sum_over(tdi::get_local_group()));
}

void destroy_and_make_again() {
  for (int i = 0; i < 3; ++i) {
    const Group group = tdi::new_group({0, 1});
    say("sum: " + sum_over(group));
    tdi::destroy_process_group(group);
    if (group) {
      try {
        tdi::destroy_process_group(group);
      } catch (const tdi::ValueError& error) {
        say(error.what());
      }
    }
  }
}

/// Rank 0 waits for rank 1; the others, once the test says so, want a larger group.
void disagree() {
  if (tdi::get_rank() == 0) {
    tdi::new_group({0, 1});
  }
  sigset_t usr1 = just_usr1();
  int signal = 0;
  ::sigwait(&usr1, &signal);
  tdi::new_group({0, 1, 2});
}

/// The last rank doesn't come.
void make_without_the_last() {
  if (tdi::get_rank() == tdi::get_world_size() - 1) {
    say("pausing");
    ::pause();
  }
  tdi::new_group();
}

/// The same, and those that are here go on without it.
void make_after_a_failure() {
  const int size = tdi::get_world_size();
  if (tdi::get_rank() == size - 1) {
    say("pausing");
    ::pause();
  }
  tdi::GroupOptions options;
  options.timeout = std::chrono::seconds(2);
  try {
    tdi::new_group({}, options);
  } catch (const tdi::TimeoutError& error) {
    say(error.what());
  }
  std::vector<int> here(static_cast<std::size_t>(size - 1));
  std::iota(here.begin(), here.end(), 0);
  say("sum: " + sum_over(tdi::new_group(here, among_members())));
}

/// Calls `action`, and says what it throws.
void attempt(const std::function<void()>& action) {
  try {
    action();
  } catch (const tdi::Error& error) {
    say(std::string(error.type()) + ": " + error.what());
  }
}

void bad_arguments() {
  const auto attempt_group = [](const std::vector<int>& ranks, const tdi::GroupOptions& options) {
    attempt([&] {
      tdi::new_group(ranks, options);
      say("made");
    });
  };
  attempt_group({0, 0}, {});
  attempt_group({0, tdi::get_world_size()}, {});
  attempt_group({-1}, {});
  tdi::GroupOptions options;
  options.timeout = std::chrono::seconds(0);
  attempt_group({0}, options);
  options.timeout = std::nullopt;
  options.backend = "smoke";
  attempt_group({0}, options);
  options.backend = "gloo";
  options.pg_options = c10::make_intrusive<c10d::Backend::Options>("nccl");
  attempt_group({0}, options);
  tdi::destroy_process_group();
  attempt_group({0}, {});
}

void short_timeout() {
  tdi::GroupOptions options;
  options.timeout = std::chrono::seconds(1);
  const Group group = tdi::new_group({}, options);
  if (tdi::get_rank() != 0) {
    say("pausing");
    ::pause();
  }
  group->barrier()->wait();
}

/// Over the default group, of as many elements as rank + 1: an error of the program.
void mismatch() {
  std::vector<at::Tensor> tensors = {at::ones({tdi::get_rank() + 1})};
  c10d::ProcessGroup& group = *tdi::get_default_group();
  group.allreduce(tensors)->wait();
}

void group_of_all() {
  const Group group = tdi::new_group();
  say("sum: " + sum_over(group) + ", functional: " + functional_sum_over(group));
}

/// On gloo, whatever the backend of the default group is.
void gloo_group() {
  tdi::GroupOptions options;
  options.backend = "gloo";
  attempt([&] { say("on gloo: " + sum_over(tdi::new_group({}, options))); });
}

void default_sum() { say("sum: " + sum_over(tdi::get_default_group())); }

class DoneWork : public c10d::Work {
 public:
  bool wait(std::chrono::milliseconds) override { return true; }
};

/// Notes what it is asked for.
class RecordingBackend : public c10d::Backend {
 public:
  using Backend::Backend;
  const std::string getBackendName() const override { return "recording"; }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions&) override {
    say("recorded: allreduce of " + std::to_string(tensors[0].numel()));
    return c10::make_intrusive<DoneWork>();
  }
};

/// Each rank tells that it is there, and waits for the one that WAIT_FOR names, as NCCL's do for rank 0.
c10::intrusive_ptr<c10d::Backend> make_recording_backend(const c10d::DistributedBackendOptions& options,
                                                         const c10::intrusive_ptr<c10d::Backend::Options>&) {
  say("created: rank " + std::to_string(options.group_rank) + " of " + std::to_string(options.group_size) +
      ", timeout " + std::to_string(static_cast<int>(options.timeout.count())) + ", store's timeout " +
      std::to_string(options.store->getTimeout().count()) + ", group " + options.group_id + " of " +
      std::to_string(options.global_ranks_in_group.size()));
  options.store->set("here/" + std::to_string(options.group_rank), std::vector<std::uint8_t>{1});
  if (const char* const other = std::getenv("WAIT_FOR")) {
    options.store->wait({std::string("here/") + other});
  }
  return c10::make_intrusive<RecordingBackend>(options.group_rank, options.group_size);
}

void say_backend() { say("backend: " + tdi::get_backend().value_or("none")); }

const std::map<std::string, std::function<void()>> actions = {
    {"overlapping_groups", overlapping_groups},
    {"group_of_the_last_two", group_of_the_last_two},
    {"subgroups", subgroups},
    {"local_group", local_group},
    {"destroy_and_make_again", destroy_and_make_again},
    {"disagree", disagree},
    {"make_without_the_last", make_without_the_last},
    {"make_after_a_failure", make_after_a_failure},
    {"bad_arguments", bad_arguments},
    {"short_timeout", short_timeout},
    {"mismatch", mismatch},
    {"group_of_all", group_of_all},
    {"gloo_group", gloo_group},
    {"default_sum", default_sum},
    {"say_backend", say_backend},
    {"pause",
     [] {
       say("pausing");
       ::pause();
     }},
};

}  // namespace

int main(int argc, char** argv) {
  // In all threads, so that it can be waited for.
  const sigset_t usr1 = just_usr1();
  ::sigprocmask(SIG_BLOCK, &usr1, nullptr);
  return tdi::run([&] {
    std::string launcher = "pytorch";
    std::string backend = "gloo";
    tdi::Kwargs kwargs = {{"timeout", 60}};
    std::vector<std::string> wanted;
    for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
      const std::string name = argument.substr(0, argument.find('='));
      const std::string value = argument.substr(argument.find('=') + 1);
      if (name == "launcher") {
        launcher = value;
      } else if (name == "backend") {
        backend = value;
      } else if (name == "timeout" || name == "port" || name == "device_id") {
        kwargs[name] = std::atoi(value.c_str());
      } else if (argument == "ask_about_cuda_first") {
        say(at::globalContext().hasCUDA() ? "CUDA is there" : "no CUDA");
      } else {
        wanted.push_back(argument);
      }
    }
    tdi::register_backend("recording", {c10::kCPU, c10::kCUDA}, make_recording_backend);
    if (launcher == "env") {
      tdi::init_process_group(backend == "none" ? std::nullopt : std::optional<std::string>(backend),
                              tdi::parse_kwargs(kwargs));
    } else {
      tdi::init_dist(launcher, backend, kwargs);
    }
    for (const std::string& action : wanted) {
      actions.at(action)();
    }
  });
}
