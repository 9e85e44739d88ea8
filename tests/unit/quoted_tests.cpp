/// @file
/// Foreign text in messages.
#include "quoted.h"

#include "catch.h"

using torch_dist_init::detail::escaped;
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

TEST_CASE("no terminal obeys an escaped text", "[quoted]") {
  CHECK(escaped("a\x1b[2J\r\n\x7f") == "a\\x1b[2J\\x0d\\n\\x7f");
  // U+009B starts a command as ESC [ does: in UTF-8, as a byte, and in longer spellings.
  CHECK(escaped("\u009b2J") == "\\xc2\\x9b2J");
  CHECK(escaped("\x9b") == "\\x9b");
  CHECK(escaped("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");
  CHECK(escaped("\xf0\x80\x82\x9b") == "\\xf0\\x80\\x82\\x9b");
}

TEST_CASE("an escaped text is UTF-8, and what is UTF-8 stays", "[quoted]") {
  CHECK(escaped("n\u00f6de \u20ac \U0001f525") == "n\u00f6de \u20ac \U0001f525");
  CHECK(escaped("\xc3") == "\\xc3");
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(escaped("\xe2\x82") == "\\xe2\\x82");
  CHECK(escaped("\xc3(") == "\\xc3(");
  CHECK(escaped("\xf5\x80\x80\x80") == "\\xf5\\x80\\x80\\x80");
}
