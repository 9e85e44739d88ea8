# Asks the LibTorch that was found what it is and has, and prints the answers in a short table. Sets
#   TORCH_DIST_INIT_LIBTORCH_CXX11_ABI   0 or 1, the _GLIBCXX_USE_CXX11_ABI it was built with
#   TORCH_DIST_INIT_LIBTORCH_GLOO, …_NCCL, …_MPI, …_LIBUV   what is really in it: headers are there for more
#   TORCH_DIST_INIT_GLOO_HEADERS         the folder of Gloo's headers that its ProcessGroupGloo.hpp compiles with
include(CheckCXXSourceCompiles)

find_path(TORCH_DIST_INIT_GLOO_INCLUDE_DIR gloo/rendezvous/store.h HINTS ${LIBTORCH}/include
  DOC "The folder that holds Gloo's installed headers; empty: declarations of our own serve")

# All answers are kept in the cache until another LibTorch is found.
set(probed "${LIBTORCH} ${torch_dist_init_libtorch_version} ${TORCH_DIST_INIT_GLOO_INCLUDE_DIR}")
if(NOT probed STREQUAL "${TORCH_DIST_INIT_LIBTORCH_PROBED}")
  foreach(answer IN ITEMS LINKS_CXX11_ABI_1 LINKS_CXX11_ABI_0 GLOO NCCL MPI LIBUV INSTALLED_GLOO_HEADERS OWN_GLOO_HEADERS)
    unset(TORCH_DIST_INIT_LIBTORCH_${answer} CACHE)
  endforeach()
  set(TORCH_DIST_INIT_LIBTORCH_PROBED ${probed} CACHE INTERNAL "")
endif()

# Sets TORCH_DIST_INIT_LIBTORCH_<answer>: whether a program with these declarations and this expression links with
# LibTorch. The declarations are our own, since including LibTorch's takes seconds; the program is never run.
function(torch_dist_init_links answer declarations expression)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_LIBRARIES torch_dist_init::libtorch ${ARGN})
  check_cxx_source_compiles("${declarations}\nint main() { ${expression}; }" TORCH_DIST_INIT_LIBTORCH_${answer})
endfunction()

