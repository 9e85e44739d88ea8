/// @file
/// The libraries of single backends.
#include "backends/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

#ifdef TORCH_DIST_INIT_SHARED
std::string file_name(const std::string& backend) {
  return "libtorch_dist_init_" + backend + ".so." TORCH_DIST_INIT_SOVERSION;
}

/// The path beside the library that holds this code.
std::string path_of(const std::string& backend) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&load_backend_library), &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  const std::string self = info.dli_fname;
  const std::size_t slash = self.rfind('/');
  return (slash == std::string::npos ? "" : self.substr(0, slash + 1)) + file_name(backend);
}
#endif

}  // namespace

#ifdef TORCH_DIST_INIT_SHARED

bool has_backend_library(const std::string& name) { return ::access(path_of(name).c_str(), R_OK) == 0; }

std::optional<std::string> load_backend_library(const std::string& name) {
  const std::string path = path_of(name);
  if (::dlopen(path.c_str(), RTLD_NOW) != nullptr) {
    return std::nullopt;
  }
  const char* failure = ::dlerror();
  return "can't load " + detail::quoted(path) + ": " + escaped(failure != nullptr ? failure : "unknown error") +
         ". Install it beside libtorch_dist_init.so, from the same build";
}

#else

bool has_backend_library(const std::string&) { return false; }

std::optional<std::string> load_backend_library(const std::string& name) {
  return "this program holds torch_dist_init statically: link torch_dist_init::" + name + " and call register_" + name +
         "_backend() before init";
}

#endif

}  // namespace torch_dist_init::detail
