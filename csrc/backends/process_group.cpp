/// @file
/// A c10d::ProcessGroup with its backends, put together as torch.distributed does.
#include "backends/process_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <map>

namespace torch_dist_init::detail {
namespace {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

StorePtr with_prefix(const std::string& prefix, const StorePtr& store) {
  return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
}

/// The backend that operations without tensors use: the accelerator's before the CPU's.
c10d::ProcessGroup::BackendType default_backend_type(const std::vector<DeviceBackend>& selected) {
  const auto accelerator = std::find_if(selected.begin(), selected.end(), [](const DeviceBackend& choice) {
    return choice.device != c10::DeviceType::CPU;
  });
  return (accelerator != selected.end() ? *accelerator : selected.front()).backend.type;
}

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_default_group(const std::vector<DeviceBackend>& selected,
                                                          const BackendRequest& request, bool from_rendezvous) {
  const StorePtr store = from_rendezvous ? with_prefix("default_pg", request.store) : request.store;
  const StorePtr group_store = with_prefix(request.group_name + "/", store);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(group_store, request.rank, request.world_size);
  group->setDefaultBackend(default_backend_type(selected));

  // A backend that serves several devices is made once, under the prefix of the first.
  std::map<std::string, c10::intrusive_ptr<c10d::Backend>> made;
  for (const DeviceBackend& choice : selected) {
    auto& backend = made[choice.backend.name];
    if (!backend) {
      BackendRequest own = request;
      own.store = group_store;
      own.prefix = c10::DeviceTypeName(choice.device, /*lower_case=*/true) + "/";
      backend = choice.backend.create(own);
    }
    group->setBackend(choice.device, choice.backend.type, backend);
  }
  group->setGroupName(request.group_name);
  group->setGroupDesc("default_pg");
  return group;
}

}  // namespace torch_dist_init::detail
