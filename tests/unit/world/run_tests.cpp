/// @file
/// A main function that reports its failures.
#include <torch_dist_init/torch_dist_init.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "catch.h"

using namespace torch_dist_init;

namespace {

/// TORCHELASTIC_ERROR_FILE, pointing to a file that goes with the object.
class ErrorFile {
 public:
  ErrorFile() : path_("/tmp/torch_dist_init_error_XXXXXX") {
    ::close(::mkstemp(path_.data()));
    ::setenv("TORCHELASTIC_ERROR_FILE", path_.c_str(), 1);
  }
  ~ErrorFile() {
    ::unsetenv("TORCHELASTIC_ERROR_FILE");
    ::unlink(path_.c_str());
  }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("run returns what main returns, or 0, and leaves the group", "[world]") {
  CHECK(run([] { return 7; }) == 7);
  CHECK(run([] { init_dist("none", "gloo"); }) == 0);
  CHECK_FALSE(is_initialized());
}

TEST_CASE("what escapes from main becomes exit status 1 and torchrun's error file", "[world]") {
  const ErrorFile file;
  CHECK(run([] { throw std::runtime_error("a \"quoted\"\nmessage"); }) == 1);
  const std::string text = R"("a \"quoted\"\nmessage")";
  CHECK_THAT(file.content(), ContainsSubstring(R"({"message": {"message": )" + text +
                                               R"(, "extraInfo": {"py_callstack": )" + text + R"(, "timestamp": ")"));
  CHECK(run([] { init_dist("no-such-launcher"); }) == 1);
  CHECK_THAT(file.content(), ContainsSubstring("ValueError: Invalid launcher type: no-such-launcher"));
  CHECK(run([]() -> int { throw 5; }) == 1);
  CHECK(run([] { throw std::runtime_error("not UTF-8: \xff, \x1b[31m"); }) == 1);
  CHECK_THAT(file.content(), ContainsSubstring(R"("not UTF-8: \\xff, \\x1b[31m")"));
}
