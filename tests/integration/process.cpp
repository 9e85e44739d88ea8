/// @file
/// Real processes for tests.
#include "process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds poll_interval{5};

void check(int error, const char* what) {
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), what);
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_block(Variables variables) {
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) {
      variables.emplace(name, value);
    }
  }
  // LibTorch's store asks for the name of each client. A name server that loses a question is not what is tested.
  variables.emplace("RES_OPTIONS", "timeout:1");
  std::vector<std::string> block;
  for (const auto& [name, value] : variables) {
    block.push_back(name + "=" + value);
  }
  return block;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

/// A socket that listens on 127.0.0.1:port, or -1.
int try_listen(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || ::listen(fd, 16) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const Variables& variables) {
  output_fd_ = ::memfd_create("output", MFD_CLOEXEC);
  ::fcntl(output_fd_, F_SETFL, O_APPEND);
  std::vector<std::string> arguments = command;
  std::vector<std::string> block = environment_block(variables);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  check(::posix_spawn_file_actions_init(&actions), "file actions");
  check(::posix_spawnattr_init(&attributes), "spawn attributes");
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output_fd_, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output_fd_, STDERR_FILENO);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int error = ::posix_spawnp(&pid_, arguments.front().c_str(), &actions, &attributes, pointers(arguments).data(),
                                   pointers(block).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  check(error, arguments.front().c_str());
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_fd_(std::exchange(other.output_fd_, -1)),
      ended_(other.ended_),
      wait_status_(other.wait_status_) {}

Process::~Process() {
  if (pid_ > 0) {
    // The group outlives its leader if a child was left behind.
    ::kill(-pid_, SIGKILL);
    if (!ended_) {
      ::waitpid(pid_, &wait_status_, 0);
    }
  }
  if (output_fd_ >= 0) {
    ::close(output_fd_);
  }
}

bool Process::poll_ended() {
  if (!ended_ && ::waitpid(pid_, &wait_status_, WNOHANG) == pid_) {
    ended_ = true;
  }
  return ended_;
}

Outcome Process::wait(std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  Outcome outcome;
  while (!poll_ended()) {
    if (Clock::now() >= deadline) {
      outcome.killed_at_deadline = true;
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, &wait_status_, 0);
      ended_ = true;
      break;
    }
    std::this_thread::sleep_for(poll_interval);
  }
  outcome.status = WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  outcome.output = output();
  return outcome;
}

bool Process::wait_for_output(const std::string& text, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  for (;;) {
    // Asked before the output is read: what a process wrote before it ended is then seen.
    const bool ended = poll_ended();
    if (output().find(text) != std::string::npos) {
      return true;
    }
    if (ended || Clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

std::string Process::output() const {
  struct stat file {};
  ::fstat(output_fd_, &file);
  std::string text(static_cast<std::size_t>(file.st_size), '\0');
  const ssize_t size = ::pread(output_fd_, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

void Process::signal(int number) const { ::kill(pid_, number); }

Process* first_to_say(const std::vector<Process*>& processes, const std::string& text,
                      std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  while (Clock::now() < deadline) {
    for (Process* process : processes) {
      if (process->wait_for_output(text, poll_interval)) {
        return process;
      }
    }
  }
  return nullptr;
}

int free_port() {
  static std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> ports(20000, 32000);
  for (int tries = 0; tries < 1000; ++tries) {
    const int port = ports(random);
    const int fd = try_listen(port);
    if (fd >= 0) {
      ::close(fd);
      return port;
    }
  }
  throw std::runtime_error("no free port");
}

Listener::Listener(int port) : fd_(try_listen(port)) {
  if (fd_ < 0) {
    throw std::runtime_error("port " + std::to_string(port) + " is in use");
  }
}

Listener::~Listener() { ::close(fd_); }

std::string find_program(const std::string& name) {
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return "";
}

}  // namespace test
