# Finds LibTorch by itself: find_package(Torch) of a CUDA build demands nvcc and a CUDA toolkit, and we need neither.
# Used by this project's build and, installed beside it, by the package config that a user's find_package reads.
#
#   torch_dist_init_find_libtorch(<error> [<built with> <its version>])
#
# Makes the imported targets torch_dist_init::libtorch (torch_cpu and c10 with all that their headers need) and, where
# LibTorch has it, torch_dist_init::torch_cuda; the names clash with none of find_package(Torch)'s. Sets
#   LIBTORCH                                (cache) the folder where it was found, so that the next configure finds the same
#   torch_dist_init_libtorch_version        as 2.15.0
#   torch_dist_init_libtorch_cxx_standard   17 or 20, what its headers need
#   torch_dist_init_libtorch_origin         who named the folder
# <error> is empty, or says what was expected, what was found and what to do.
# <built with> is the LibTorch that an installed torch_dist_init was built with: another one must be of the same minor
# version, since LibTorch's C++ interface changes from one to the next.

set(LIBTORCH "" CACHE PATH "LibTorch's folder, which holds include and lib (the torch folder of a Python wheel, an unpacked libtorch zip, /usr)")

# Sets <include> and <libdir> to LibTorch's in `path`, or to nothing; `path` is its folder or that of its CMake files.
function(torch_dist_init_libtorch_in path include libdir prefix)
  string(REGEX REPLACE "/(share|lib|lib64|lib/[^/]+)/cmake(/Torch)?/?$" "" root "${path}")
  set(${include} "" PARENT_SCOPE)
  set(${prefix} ${root} PARENT_SCOPE)
  if(EXISTS ${root}/include/torch/csrc/distributed/c10d/ProcessGroup.hpp)
    foreach(dir IN ITEMS lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
      if(EXISTS ${root}/${dir}/libtorch_cpu.so AND EXISTS ${root}/${dir}/libc10.so)
        set(${include} ${root}/include PARENT_SCOPE)
        set(${libdir} ${root}/${dir} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endif()
endfunction()

# The folder of the torch package that the active Python would import; importing it would take seconds.
function(torch_dist_init_python_torch result)
  set(${result} "" PARENT_SCOPE)
  foreach(python IN ITEMS python3 python)
    execute_process(
      COMMAND ${python} -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
      RESULT_VARIABLE status OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} ${path} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The version as its headers state it, else as the package states it.
function(torch_dist_init_libtorch_version include result)
  foreach(file IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h ../version.py ../build-version)
    if(EXISTS ${include}/${file})
      file(STRINGS ${include}/${file} lines REGEX "(define TORCH_VERSION_(MAJOR|MINOR|PATCH)|__version__ =|^[0-9]+\\.) *")
      string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
      list(LENGTH numbers count)
      if(count GREATER_EQUAL 3)
        list(SUBLIST numbers 0 3 numbers)
        list(JOIN numbers "." version)
        set(${result} ${version} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

# Unless LibTorch is found already: looks in the given folders, which `origin` named.
function(torch_dist_init_try_libtorch origin)
  foreach(path IN LISTS ARGN)
    if(NOT include)
      torch_dist_init_libtorch_in(${path} include libdir prefix)
      set(looked_in ${looked_in} ${prefix})
      set(found_by ${origin})
    endif()
  endforeach()
  foreach(variable IN ITEMS include libdir prefix looked_in found_by)
    set(${variable} ${${variable}} PARENT_SCOPE)
  endforeach()
endfunction()

function(torch_dist_init_find_libtorch error)
  set(built_with ${ARGV1})
  set(built_with_version ${ARGV2})
  set(oldest 2.6)
  set(ways "Name its folder with -DLIBTORCH=DIR or the environment variable LIBTORCH, or add it to CMAKE_PREFIX_PATH, or set \
Torch_DIR, or activate a Python that has torch (pip install torch), or install a package (Debian, Ubuntu: apt install libtorch-dev).")
  set(${error} "" PARENT_SCOPE)

  set(include "")
  set(looked_in "")
  if(LIBTORCH)
    torch_dist_init_try_libtorch("LIBTORCH" ${LIBTORCH})
  else()
    torch_dist_init_try_libtorch("environment variable LIBTORCH" $ENV{LIBTORCH})
  endif()
  if(looked_in AND NOT include)
    set(${error} "No LibTorch in ${prefix} (${found_by}): expected include/torch/csrc/distributed/c10d/ProcessGroup.hpp and, \
in lib, lib64 or lib/${CMAKE_LIBRARY_ARCHITECTURE}, libtorch_cpu.so and libc10.so (a static LibTorch can't be used). ${ways}" PARENT_SCOPE)
    return()
  endif()
  if(Torch_DIR)
    torch_dist_init_try_libtorch("Torch_DIR" ${Torch_DIR})
  endif()
  torch_dist_init_try_libtorch("CMAKE_PREFIX_PATH" ${CMAKE_PREFIX_PATH})
  string(REPLACE ":" ";" prefixes "$ENV{CMAKE_PREFIX_PATH}")
  torch_dist_init_try_libtorch("environment variable CMAKE_PREFIX_PATH" ${prefixes})
  torch_dist_init_try_libtorch("the one that torch_dist_init was built with" ${built_with})
  torch_dist_init_python_torch(python_torch)
  torch_dist_init_try_libtorch("the active Python's" ${python_torch})
  torch_dist_init_try_libtorch("the system's" ${CMAKE_SYSTEM_PREFIX_PATH})
  if(NOT include)
    list(REMOVE_DUPLICATES looked_in)
    list(JOIN looked_in ", " looked_in)
    set(${error} "No LibTorch found; looked in ${looked_in}. ${ways}" PARENT_SCOPE)
    return()
  endif()

  # Two LibTorches in one program crash it in strange places.
  if(TARGET torch_cpu AND Torch_DIR)
    torch_dist_init_libtorch_in(${Torch_DIR} other_include other_libdir other)
    if(other_include AND NOT other_include STREQUAL include)
      set(${error} "This project's find_package(Torch) took the LibTorch in ${other}, but ${found_by} names the one in ${prefix}; \
a program can hold only one. Give both the same." PARENT_SCOPE)
      return()
    endif()
  endif()

  torch_dist_init_libtorch_version(${include} version)
  if(version STREQUAL "")
    set(${error} "The LibTorch in ${prefix} (${found_by}) doesn't say its version: expected TORCH_VERSION_MAJOR in \
include/torch/headeronly/version.h or include/torch/csrc/api/include/torch/version.h. ${ways}" PARENT_SCOPE)
    return()
  elseif(version VERSION_LESS oldest)
    set(${error} "LibTorch ${version} in ${prefix} (${found_by}) is too old: torch_dist_init needs ${oldest} or newer. ${ways}" PARENT_SCOPE)
    return()
  endif()
  string(REGEX REPLACE "^([0-9]+\\.[0-9]+).*" "\\1" minor "${version}")
  if(built_with_version AND NOT built_with_version MATCHES "^${minor}\\.")
    set(${error} "torch_dist_init was built with LibTorch ${built_with_version} (${built_with}), but the LibTorch in ${prefix} \
(${found_by}) is ${version}, and LibTorch's C++ interface changes from one minor version to the next. Build torch_dist_init \
with that LibTorch, or name one of its own version with -DLIBTORCH=DIR." PARENT_SCOPE)
    return()
  endif()
  file(STRINGS ${include}/ATen/ATen.h wants_20 REGEX "__cplusplus < 2020")
  if(wants_20)
    set(standard 20)
  else()
    set(standard 17)
  endif()

  set(LIBTORCH ${prefix} CACHE PATH "" FORCE)
  set(torch_dist_init_libtorch_version ${version} PARENT_SCOPE)
  set(torch_dist_init_libtorch_cxx_standard ${standard} PARENT_SCOPE)
  set(torch_dist_init_libtorch_origin ${found_by} PARENT_SCOPE)
  if(TARGET torch_dist_init::libtorch)
    return()
  endif()
  foreach(library IN ITEMS c10 c10_cuda torch_cpu torch_cuda)
    if(EXISTS ${libdir}/lib${library}.so)
      add_library(torch_dist_init::${library} SHARED IMPORTED GLOBAL)
      set_target_properties(torch_dist_init::${library} PROPERTIES IMPORTED_LOCATION ${libdir}/lib${library}.so)
    endif()
  endforeach()
  add_library(torch_dist_init::libtorch INTERFACE IMPORTED GLOBAL)
  target_link_libraries(torch_dist_init::libtorch INTERFACE torch_dist_init::torch_cpu torch_dist_init::c10)
  target_include_directories(torch_dist_init::libtorch INTERFACE ${include} ${include}/torch/csrc/api/include)
  target_compile_features(torch_dist_init::libtorch INTERFACE cxx_std_${standard})
  # LibTorch's headers lay classes out by it.
  target_compile_definitions(torch_dist_init::libtorch INTERFACE USE_DISTRIBUTED)
  # What libtorch_cpu itself needs (in wheels CUDA's libraries, in packages of their own) is found when a program starts.
  target_link_options(torch_dist_init::libtorch INTERFACE LINKER:--allow-shlib-undefined)
endfunction()
