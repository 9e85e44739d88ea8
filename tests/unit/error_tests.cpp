/// @file
/// The errors by name and by base.
#include <torch_dist_init/error.h>

#include "catch.h"

using namespace torch_dist_init;

template <class T>
std::string type_of_thrown() {
  try {
    throw T("what happened");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "what happened");
    return error.type();
  }
}

TEST_CASE("every error tells its class's name through the base", "[error]") {
  CHECK(type_of_thrown<TypeError>() == "TypeError");
  CHECK(type_of_thrown<ValueError>() == "ValueError");
  CHECK(type_of_thrown<LaunchError>() == "LaunchError");
  CHECK(type_of_thrown<RendezvousError>() == "RendezvousError");
  CHECK(type_of_thrown<TimeoutError>() == "TimeoutError");
  CHECK(type_of_thrown<BackendError>() == "BackendError");
}