# The ABI shows in every name that takes a std::string.
foreach(abi IN ITEMS 1 0)
  torch_dist_init_links(LINKS_CXX11_ABI_${abi} "
#define _GLIBCXX_USE_CXX11_ABI ${abi}
#include <string>
namespace c10d { struct FileStore { FileStore(std::string, int); char room[4096]; }; }" "c10d::FileStore store(std::string(), 1)")
  if(TORCH_DIST_INIT_LIBTORCH_LINKS_CXX11_ABI_${abi})
    set(TORCH_DIST_INIT_LIBTORCH_CXX11_ABI ${abi})
    break()
  endif()
endforeach()
if(NOT DEFINED TORCH_DIST_INIT_LIBTORCH_CXX11_ABI)
  message(FATAL_ERROR "c10d::FileStore of the LibTorch in ${LIBTORCH} links neither with the C++11 ABI nor with the older one. \
Either it was built without torch.distributed (USE_DISTRIBUTED=0), or with another C++ standard library than this compiler's \
(${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}). The linker's words are in CMakeError.log or CMakeConfigureLog.yaml \
in ${CMAKE_BINARY_DIR}/CMakeFiles.")
endif()

torch_dist_init_links(GLOO "
#include <chrono>
namespace c10d { struct ProcessGroupGloo { struct Options { Options(std::chrono::milliseconds); char room[4096]; }; }; }"
  "c10d::ProcessGroupGloo::Options options(std::chrono::milliseconds(1))")
torch_dist_init_links(MPI "
#include <vector>
namespace c10d { struct ProcessGroupMPI { static void createProcessGroupMPI(std::vector<int>); }; }"
  "c10d::ProcessGroupMPI::createProcessGroupMPI({})")
if(TARGET torch_dist_init::torch_cuda)
  torch_dist_init_links(NCCL "namespace c10d { struct ProcessGroupNCCL { static void groupStart(); }; }"
    "c10d::ProcessGroupNCCL::groupStart()" torch_dist_init::torch_cuda)
endif()

# TCPStore's libuv server exports no symbol; the name of its class stands in the library where it was compiled in.
if(NOT DEFINED TORCH_DIST_INIT_LIBTORCH_LIBUV)
  get_target_property(torch_cpu torch_dist_init::torch_cpu IMPORTED_LOCATION)
  execute_process(COMMAND grep -qaF LibUVStoreDaemon ${torch_cpu} RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(TORCH_DIST_INIT_LIBTORCH_LIBUV 1 CACHE INTERNAL "")
  else()
    set(TORCH_DIST_INIT_LIBTORCH_LIBUV "" CACHE INTERNAL "")
  endif()
endif()

# Gloo is in LibTorch, its headers mostly are not: take the installed ones if LibTorch's header compiles with them, else
# declarations of our own. They are never installed and no public header includes them.
set(gloo_headers "none needed")
if(TORCH_DIST_INIT_LIBTORCH_GLOO)
  function(torch_dist_init_try_gloo_headers answer folder)
    set(CMAKE_REQUIRED_QUIET ON)
    set(CMAKE_REQUIRED_DEFINITIONS -DUSE_C10D_GLOO -D_GLIBCXX_USE_CXX11_ABI=${TORCH_DIST_INIT_LIBTORCH_CXX11_ABI})
    set(CMAKE_REQUIRED_INCLUDES ${folder})
    set(CMAKE_REQUIRED_LIBRARIES torch_dist_init::libtorch)
    check_cxx_source_compiles("
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
int main() { return c10d::ProcessGroupGloo::Options::create()->threads; }" TORCH_DIST_INIT_LIBTORCH_${answer})
  endfunction()

  if(TORCH_DIST_INIT_GLOO_INCLUDE_DIR)
    torch_dist_init_try_gloo_headers(INSTALLED_GLOO_HEADERS ${TORCH_DIST_INIT_GLOO_INCLUDE_DIR})
  endif()
  if(TORCH_DIST_INIT_LIBTORCH_INSTALLED_GLOO_HEADERS)
    set(TORCH_DIST_INIT_GLOO_HEADERS ${TORCH_DIST_INIT_GLOO_INCLUDE_DIR})
    set(gloo_headers "those in ${TORCH_DIST_INIT_GLOO_HEADERS}")
  else()
    set(TORCH_DIST_INIT_GLOO_HEADERS ${CMAKE_CURRENT_LIST_DIR}/gloo_headers)
    torch_dist_init_try_gloo_headers(OWN_GLOO_HEADERS ${TORCH_DIST_INIT_GLOO_HEADERS})
    if(NOT TORCH_DIST_INIT_LIBTORCH_OWN_GLOO_HEADERS)
      message(FATAL_ERROR "ProcessGroupGloo.hpp of LibTorch ${torch_dist_init_libtorch_version} compiles neither with Gloo's \
installed headers (TORCH_DIST_INIT_GLOO_INCLUDE_DIR: ${TORCH_DIST_INIT_GLOO_INCLUDE_DIR}) nor with our own declarations of them. \
Install Gloo's headers (Debian, Ubuntu: apt install libgloo-dev) of that LibTorch's time. The compiler's words are in \
CMakeError.log or CMakeConfigureLog.yaml in ${CMAKE_BINARY_DIR}/CMakeFiles.")
    endif()
    set(gloo_headers "our own declarations (no usable ones installed)")
  endif()
endif()

foreach(answer IN ITEMS GLOO NCCL MPI LIBUV)
  string(TOLOWER ${answer} name)
  if(TORCH_DIST_INIT_LIBTORCH_${answer})
    list(APPEND has ${name})
  else()
    list(APPEND has_not ${name})
  endif()
endforeach()
list(JOIN has ", " has)
list(JOIN has_not ", " has_not)
message(STATUS "LibTorch ${torch_dist_init_libtorch_version} in ${LIBTORCH} (${torch_dist_init_libtorch_origin})")
message(STATUS "  C++ standard   ${torch_dist_init_libtorch_cxx_standard}")
message(STATUS "  C++11 ABI      ${TORCH_DIST_INIT_LIBTORCH_CXX11_ABI}")
message(STATUS "  has            ${has}")
message(STATUS "  has not        ${has_not}")
message(STATUS "  Gloo's headers ${gloo_headers}")

if(NOT TORCH_DIST_INIT_LIBTORCH_GLOO)
  message(FATAL_ERROR "The LibTorch in ${LIBTORCH} was built without Gloo, the backend that torch_dist_init needs at least.")
endif()
