/// @file
/// The example: a real training, alone, by plain variables, and under the real torchrun.
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

namespace {

/// The last line of a training of so many ranks that went well enough: its accuracy in percent, or 0.
double accuracy(const std::string& output, int ranks) {
  const std::size_t line = output.rfind("accuracy ");
  const std::string end = " held-out digits; ranks with identical weights: " + std::to_string(ranks) + "\n";
  return line != std::string::npos && output.find(end, line) != std::string::npos ? std::stod(output.substr(line + 9))
                                                                                  : 0;
}

}  // namespace

TEST_CASE("alone, the example trains to 97 % and more", "[integration][example]") {
  const Outcome outcome = Process({TRAIN_DIGITS}, {}).wait();
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("epoch  1 of 15") && ContainsSubstring("epoch 15 of 15"));
  CHECK(accuracy(outcome.output, 1) >= 97);
}

TEST_CASE("two ranks train to 97 % and more, and end with the same weights", "[integration][example]") {
  const int port = free_port();
  Process rank_0({TRAIN_DIGITS, "--launcher", "pytorch", "--timeout", "60"}, rank_variables(0, 2, port));
  Process rank_1({TRAIN_DIGITS, "--launcher", "pytorch", "--timeout", "60"}, rank_variables(1, 2, port));
  for (Process* rank : {&rank_0, &rank_1}) {
    const Outcome outcome = rank->wait();
    INFO(outcome.output);
    CHECK(outcome.status == 0);
  }
  CHECK(accuracy(rank_0.output(), 2) >= 97);
  CHECK_THAT(rank_1.output(), !ContainsSubstring("epoch") && !ContainsSubstring("accuracy"));
}

TEST_CASE("a wrong command line of the example is exit status 2", "[integration][example]") {
  for (const char* argument : {"--epochs=0", "--epochs=x", "--colour", "stray"}) {
    const Outcome outcome = Process({TRAIN_DIGITS, argument}, {}).wait();
    INFO(outcome.output);
    CHECK(outcome.status == 2);
  }
  CHECK(Process({TRAIN_DIGITS, "--help"}, {}).wait().status == 0);
}

TEST_CASE("a file of digits that is missing or malformed is named, with the line", "[integration][example]") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/digits.csv";
  const Outcome missing = Process({TRAIN_DIGITS, "--data", path}, {}).wait();
  CHECK(missing.status == 1);
  CHECK_THAT(missing.output, ContainsSubstring("can't read the digits from '" + path + "'"));
  std::ofstream(path) << "1,2,3\n";
  const Outcome malformed = Process({TRAIN_DIGITS, "--data", path}, {}).wait();
  CHECK(malformed.status == 1);
  CHECK_THAT(malformed.output, ContainsSubstring(path + ", line 1: expected 64 pixels"));
}
