/// @file
/// What can be known of CUDA without linking it.
#pragma once

namespace torch_dist_init::detail {

/// Whether LibTorch sees a GPU. Where there is a driver, this loads the nccl backend, and with it LibTorch's CUDA
/// library: nothing may ask LibTorch about CUDA before.
bool cuda_is_available();

}  // namespace torch_dist_init::detail
