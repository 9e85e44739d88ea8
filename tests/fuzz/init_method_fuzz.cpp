/// @file
/// Fuzzing of init_method: any text is a URL whose parts are in range, or a ValueError.
#include "options/init_method.h"

#include <torch_dist_init/error.h>

#include "expect.h"

using namespace torch_dist_init;
using detail::InitMethod;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const InitMethod method = detail::parse_init_method(std::string(reinterpret_cast<const char*>(data), size));
    if (method.scheme == InitMethod::Scheme::tcp) {
      expect(!method.host.empty() && method.port >= 1 && method.port <= 65535);
    }
    if (method.scheme == InitMethod::Scheme::file) {
      expect(!method.path.empty() && method.path.front() == '/');
    }
    expect(!method.rank || *method.rank >= 0);
    expect(!method.world_size || *method.world_size >= 1);
  } catch (const ValueError&) {
  }
  return 0;
}
