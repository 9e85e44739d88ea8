/// @file
/// The process environment as a value.
#include <torch_dist_init/environment.h>
#include <unistd.h>

#include <utility>

namespace torch_dist_init {

Environment::Environment(Variables variables) : variables_(std::move(variables)) {}

Environment Environment::current() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      // Of a name that is there twice the first counts, as for getenv.
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.empty()) {
    return std::nullopt;
  }
  return found->second;
}

bool Environment::has(std::string_view name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && !found->second.empty();
}

Environment Environment::with(const std::string& name, std::string value) const {
  Environment changed = *this;
  changed.variables_[name] = std::move(value);
  return changed;
}

}  // namespace torch_dist_init
