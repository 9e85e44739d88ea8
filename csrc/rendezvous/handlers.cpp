/// @file
/// The schemes of init_method that a program has registered.
#include "rendezvous/handlers.h"

#include <torch_dist_init/error.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <utility>

#include "host.h"
#include "libtorch_error.h"
#include "quoted.h"

namespace torch_dist_init {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, RendezvousHandler> handlers;
};

Registry& registry() {
  // Never destroyed: a static object of the program may still ask while the process exits.
  static auto* instance = new Registry;
  return *instance;
}

bool is_scheme(const std::string& text) {
  const auto is_allowed = [](unsigned char character) {
    return std::isalnum(character) != 0 || character == '+' || character == '-' || character == '.';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_allowed);
}

}  // namespace

void register_rendezvous_handler(const std::string& scheme, RendezvousHandler handler) {
  if (!is_scheme(scheme)) {
    throw ValueError("a scheme is letters, digits, '+', '-' and '.', but it is " + detail::quoted(scheme));
  }
  if (!handler) {
    throw ValueError("scheme " + detail::quoted(scheme) + " needs a function that makes its store");
  }
  const bool is_built_in = scheme == "env" || scheme == "tcp" || scheme == "file";
  const std::lock_guard<std::mutex> lock(registry().mutex);
  if (is_built_in || !registry().handlers.emplace(scheme, std::move(handler)).second) {
    throw ValueError("Rendezvous handler for " + scheme + ":// already registered");
  }
}

namespace detail {

std::set<std::string> registered_schemes() {
  const std::lock_guard<std::mutex> lock(registry().mutex);
  std::set<std::string> schemes;
  for (const auto& entry : registry().handlers) {
    schemes.insert(entry.first);
  }
  return schemes;
}

Rendezvous call_rendezvous_handler(const RendezvousPlan& plan) {
  RendezvousHandler handler;
  {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    handler = registry().handlers.at(plan.url.substr(0, plan.url.find("://")));
  }
  const std::string who = describe_rank(plan.rank) + ": the handler of init_method " + detail::quoted(plan.url);
  Rendezvous result;
  try {
    result = handler(plan.url, plan.rank, plan.world_size, plan.timeout);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw RendezvousError(who + " failed: " + reason(failure));
  }
  if (!result.store) {
    throw RendezvousError(who + " returned no store");
  }
  if (result.rank < 0 || result.rank >= result.world_size) {
    throw RendezvousError(who + " returned rank " + std::to_string(result.rank) + " of world_size " +
                          std::to_string(result.world_size));
  }
  result.store->setTimeout(plan.timeout);
  return result;
}

}  // namespace detail
}  // namespace torch_dist_init
