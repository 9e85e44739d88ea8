/// @file
/// Real processes for tests: started with an environment of their own, awaited under a deadline, killed with all their
/// children.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace test {

using Variables = std::map<std::string, std::string>;

/// How a process ended.
struct Outcome {
  /// The exit status; 128 + the signal's number if a signal ended it, as in the shell.
  int status = 0;
  /// True if the deadline passed and the process was killed.
  bool killed_at_deadline = false;
  /// What it wrote on stdout and stderr, in order.
  std::string output;
};

/// A running process. Destroying it kills it and its process group.
class Process {
 public:
  /// Starts `command` (found by PATH) with PATH, HOME and LD_LIBRARY_PATH of this process and `variables`; beside them
  /// only a resolver's short timeout.
  Process(const std::vector<std::string>& command, const Variables& variables);
  ~Process();
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process& operator=(Process&&) = delete;

  /// Waits until it has ended, at most `limit`; then it is killed.
  Outcome wait(std::chrono::milliseconds limit = std::chrono::seconds(120));

  /// Waits until its output holds `text`, at most `limit`; false if it ended or the limit passed before.
  bool wait_for_output(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds(60));

  /// What it has written so far.
  std::string output() const;

  pid_t pid() const { return pid_; }

  void signal(int number) const;

 private:
  bool poll_ended();

  pid_t pid_ = -1;
  int output_fd_ = -1;
  bool ended_ = false;
  int wait_status_ = 0;
};

/// Waits until the output of one of the processes holds `text`, at most `limit`; returns that one, or null.
Process* first_to_say(const std::vector<Process*>& processes, const std::string& text,
                      std::chrono::milliseconds limit = std::chrono::seconds(60));

/// A TCP port that nobody uses at the moment, outside the range from which the system gives ports to clients.
int free_port();

/// A TCP socket that listens on 127.0.0.1 and never answers.
class Listener {
 public:
  explicit Listener(int port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  int fd_;
};

/// The full path of a program in PATH; empty if there is none.
std::string find_program(const std::string& name);

}  // namespace test
