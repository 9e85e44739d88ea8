# What every target of this project is compiled with; nothing of it reaches a user's targets.

function(torch_dist_init_target_defaults target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD OFF)
  if(NOT TORCH_DIST_INIT_SANITIZE)
    # Also what knows no LibTorch: its strings must be LibTorch's.
    target_compile_definitions(${target} PRIVATE _GLIBCXX_USE_CXX11_ABI=${TORCH_DIST_INIT_LIBTORCH_CXX11_ABI})
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion)
  if(TORCH_DIST_INIT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TORCH_DIST_INIT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -g)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# Before 1.0 a minor version may change the API.
set(torch_dist_init_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# For sources that include backends/library.h: what LibTorch has, what is built, and how it is loaded.
function(torch_dist_init_knows_backends target)
  foreach(backend IN ITEMS NCCL MPI)
    target_compile_definitions(${target} PRIVATE
      TORCH_DIST_INIT_LIBTORCH_${backend}=$<BOOL:${TORCH_DIST_INIT_LIBTORCH_${backend}}>
      TORCH_DIST_INIT_HAS_${backend}=${TORCH_DIST_INIT_HAS_${backend}})
  endforeach()
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PRIVATE
      TORCH_DIST_INIT_SHARED TORCH_DIST_INIT_SOVERSION="${torch_dist_init_soversion}")
  endif()
endfunction()

# For sources that include c10d's backends: LibTorch, and privately what its backends' headers need. Users get none of
# that, since no public header includes a backend's.
function(torch_dist_init_use_libtorch target)
  target_link_libraries(${target} PUBLIC torch_dist_init::libtorch PRIVATE Threads::Threads)
  target_compile_definitions(${target} PRIVATE USE_C10D_GLOO)
  target_include_directories(${target} SYSTEM PRIVATE ${TORCH_DIST_INIT_GLOO_HEADERS})
  if(TORCH_DIST_INIT_LIBTORCH_LIBUV)
    target_compile_definitions(${target} PRIVATE TORCH_DIST_INIT_LIBUV)
  endif()
endfunction()

# For targets of several sources that include LibTorch: reading its headers takes nearly all of the time of compiling, so
# the sources are compiled together, unless CMAKE_UNITY_BUILD says otherwise.
function(torch_dist_init_compile_together target)
  if(NOT DEFINED CMAKE_UNITY_BUILD OR CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()
