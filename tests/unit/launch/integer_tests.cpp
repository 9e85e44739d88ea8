/// @file
/// Whole numbers are read strictly.
#include <torch_dist_init/error.h>

#include <limits>

#include "catch.h"
#include "launch/integer.h"
#include "variables.h"

using torch_dist_init::LaunchError;
using torch_dist_init::detail::parse_decimal;
using torch_dist_init::detail::read_integer;

TEST_CASE("decimal digits are a number", "[launch][integer]") {
  CHECK(parse_decimal("0", 10) == 0U);
  CHECK(parse_decimal("7", 10) == 7U);
  CHECK(parse_decimal("007", 10) == 7U);
  CHECK(parse_decimal("65535", 65535) == 65535U);
}

TEST_CASE("anything but decimal digits is no number", "[launch][integer]") {
  for (const char* text : {"", "abc", "1x", "x1", "+1", "-1", " 1", "1 ", "1.0", "0x10", "1e3", "1_000", "\xC2\xB2"}) {
    INFO(text);
    CHECK_FALSE(parse_decimal(text, 1'000'000));
  }
}

TEST_CASE("a number beyond the maximum is refused, however long", "[launch][integer]") {
  constexpr auto maximum = std::numeric_limits<std::uint64_t>::max();
  CHECK_FALSE(parse_decimal("65536", 65535));
  CHECK_FALSE(parse_decimal("1", 0));
  CHECK(parse_decimal("18446744073709551615", maximum) == maximum);
  CHECK_FALSE(parse_decimal("18446744073709551616", maximum));
  CHECK_FALSE(parse_decimal(std::string(10'000, '9'), maximum));
}

TEST_CASE("an unset or empty integer variable is nothing", "[launch][integer]") {
  CHECK_FALSE(read_integer(environment({}), "RANK", 0, 7));
  CHECK_FALSE(read_integer(environment({{"RANK", ""}}), "RANK", 0, 7));
}

TEST_CASE("a bad integer variable is an error with its name, the range and what was found", "[launch][integer]") {
  for (const char* text : {"abc", "8", "-1", "1x", "3.0"}) {
    INFO(text);
    REQUIRE_THROWS_WITH(read_integer(environment({{"RANK", text}}), "RANK", 0, 7),
                        "RANK must be a whole number from 0 to 7, but it is '" + std::string(text) + "'");
  }
  REQUIRE_THROWS_AS(read_integer(environment({{"WORLD_SIZE", "0"}}), "WORLD_SIZE", 1, 7), LaunchError);
}
