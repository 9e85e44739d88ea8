/// @file
/// Slurm's count of tasks for each node.
#include "launch/tasks_per_node.h"

#include <torch_dist_init/error.h>

#include "catch.h"

using torch_dist_init::LaunchError;
using torch_dist_init::detail::parse_tasks_per_node;

namespace {

std::vector<int> tasks(const std::string& text) {
  const auto parsed = parse_tasks_per_node(text, "SLURM_TASKS_PER_NODE");
  std::vector<int> result;
  int sum = 0;
  for (int node = 0; node < parsed.num_nodes; ++node) {
    result.push_back(parsed.at(node).value());
    sum += result.back();
  }
  CHECK(parsed.num_tasks == sum);
  CHECK_FALSE(parsed.at(parsed.num_nodes));
  return result;
}

}  // namespace

TEST_CASE("case 83: the compressed form is one count for each node", "[launch][tasks_per_node]") {
  CHECK(tasks("4(x2)") == std::vector<int>{4, 4});
  CHECK(tasks("3(x2),1") == std::vector<int>{3, 3, 1});
  CHECK(tasks("2,1(x3),4") == std::vector<int>{2, 1, 1, 1, 4});
  CHECK(tasks("1") == std::vector<int>{1});
  CHECK(tasks("3(x2),2,11(x4)") == std::vector<int>{3, 3, 2, 11, 11, 11, 11});
}

TEST_CASE("a long run costs no memory", "[launch][tasks_per_node]") {
  const auto parsed = parse_tasks_per_node("1(x2000000000),2", "SLURM_TASKS_PER_NODE");
  CHECK(parsed.runs.size() == 2);
  CHECK(parsed.num_nodes == 2'000'000'001);
  CHECK(parsed.num_tasks == 2'000'000'002);
  CHECK(parsed.at(1'999'999'999) == 1);
  CHECK(parsed.at(2'000'000'000) == 2);
}

TEST_CASE("a malformed count of tasks is an error with the place", "[launch][tasks_per_node]") {
  struct Bad {
    const char* text;
    const char* why;
  };
  const std::vector<Bad> examples = {
      {"", "expected a whole number from 1 to 2147483647, at character 1 of ''"},
      {"abc", "expected a whole number from 1 to 2147483647, at character 1 of"},
      {"0", "expected a whole number from 1 to 2147483647, at character 1 of"},
      {"2,", "expected a whole number from 1 to 2147483647, at character 3 of"},
      {",2", "expected a whole number from 1 to 2147483647, at character 1 of"},
      {"2(3)", "expected '(x', at character 2 of"},
      {"2(x", "expected a whole number from 1 to 2147483647, at character 4 of"},
      {"2(x0)", "expected a whole number from 1 to 2147483647, at character 4 of"},
      {"2(x3", "expected ')', at character 5 of"},
      {"2(x3)1", "expected ',', at character 6 of"},
      {"2 (x3)", "expected ',', at character 2 of"},
      {"-2", "expected a whole number from 1 to 2147483647, at character 1 of"},
      {"2.5", "expected ',', at character 2 of"},
      {"2147483648", "expected a whole number from 1 to 2147483647, at character 1 of"},
      {"2147483647,1", "the total is beyond 2147483647, at character 13 of"},
      {"65536(x65536)", "the total is beyond 2147483647, at character 14 of"},
  };
  for (const auto& bad : examples) {
    INFO(bad.text);
    REQUIRE_THROWS_AS(parse_tasks_per_node(bad.text, "SLURM_TASKS_PER_NODE"), LaunchError);
    REQUIRE_THROWS_WITH(
        parse_tasks_per_node(bad.text, "SLURM_TASKS_PER_NODE"),
        Catch::Matchers::StartsWith("SLURM_TASKS_PER_NODE is no list of tasks per node as \"2(x3),1\": " +
                                    std::string(bad.why)));
  }
}
