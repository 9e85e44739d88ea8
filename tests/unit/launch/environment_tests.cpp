/// @file
/// The environment as a value.
#include <torch_dist_init/environment.h>

#include <cstdlib>

#include "catch.h"
#include "variables.h"

using torch_dist_init::Environment;

TEST_CASE("an empty variable counts as unset", "[launch][environment]") {
  const Environment variables = environment({{"RANK", ""}, {"WORLD_SIZE", "2"}});
  CHECK_FALSE(variables.has("RANK"));
  CHECK_FALSE(variables.get("RANK"));
  CHECK(variables.has("WORLD_SIZE"));
  CHECK(variables.get("WORLD_SIZE") == "2");
}

TEST_CASE("the process environment is copied with all that a value may hold", "[launch][environment]") {
  ::setenv("TORCH_DIST_INIT_TEST", "a=b\nc", 1);
  const Environment variables = Environment::current();
  ::setenv("TORCH_DIST_INIT_TEST", "changed", 1);
  CHECK(variables.get("TORCH_DIST_INIT_TEST") == "a=b\nc");
  ::unsetenv("TORCH_DIST_INIT_TEST");
}
