/// @file
/// All of torch_dist_init. The headers that know no LibTorch can be included alone: dist.h, error.h, kwargs.h,
/// launch.h, run.h, seed.h.
#pragma once

#include <torch_dist_init/backend.h>
#include <torch_dist_init/dist.h>
#include <torch_dist_init/environment.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/group.h>
#include <torch_dist_init/init.h>
#include <torch_dist_init/kwargs.h>
#include <torch_dist_init/launch.h>
#include <torch_dist_init/rendezvous.h>
#include <torch_dist_init/run.h>
#include <torch_dist_init/seed.h>
#include <torch_dist_init/version.h>
