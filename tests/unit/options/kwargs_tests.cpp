/// @file
/// Keyword arguments: types, ranges, names.
#include <torch_dist_init/error.h>
#include <torch_dist_init/kwargs.h>

#include <cmath>
#include <limits>

#include "catch.h"

using namespace torch_dist_init;
using std::chrono::milliseconds;

namespace {

/// The message of the error of type E that these arguments cause.
template <class E>
std::string message_of(const Kwargs& kwargs) {
  try {
    parse_kwargs(kwargs);
  } catch (const E& error) {
    return error.what();
  }
  FAIL("no error");
  return "";
}

std::string timeout_message(const std::string& type) {
  return "Timeout for distributed training must be provided as timeout in seconds, but we've received the type <class "
         "'" +
         type + "'>. Please specify the timeout like this: dist_cfg=dict(backend='nccl', timeout=1800)";
}

}  // namespace

TEST_CASE("a timeout is whole or fractional seconds (case 4)", "[options]") {
  CHECK(parse_kwargs({{"timeout", 1800}}).timeout == milliseconds(1800000));
  CHECK(parse_kwargs({{"timeout", 0.5}}).timeout == milliseconds(500));
  CHECK(parse_kwargs({{"timeout", 0.001}}).timeout == milliseconds(1));
  CHECK(parse_kwargs({{"timeout", 2147483}}).timeout == milliseconds(2147483000));
  CHECK_FALSE(parse_kwargs({}).timeout);
  CHECK_FALSE(parse_kwargs({{"timeout", nullptr}}).timeout);
}

TEST_CASE("a timeout of another type is refused in mmengine's words", "[options]") {
  CHECK(message_of<TypeError>({{"timeout", "1800"}}) == timeout_message("str"));
  CHECK(message_of<TypeError>({{"timeout", true}}) == timeout_message("bool"));
}

TEST_CASE("a timeout that is no time to wait is refused (case 4)", "[options]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {0.0, -1.0, std::nan(""), infinity, -infinity, 1e-9, 0.0009, 2147483.5, 1e300}) {
    CAPTURE(seconds);
    CHECK_THAT(message_of<ValueError>({{"timeout", seconds}}),
               ContainsSubstring("'timeout' must be from 0.001 to 2147483"));
  }
  CHECK_THROWS_AS(parse_kwargs({{"timeout", 0}}), ValueError);
  CHECK_THROWS_AS(parse_kwargs({{"timeout", std::numeric_limits<std::int64_t>::max()}}), ValueError);
}

TEST_CASE("the other keyword arguments are taken by type and range", "[options]") {
  const KwargOptions options = parse_kwargs({{"init_method", "env://"},
                                             {"rank", 0},
                                             {"world_size", 8},
                                             {"port", 65535},
                                             {"group_name", "trainers"},
                                             {"device_id", 3},
                                             {"export_environment", false},
                                             {"init_backend", "torch"},
                                             {"store", nullptr},
                                             {"pg_options", nullptr}});
  CHECK(options.init_method == "env://");
  CHECK(options.rank == 0);
  CHECK(options.world_size == 8);
  CHECK(options.port == 65535);
  CHECK(options.group_name == "trainers");
  CHECK(options.device_id == 3);
  CHECK_FALSE(options.export_environment);
  CHECK(parse_kwargs({}).export_environment);
}

TEST_CASE("a value out of range is named with its range", "[options]") {
  CHECK_THAT(message_of<ValueError>({{"port", 0}}), ContainsSubstring("'port' must be from 1 to 65535, but it is 0"));
  CHECK_THROWS_AS(parse_kwargs({{"port", 65536}}), ValueError);
  CHECK_THROWS_AS(parse_kwargs({{"rank", -1}}), ValueError);
  CHECK_THROWS_AS(parse_kwargs({{"world_size", 0}}), ValueError);
  CHECK_THROWS_AS(parse_kwargs({{"world_size", std::int64_t{1} << 32}}), ValueError);
  CHECK_THROWS_AS(parse_kwargs({{"device_id", -1}}), ValueError);
}

TEST_CASE("a value of the wrong type is named with Python's name of the type", "[options]") {
  CHECK_THAT(message_of<TypeError>({{"port", "29500"}}),
             ContainsSubstring("'port' must be an int, but it is of type <class 'str'>"));
  CHECK_THAT(message_of<TypeError>({{"port", 29500.0}}), ContainsSubstring("<class 'float'>"));
  CHECK_THAT(message_of<TypeError>({{"rank", true}}), ContainsSubstring("<class 'bool'>"));
  CHECK_THAT(message_of<TypeError>({{"init_method", 5}}),
             ContainsSubstring("'init_method' must be a str, but it is of type <class 'int'>"));
}

TEST_CASE("an unknown name is answered with the nearest known one", "[options]") {
  CHECK_THAT(message_of<TypeError>({{"timeot", 5}}),
             ContainsSubstring("unexpected keyword argument 'timeot'; did you mean 'timeout'?"));
  CHECK_THAT(message_of<TypeError>({{"worldsize", 5}}), ContainsSubstring("did you mean 'world_size'?"));
  CHECK_THAT(message_of<TypeError>({{std::string(100000, 'x'), 5}}), !ContainsSubstring("did you mean"));
}

TEST_CASE("an init_backend that doesn't exist in C++ is refused", "[options]") {
  CHECK_THAT(message_of<ValueError>({{"init_backend", "deepspeed"}}),
             ContainsSubstring("supported \"init_backend\" is \"torch\", but got 'deepspeed'"));
}

TEST_CASE("a store or backend options written as a value are pointed to InitOptions", "[options]") {
  CHECK_THAT(message_of<TypeError>({{"store", "tcp"}}), ContainsSubstring("InitOptions"));
  CHECK_THAT(message_of<TypeError>({{"pg_options", 1}}), ContainsSubstring("InitOptions"));
}
