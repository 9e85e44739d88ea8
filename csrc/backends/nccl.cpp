/// @file
/// The nccl backends: LibTorch's c10d::ProcessGroupNCCL, and its successor in c10d::nccl2 where there is one, on this
/// rank's GPU.
#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/cuda/nccl.h>
#include <torch_dist_init/backend.h>
#include <torch_dist_init/error.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <cstdio>
#include <cstdlib>

#include "backends/compat.h"
#include "backends/device_choice.h"
#include "backends/driver.h"
#include "backends/registry.h"
#include "host.h"
#include "libtorch_error.h"
#include "quoted.h"

namespace torch_dist_init {
namespace detail {
namespace {

using c10d::ProcessGroupNCCL;
using compat::BackendPtr;

/// As CUDA itself reads it: an empty one hides all devices.
std::optional<std::string> visible_devices() {
  const char* const value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string describe_visible_devices() {
  const auto value = visible_devices();
  return std::string("CUDA_VISIBLE_DEVICES is ") + (value ? detail::quoted(*value) : "not set");
}

/// Why there is no GPU: the driver's words, or LibTorch's.
std::string why_no_gpu() {
  if (const auto problem = driver_problem()) {
    return *problem;
  }
  try {
    c10::cuda::device_count_ensure_non_zero();
  } catch (const std::exception& failure) {
    return "LibTorch says: " + escaped(reason(failure));
  }
  return "LibTorch sees none";
}

/// How many GPUs this process sees, at least one.
int count_gpus(int rank) {
  const int count = c10::cuda::device_count();
  if (count == 0) {
    throw BackendError(describe_rank(rank) + ": backend 'nccl' needs a GPU, but no GPU is visible: " + why_no_gpu() +
                       "; " + describe_visible_devices() + ". Without a GPU use backend 'gloo'");
  }
  return count;
}

/// LibTorch asks its CUDA library once what it can, and keeps the answer.
void require_hooks() {
  if (!at::globalContext().hasCUDA()) {
    throw BackendError(
        "LibTorch was asked about CUDA before its CUDA library was loaded, and will say for good that there is none. "
        "Call init before anything else of LibTorch, or link the program with torch_dist_init::nccl or LibTorch's "
        "torch_cuda");
  }
}

/// ncclConfig_t, and with it the options' layout, differs over NCCL's versions.
void require_same_nccl() {
  const std::uint64_t found = torch::cuda::nccl::version();
  const std::uint64_t expected = (static_cast<std::uint64_t>(NCCL_MAJOR) << 32) |
                                 (static_cast<std::uint64_t>(NCCL_MINOR) << 16) |
                                 static_cast<std::uint64_t>(NCCL_PATCH);
  if (found >> 16 != expected >> 16) {
    const auto text = [](std::uint64_t version) {
      return std::to_string(version >> 32) + "." + std::to_string((version >> 16) & 0xffff);
    };
    throw BackendError("torch_dist_init was built with the headers of NCCL " + text(expected) +
                       ", but LibTorch's NCCL is " + text(found) +
                       ": build it with those of the same version (TORCH_DIST_INIT_NCCL_INCLUDE_DIR)");
  }
}

std::optional<c10::Device> check_nccl(const BackendSetting& setting) {
  if (setting.options && dynamic_cast<ProcessGroupNCCL::Options*>(setting.options.get()) == nullptr) {
    throw TypeError("pg_options for nccl must be a c10d::ProcessGroupNCCL::Options");
  }
  const LaunchInfo& launch = setting.launch;
  const int visible = count_gpus(launch.rank);
  require_hooks();
  require_same_nccl();
  const int device = choose_device(
      {setting.device_id, launch.rank, launch.local_rank, launch.local_world_size, visible, visible_devices()});
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device));
}

std::string uuid_of(c10::DeviceIndex device) {
  std::string text;
  for (const char byte : at::cuda::getDeviceProperties(device)->uuid.bytes) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    text += digits;
  }
  return text;
}

/// Finds two ranks on one GPU before NCCL hangs on them.
void claim_gpu(const BackendRequest& request) {
  const std::string uuid = uuid_of(request.device->index());
  const std::string self = describe_rank(request.rank) + " (pid " + std::to_string(::getpid()) + ")";
  const auto found = request.store->compareSet("torch_dist_init_gpu/" + uuid, std::vector<std::uint8_t>{},
                                               std::vector<std::uint8_t>(self.begin(), self.end()));
  const std::string holder(found.begin(), found.end());
  if (holder != self) {
    throw BackendError(
        self + " and " + escaped(holder) + " have one and the same GPU (UUID " + uuid + "), here as device " +
        std::to_string(request.device->index()) + " of " + std::to_string(c10::cuda::device_count()) + "; " +
        describe_visible_devices() +
        ". NCCL takes one rank a GPU: does each rank have its own local rank, and does the launcher give "
        "each task a GPU of its own or all of them?");
  }
}

c10::intrusive_ptr<ProcessGroupNCCL::Options> make_options(const BackendRequest& request) {
  auto options = request.options ? c10::dynamic_intrusive_pointer_cast<ProcessGroupNCCL::Options>(request.options)
                                 : ProcessGroupNCCL::Options::create();
  options->timeout = request.timeout;
  options->group_name = request.group_name;
  options->global_ranks_in_group.assign(request.global_ranks.begin(), request.global_ranks.end());
  return options;
}

BackendPtr create_legacy(const BackendRequest& request) {
  // Split only from what is connected for certain on all ranks.
  const auto parent =
      c10::dynamic_intrusive_pointer_cast<ProcessGroupNCCL>(request.connects_now ? request.parent : nullptr);
  if (request.rank < 0) {
    if (parent) {
      parent->performNocolorSplit(*request.device);
    }
    return nullptr;
  }
  auto options = make_options(request);
  if (parent) {
    compat::assign(options->split_from, parent);
    // All members of one split share a color, and LibTorch wants it not to be zero.
    options->split_color = 1;
  }
  return c10::make_intrusive<ProcessGroupNCCL>(request.own_store(), request.rank, request.world_size, options);
}

BackendPtr create_nccl2(const BackendRequest& request) {
  // It connects as soon as it is made.
  const auto parent = c10::dynamic_intrusive_pointer_cast<compat::ProcessGroupNCCL2>(request.parent);
  if (request.rank < 0) {
    if (parent) {
      parent->performNocolorSplit(*request.device);
    }
    return nullptr;
  }
  if (parent) {
    return compat::split(*parent, request.own_store(), request.global_ranks, make_options(request));
  }
  return c10::make_intrusive<compat::ProcessGroupNCCL2>(request.own_store(), request.rank, request.world_size,
                                                        make_options(request));
}

BackendPtr create(const BackendRequest& request, bool is_nccl2) {
  if (request.global_ranks.empty()) {
    claim_gpu(request);
  }
  return is_nccl2 ? create_nccl2(request) : create_legacy(request);
}

BackendEntry entry(const std::string& name, c10d::ProcessGroup::BackendType type,
                   std::function<bool(const Environment&)> is_nccl2) {
  BackendEntry entry;
  entry.name = name;
  entry.type = type;
  entry.devices = {c10::kCUDA};
  entry.options_name = "nccl";
  entry.involves_all_ranks = true;
  entry.check = check_nccl;
  entry.create = [is_nccl2 = std::move(is_nccl2)](const BackendRequest& request) {
    return create(request, is_nccl2(request.environment));
  };
  return entry;
}

const bool registered = (register_nccl_backend(), true);

}  // namespace
}  // namespace detail

void register_nccl_backend() {
  using namespace detail;
  using Type = c10d::ProcessGroup::BackendType;
  // As torch.distributed of the same version chooses, so that ranks in C++ and in Python meet.
  add_backend(entry("nccl", Type::NCCL, [](const Environment& environment) {
    return compat::nccl_is_nccl2 && environment.get("TORCH_DIST_USE_NCCL2") != "0";
  }));
  if (compat::has_nccl2) {
    add_backend(entry("nccl-legacy", Type::CUSTOM, [](const Environment&) { return false; }));
    add_backend(entry("nccl2", Type::CUSTOM, [](const Environment&) { return true; }));
  }
}

}  // namespace torch_dist_init
