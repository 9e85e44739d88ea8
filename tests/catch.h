/// @file
/// Catch2 2 (Debian 12) and 3 (Debian 13) under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

#ifndef SKIP
// Catch2 2 has no skipping: there, a test that can't run is a failure that says what to install.
#define SKIP(reason) FAIL("skipped: " << reason)
#endif
