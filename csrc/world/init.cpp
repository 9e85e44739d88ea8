/// @file
/// Joining the distributed job: the steps in their order.
#include <c10/util/Logging.h>
#include <torch_dist_init/error.h>
#include <torch_dist_init/init.h>
#include <unistd.h>

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include <iostream>
#include <mutex>

#include "backends/debug_wrapper.h"
#include "backends/selection.h"
#include "host.h"
#include "libtorch_error.h"
#include "options/init_method.h"
#include "quoted.h"
#include "rendezvous/handlers.h"
#include "rendezvous/handshake.h"
#include "rendezvous/plan.h"
#include "rendezvous/store.h"
#include "world/exported_variables.h"
#include "world/join.h"
#include "world/world.h"

namespace torch_dist_init {
namespace {

using namespace detail;
using StorePtr = c10::intrusive_ptr<c10d::Store>;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Two threads must not join at once.
std::mutex& init_mutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

/// The store where the ranks meet. A registered handler may give out the ranks.
StorePtr meet(RendezvousPlan& plan, const InitOptions& options) {
  switch (plan.kind) {
    case RendezvousPlan::Kind::given:
      return options.store;
    case RendezvousPlan::Kind::registered: {
      const Rendezvous rendezvous = call_rendezvous_handler(plan);
      plan.rank = rendezvous.rank;
      plan.world_size = rendezvous.world_size;
      return rendezvous.store;
    }
    default:
      return make_store(plan);
  }
}

/// From the plan to the group; all of it uses the network.
World join(RendezvousPlan& plan, const JoinSetting& setting, const InitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  World world;
  try {
    world.store = own_part(meet(plan, options), plan);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw RendezvousError(describe_rank(plan.rank) + " lost the store at " + plan.endpoint() + ": " + reason(failure));
  }
  world.from_rendezvous = !options.store;
  world.group = join_group(plan, setting, world.store, parent_of_default_group(world.store, world.from_rendezvous),
                           start, "default_pg");
  return world;
}

/// Says on stderr what looks like a mistake, and once what "auto" has taken.
void tell(const LaunchInfo& launch, const RendezvousPlan& plan) {
  const std::string& source = launch.sources.at("launcher");
  if (plan.rank == 0 && source.rfind("auto", 0) == 0) {
    std::cerr << "torch_dist_init: launcher " + launch.launcher + " (" + source + ")\n";
  }
  for (const std::string& warning : launch.warnings) {
    std::cerr << "torch_dist_init: warning: " + describe_rank(plan.rank) + ": " + escaped(warning) + "\n";
  }
}

GroupPtr initialize(const LaunchInfo& launch, const std::string& backend, const InitOptions& options,
                    const Environment& environment) {
  const std::lock_guard<std::mutex> lock(init_mutex());
  if (const auto world = current_world()) {
    refuse_if_forked(world);
    throw RendezvousError(
        "the default process group is already initialized: call destroy_process_group() before a second init");
  }
  // Up to here and in these steps nothing is opened, set or exported.
  read_debug_level(environment);
  JoinSetting setting;
  setting.selected = select_backends(backend);
  const MeetingNeeds needs{static_cast<bool>(options.store), meet_by_mpi(setting.selected)};
  RendezvousPlan plan = plan_rendezvous(launch, options, environment, needs,
                                        options.timeout.value_or(default_timeout(backend)), registered_schemes());
  setting.environment = environment;
  setting.launcher = launch.launcher;
  setting.pg_options = options.pg_options;
  setting.device = check_backends(setting.selected, {environment, launch, options.device_id, options.pg_options});
  setting.connects_now = options.device_id.has_value();
  tell(launch, plan);

  World world = join(plan, setting, options);
  world.environment = environment;
  world.launch = launch;
  world.launch.rank = plan.rank;
  world.launch.world_size = plan.world_size;
  world.plan = plan;
  world.pid = ::getpid();
  world.backend = canonical_backend_name(backend);
  world.device = setting.device;
  world.connects_now = setting.connects_now;
  for (const DeviceBackend& choice : setting.selected) {
    world.abort_job = choice.backend.abort_job ? choice.backend.abort_job : world.abort_job;
  }
  if (setting.device) {
    // For this thread, as torch.cuda.set_device in mmengine's init_dist.
    c10::impl::getDeviceGuardImpl(setting.device->type())->setDevice(*setting.device);
  }
  c10d::register_process_group(default_group_name, world.group);
  c10::SetGlobalRank(plan.rank);
  if (options.export_environment && launch.launcher != "none") {
    export_variables(environment, launch, plan);
  }
  GroupPtr group = world.group;
  set_world(std::move(world));
  leave_at_exit();
  return group;
}

/// The environment as torch.distributed sees it when rank or world_size are given as arguments, or in the URL.
Environment with_arguments(Environment environment, const KwargOptions& options) {
  const InitMethod method = parse_init_method(options.init_method.value_or("env://"), registered_schemes());
  if (const auto rank = options.rank ? options.rank : method.rank) {
    environment = environment.with("RANK", std::to_string(*rank));
  }
  if (const auto world_size = options.world_size ? options.world_size : method.world_size) {
    environment = environment.with("WORLD_SIZE", std::to_string(*world_size));
  }
  return environment;
}

}  // namespace

GroupPtr init_dist(const std::string& launcher, const std::string& backend, const Kwargs& kwargs) {
  return init_dist(launcher, backend, InitOptions(parse_kwargs(kwargs)));
}

GroupPtr init_dist(const std::string& launcher, const std::string& backend, const InitOptions& options) {
  const Environment environment = Environment::current();
  return initialize(read_launch_info(launcher, environment), backend, options, environment);
}

GroupPtr init_process_group(const std::optional<std::string>& backend, const InitOptions& options) {
  const Environment environment = Environment::current();
  const std::string name = backend ? *backend : default_backend(options.device_id.has_value());
  // MPI's ranks know each other from MPI, as in torch.distributed, whatever launcher has told it.
  const char* const launcher = canonical_backend_name(name) == "mpi" ? "auto" : "pytorch";
  return initialize(read_launch_info(launcher, with_arguments(environment, options)), name, options, environment);
}

}  // namespace torch_dist_init
