/// @file
/// Loads a plugin, lets it join a job and leave it, and unloads it. Knows nothing of LibTorch.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** argv) {
  void* const plugin = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  const auto join_and_leave = reinterpret_cast<int (*)()>(::dlsym(plugin, "join_and_leave"));
  const int status = join_and_leave();
  ::dlclose(plugin);
  std::puts("unloaded");
  return status;
}
