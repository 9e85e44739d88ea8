/// @file
/// A c10d::ProcessGroup with its backends, put together as torch.distributed does.
#include "backends/process_group.h"

#include <c10/core/DeviceGuard.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupWrapper.hpp>

#include <algorithm>
#include <map>

#include "backends/compat.h"
#include "backends/debug_wrapper.h"

namespace torch_dist_init::detail {
namespace {

using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

/// The backend that operations without tensors use: the accelerator's before the CPU's.
c10d::ProcessGroup::BackendType default_backend_type(const std::vector<DeviceBackend>& selected) {
  const auto accelerator = std::find_if(selected.begin(), selected.end(), [](const DeviceBackend& choice) {
    return choice.device != c10::DeviceType::CPU;
  });
  return (accelerator != selected.end() ? *accelerator : selected.front()).backend.type;
}

/// The default group's backend for these tensors, if that can be split.
BackendPtr splittable(const GroupPtr& default_group, const DeviceBackend& choice) {
  if (!default_group || !default_group->getBoundDeviceId() || choice.device == c10::DeviceType::CPU) {
    return nullptr;
  }
  const auto devices = default_group->getDeviceTypes();
  if (std::none_of(devices.begin(), devices.end(),
                   [&](c10::Device device) { return device.type() == choice.device; })) {
    return nullptr;
  }
  BackendPtr backend = default_group->getBackend(choice.device);
  if (const auto wrapper = c10::dynamic_intrusive_pointer_cast<c10d::ProcessGroupWrapper>(backend)) {
    backend = wrapper->getWrappedPg();
  }
  return backend->supportsSplitting() ? backend : nullptr;
}

BackendPtr make_backend(const DeviceBackend& choice, BackendRequest request, const GroupPtr& default_group) {
  request.prefix = c10::DeviceTypeName(choice.device, /*lower_case=*/true) + "/";
  request.options = options_for(choice.backend, request.options);
  request.parent = splittable(default_group, choice);
  BackendPtr backend = choice.backend.create(request);
  const bool has_store = choice.backend.needs_store;
  return backend && has_store ? wrap_for_debugging(backend, request) : backend;
}

}  // namespace

GroupPtr make_process_group(const std::vector<DeviceBackend>& selected, const BackendRequest& request,
                            const std::string& description, const GroupPtr& default_group) {
  const c10::OptionalDeviceGuard guard(request.device);
  const bool is_member = request.rank >= 0;
  BackendRequest own = request;
  own.store = c10::make_intrusive<c10d::PrefixStore>(request.group_name + "/", request.store);
  auto group = is_member ? c10::make_intrusive<c10d::ProcessGroup>(own.store, own.rank, own.world_size) : GroupPtr();
  if (is_member) {
    group->setDefaultBackend(default_backend_type(selected));
    group->setBoundDeviceId(request.device);
  }

  // A backend that serves several devices is made once, under the prefix of the first.
  std::map<std::string, BackendPtr> made;
  for (const DeviceBackend& choice : selected) {
    if (!is_member && !choice.backend.involves_all_ranks) {
      continue;
    }
    const auto [place, is_new] = made.try_emplace(choice.backend.name);
    if (is_new) {
      place->second = make_backend(choice, own, default_group);
    }
    if (!is_member) {
      continue;
    }
    group->setBackend(choice.device, choice.backend.type, place->second);
    if (is_new && request.connects_now && request.device && request.device->type() == choice.device) {
      place->second->eagerConnectSingleDevice(*request.device);
    }
  }
  if (is_member) {
    group->setGroupName(request.group_name);
    group->setGroupDesc(description);
  }
  return group;
}

}  // namespace torch_dist_init::detail
