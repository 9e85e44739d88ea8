/// @file
/// Foreign text in messages.
#include "quoted.h"

#include "catch.h"

using torch_dist_init::detail::quoted;

TEST_CASE("quoted text stays on one line", "[quoted]") {
  CHECK(quoted("abc") == "'abc'");
  CHECK(quoted("") == "''");
  CHECK(quoted("a\nb\tc\x1b") == "'a\\nb\\x09c\\x1b'");
  CHECK(quoted("n\u00f6de") == "'n\u00f6de'");
}

TEST_CASE("a long text is cut between two characters and its length told", "[quoted]") {
  CHECK(quoted(std::string(120, 'a')) == "'" + std::string(120, 'a') + "'");
  CHECK(quoted(std::string(1000, 'a')) == "'" + std::string(120, 'a') + "...' (1000 characters)");
  CHECK(quoted(std::string(119, 'a') + "\u00f6") == "'" + std::string(119, 'a') + "...' (121 characters)");
}
