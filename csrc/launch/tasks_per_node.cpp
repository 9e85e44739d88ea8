/// @file
/// Slurm's count of tasks for each node: run { "," run }, where run = count [ "(x" repetitions ")" ].
#include "launch/tasks_per_node.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "launch/integer.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

/// Reads one text from left to right; every error names the place.
class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  TasksPerNode parse() {
    TasksPerNode result;
    while (true) {
      const TasksPerNode::Run run = parse_run();
      add(result.num_nodes, run.nodes);
      add(result.num_tasks, std::int64_t{run.tasks} * run.nodes);
      result.runs.push_back(run);
      if (position_ == text_.size()) {
        return result;
      }
      expect(",");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw LaunchError(source_ + " is no list of tasks per node as \"2(x3),1\": " + why + ", at character " +
                      std::to_string(position_ + 1) + " of " + quoted(text_));
  }

  void add(int& total, std::int64_t more) const {
    if (more > std::numeric_limits<int>::max() - total) {
      fail("the total is beyond " + std::to_string(std::numeric_limits<int>::max()));
    }
    total += static_cast<int>(more);
  }

  void expect(std::string_view token) {
    if (text_.substr(position_, token.size()) != token) {
      fail("expected '" + std::string(token) + "'");
    }
    position_ += token.size();
  }

  int parse_count() {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789", position_), text_.size());
    const auto count = parse_decimal(text_.substr(position_, end - position_), std::numeric_limits<int>::max());
    if (!count || *count == 0) {
      fail("expected a whole number from 1 to " + std::to_string(std::numeric_limits<int>::max()));
    }
    position_ = end;
    return static_cast<int>(*count);
  }

  TasksPerNode::Run parse_run() {
    TasksPerNode::Run run{parse_count(), 1};
    if (position_ < text_.size() && text_[position_] == '(') {
      expect("(x");
      run.nodes = parse_count();
      expect(")");
    }
    return run;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t position_ = 0;
};

}  // namespace

std::optional<int> TasksPerNode::at(int node) const {
  for (const Run& run : runs) {
    if (node < run.nodes) {
      return run.tasks;
    }
    node -= run.nodes;
  }
  return std::nullopt;
}

TasksPerNode parse_tasks_per_node(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

}  // namespace torch_dist_init::detail
