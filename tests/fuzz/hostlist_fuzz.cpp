/// @file
/// Fuzzing of host lists: any text is a list or a LaunchError, in bounded memory.
#include "launch/hostlist.h"

#include <torch_dist_init/error.h>

#include "expect.h"

using namespace torch_dist_init;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string first;
  try {
    first = detail::first_host(text, "SLURM_NODELIST");
  } catch (const LaunchError&) {
    return 0;
  }
  expect(!first.empty());
  try {
    const auto hosts = detail::expand_host_list(text, "SLURM_NODELIST");
    expect(!hosts.empty() && hosts.size() <= detail::max_hosts);
    expect(hosts.front() == first);
  } catch (const LaunchError&) {
    // More hosts than are expanded.
  }
  return 0;
}
