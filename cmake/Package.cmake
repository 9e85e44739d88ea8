# The install rules, and the package that a user's find_package(torch_dist_init) reads: from an install, which may be
# moved, and from the build tree.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/torch_dist_init)

# LibTorch's folder stays in the rpath, so that the library finds it also in programs that don't link it themselves.
list(TRANSFORM torch_dist_init_backends PREPEND torch_dist_init_ OUTPUT_VARIABLE backend_libraries)
set_target_properties(torch_dist_init ${backend_libraries} PROPERTIES
  INSTALL_RPATH $ORIGIN
  INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS torch_dist_init ${backend_libraries} EXPORT torch_dist_init-targets)
install(DIRECTORY torch_dist_init TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
if(TORCH_DIST_INIT_BUILD_TOOLS)
  install(TARGETS torch-dist torch-dist-check)
endif()
install(EXPORT torch_dist_init-targets NAMESPACE torch_dist_init:: DESTINATION ${package_dir})
export(EXPORT torch_dist_init-targets NAMESPACE torch_dist_init::)

# A static library names what it links.
set(static_mpi OFF)
if(mpi IN_LIST torch_dist_init_backends AND NOT BUILD_SHARED_LIBS)
  set(static_mpi ON)
endif()
configure_package_config_file(cmake/torch_dist_init-config.cmake.in torch_dist_init-config.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(torch_dist_init-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/FindLibTorch.cmake FindLibTorch.cmake COPYONLY)
install(
  FILES
    cmake/FindLibTorch.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/torch_dist_init-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/torch_dist_init-config-version.cmake
  DESTINATION ${package_dir})
