/// @file
/// The version of torch_dist_init: the one place where it stands. CMake reads it from here.
#pragma once

#define TORCH_DIST_INIT_VERSION "0.1.0"
