# Finds what the libraries of single backends are compiled with. Sets
#   TORCH_DIST_INIT_HAS_NCCL, …_MPI   1 or 0
#   TORCH_DIST_INIT_INCLUDES_NCCL, …DEFINITIONS_NCCL, …LIBRARIES_NCCL, …_MPI   what to compile and to link with
# LibTorch has the backends, or not; here it is about headers. No CUDA toolkit is needed where pip has put enough of them
# beside torch: in the nvidia wheels, and what those lack, in triton's.
include(CheckCXXSourceCompiles)

option(TORCH_DIST_INIT_BUILD_NCCL "Build the nccl backend where LibTorch has NCCL and its headers are found" ON)
option(TORCH_DIST_INIT_BUILD_MPI "Build the mpi backend where LibTorch has MPI and its headers are found" ON)

file(GLOB wheels ${LIBTORCH}/../nvidia/*/include)
find_path(TORCH_DIST_INIT_CUDA_INCLUDE_DIR cuda_runtime_api.h
  HINTS ${wheels} ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include
  DOC "The folder of CUDA's headers, of the version that LibTorch was built with")
find_path(TORCH_DIST_INIT_NCCL_INCLUDE_DIR nccl.h
  HINTS ${wheels} ENV NCCL_HOME ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include
  DOC "The folder of nccl.h, of the version that LibTorch was built with")

# All answers are kept in the cache until something else is found.
set(probed "${LIBTORCH} ${torch_dist_init_libtorch_version} ${wheels} ${TORCH_DIST_INIT_CUDA_INCLUDE_DIR} ${TORCH_DIST_INIT_NCCL_INCLUDE_DIR}")
if(NOT probed STREQUAL "${TORCH_DIST_INIT_BACKENDS_PROBED}")
  unset(TORCH_DIST_INIT_NCCL_COMPILES CACHE)
  set(TORCH_DIST_INIT_BACKENDS_PROBED ${probed} CACHE INTERNAL "")
endif()

# What the configure table says of a backend that isn't built.
set(TORCH_DIST_INIT_HAS_NCCL 0)
set(nccl_reason "LibTorch has none")
if(TORCH_DIST_INIT_LIBTORCH_NCCL AND NOT TORCH_DIST_INIT_BUILD_NCCL)
  set(nccl_reason "TORCH_DIST_INIT_BUILD_NCCL is off")
elseif(TORCH_DIST_INIT_LIBTORCH_NCCL)
  set(cuda_headers "")
  foreach(folder IN ITEMS ${TORCH_DIST_INIT_NCCL_INCLUDE_DIR} ${TORCH_DIST_INIT_CUDA_INCLUDE_DIR} ${wheels}
      ${LIBTORCH}/../triton/backends/nvidia/include $ENV{CUDA_HOME}/include /usr/local/cuda/include)
    if(IS_DIRECTORY ${folder})
      list(APPEND cuda_headers ${folder})
    endif()
  endforeach()
  set(missing "")
  foreach(header IN ITEMS cuda_runtime_api.h crt/host_config.h nv/target nccl.h)
    set(found "")
    foreach(folder IN LISTS cuda_headers)
      if(EXISTS ${folder}/${header})
        set(found ${folder})
      endif()
    endforeach()
    if(NOT found)
      string(APPEND missing " ${header}")
    endif()
  endforeach()
  set(nccl_reason "headers are missing:${missing}. pip install nvidia-cuda-cccl (with CUDA 12 nvidia-cuda-cccl-cu12) puts \
nv/target beside torch; a CUDA toolkit and NCCL's package have them all (TORCH_DIST_INIT_CUDA_INCLUDE_DIR, TORCH_DIST_INIT_NCCL_INCLUDE_DIR)")
  if(TORCH_DIST_INIT_CUDA_INCLUDE_DIR AND TORCH_DIST_INIT_NCCL_INCLUDE_DIR)
    set(CMAKE_REQUIRED_QUIET ON)
    set(CMAKE_REQUIRED_DEFINITIONS -DUSE_C10D_NCCL -DUSE_CUDA -D_GLIBCXX_USE_CXX11_ABI=${TORCH_DIST_INIT_LIBTORCH_CXX11_ABI})
    set(CMAKE_REQUIRED_INCLUDES ${cuda_headers})
    set(CMAKE_REQUIRED_LIBRARIES torch_dist_init::libtorch)
    check_cxx_source_compiles("
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
int main() {}" TORCH_DIST_INIT_NCCL_COMPILES)
    unset(CMAKE_REQUIRED_QUIET)
    unset(CMAKE_REQUIRED_DEFINITIONS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(missing STREQUAL "")
      set(nccl_reason "ProcessGroupNCCL.hpp doesn't compile with the headers in ${cuda_headers}: are they of LibTorch's version? \
The compiler's words are in CMakeError.log or CMakeConfigureLog.yaml in ${CMAKE_BINARY_DIR}/CMakeFiles")
    endif()
  endif()
  if(TORCH_DIST_INIT_NCCL_COMPILES)
    set(TORCH_DIST_INIT_HAS_NCCL 1)
    set(TORCH_DIST_INIT_LIBRARIES_NCCL torch_dist_init::torch_cuda torch_dist_init::c10_cuda)
    set(TORCH_DIST_INIT_INCLUDES_NCCL ${cuda_headers})
    set(TORCH_DIST_INIT_DEFINITIONS_NCCL USE_C10D_NCCL USE_CUDA)
  endif()
endif()

set(TORCH_DIST_INIT_HAS_MPI 0)
set(mpi_reason "LibTorch has none")
if(TORCH_DIST_INIT_LIBTORCH_MPI AND NOT TORCH_DIST_INIT_BUILD_MPI)
  set(mpi_reason "TORCH_DIST_INIT_BUILD_MPI is off")
elseif(TORCH_DIST_INIT_LIBTORCH_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
  set(mpi_reason "the headers of its MPI are missing (Debian, Ubuntu: apt install libopenmpi-dev)")
  if(MPI_CXX_FOUND)
    set(TORCH_DIST_INIT_HAS_MPI 1)
    set(TORCH_DIST_INIT_LIBRARIES_MPI MPI::MPI_CXX)
    set(TORCH_DIST_INIT_DEFINITIONS_MPI USE_C10D_MPI)
  endif()
endif()

if(TORCH_DIST_INIT_HAS_NCCL)
  set(nccl_reason "built")
else()
  string(PREPEND nccl_reason "not built: ")
endif()
if(TORCH_DIST_INIT_HAS_MPI)
  set(mpi_reason "built")
else()
  string(PREPEND mpi_reason "not built: ")
endif()
message(STATUS "  backend nccl   ${nccl_reason}")
message(STATUS "  backend mpi    ${mpi_reason}")
