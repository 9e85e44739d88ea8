/// @file
/// The store where the ranks meet, made from the plan.
#include "rendezvous/store.h"

#include <torch_dist_init/error.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <future>
#include <iostream>
#include <system_error>
#include <thread>

#include "backends/compat.h"
#include "host.h"
#include "libtorch_error.h"
#include "rendezvous/connect.h"
#include "rendezvous/former_server.h"
#include "rendezvous/leave.h"
#include "rendezvous/port_owner.h"
#include "rendezvous/progress.h"

namespace torch_dist_init::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

c10d::TCPStoreOptions tcp_options(const RendezvousPlan& plan) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(plan.port);
  options.isServer = plan.serves;
  options.numWorkers = static_cast<std::size_t>(plan.world_size);
  // As torch.distributed: a second store of this process on the same port shares the server.
  options.multiTenant = true;
  options.useLibUV = plan.use_libuv && compat::has_libuv;
  // A server would wait here in silence, for ranks that it can't name. A client only announces itself, for which a
  // server in Python waits.
  options.waitWorkers = !plan.serves;
  return options;
}

[[noreturn]] void throw_server_failure(const RendezvousPlan& plan, const std::exception& failure) {
  const int error = listen_error(plan.port);
  const std::string who = describe_rank(plan.rank);
  if (error == EADDRINUSE) {
    const std::string owner = describe_port_owner(plan.port);
    throw RendezvousError(who + " can't serve the store at " + plan.endpoint() + ": port " + std::to_string(plan.port) +
                          " is in use by " + (owner.empty() ? "another process" : owner) +
                          ". Is another job, a leftover of one, or another rank 0 running on "
                          "this host? Choose another port on all ranks: MASTER_PORT, the keyword argument 'port', or "
                          "torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0");
  }
  if (error != 0) {
    throw RendezvousError(who + " can't serve the store at " + plan.endpoint() + ": listening on port " +
                          std::to_string(plan.port) + " fails: " + std::generic_category().message(error));
  }
  throw RendezvousError(who + " can't serve the store at " + plan.endpoint() + ": " + reason(failure));
}

/// Nobody finds a store that is served on another host than the address names. No error: the address may be that of a
/// gateway that forwards to this host.
void warn_unless_own_address(const RendezvousPlan& plan) {
  if (!may_be_own_address(plan.host)) {
    std::cerr
        << "torch_dist_init: warning: " + describe_rank(plan.rank) + " serves the store at " + plan.endpoint() +
               ", but that is no address of this host: the other ranks may look for it elsewhere. Set MASTER_ADDR to "
               "the host of rank 0\n";
  }
}

[[noreturn]] void throw_stranger(const RendezvousPlan& plan, const std::string& what_happened) {
  throw RendezvousError(describe_rank(plan.rank) + " reached " + plan.endpoint() +
                        ", but what listens there does not answer as a TCPStore: " + what_happened +
                        ". Does another program use that port? Choose another one on all ranks: MASTER_PORT, or the "
                        "keyword argument 'port'");
}

/// Makes a client of a server that listens already. A stranger that listens there and says nothing would hold
/// TCPStore's constructor for good, whatever its timeout: so it works in a thread of its own, which is left behind
/// then.
StorePtr make_client(const RendezvousPlan& plan, const c10d::TCPStoreOptions& options, Clock::time_point start) {
  std::packaged_task<StorePtr()> task(
      [host = plan.host, options]() -> StorePtr { return c10::make_intrusive<c10d::TCPStore>(host, options); });
  std::future<StorePtr> made = task.get_future();
  std::thread thread(std::move(task));
  const Clock::time_point deadline = start + plan.timeout;
  ProgressSchedule schedule(Clock::now());
  while (made.wait_until(std::min(schedule.next(), deadline)) != std::future_status::ready) {
    if (Clock::now() >= deadline) {
      thread.detach();
      throw_stranger(plan, "no answer within " + std::to_string(plan.timeout.count()) + " ms");
    }
    schedule.due(Clock::now());
    std::cerr << "torch_dist_init: " + describe_rank(plan.rank) + " is connected to " + plan.endpoint() +
                     ", and waits for an answer\n";
  }
  thread.join();
  try {
    return made.get();
  } catch (const std::exception& failure) {
    throw_stranger(plan, reason(failure));
  }
}

StorePtr make_server(const RendezvousPlan& plan, const c10d::TCPStoreOptions& options) {
  StorePtr store;
  try {
    store = c10::make_intrusive<c10d::TCPStore>(plan.host, options);
  } catch (const std::exception& failure) {
    throw_server_failure(plan, failure);
  }
  if (has_left(*store, plan)) {
    throw RendezvousError(describe_rank(plan.rank) + " still serves the store of its former world at " +
                          plan.endpoint() +
                          ": something in this program holds the former process group. Let go of it before init");
  }
  return store;
}

StorePtr make_tcp_store(const RendezvousPlan& plan) {
  const Clock::time_point start = Clock::now();
  if (plan.serves) {
    wait_until_resolved(plan, start);
    warn_unless_own_address(plan);
  } else {
    wait_until_former_server_is_gone(plan, start);
    wait_until_listening(plan, start);
  }
  c10d::TCPStoreOptions options = tcp_options(plan);
  const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  options.timeout = std::max(plan.timeout - spent, milliseconds(1));
  StorePtr store = plan.serves ? make_server(plan, options) : make_client(plan, options, start);
  store->setTimeout(plan.timeout);
  return store;
}

StorePtr make_file_store(const RendezvousPlan& plan) {
  if (has_left_file(plan.path)) {
    // The last rank to let go of the file deletes it: who comes back early might find the old one or a new one.
    throw RendezvousError(describe_rank(plan.rank) + " has left the world that met by " + plan.endpoint() +
                          ": each world needs a file of its own");
  }
  try {
    auto store = c10::make_intrusive<c10d::FileStore>(plan.path, plan.world_size);
    store->setTimeout(plan.timeout);
    return store;
  } catch (const std::exception& failure) {
    throw RendezvousError(describe_rank(plan.rank) + " can't use " + plan.endpoint() +
                          " as a store: " + reason(failure));
  }
}

}  // namespace

c10::intrusive_ptr<c10d::Store> make_store(const RendezvousPlan& plan) {
  switch (plan.kind) {
    case RendezvousPlan::Kind::tcp:
      return make_tcp_store(plan);
    case RendezvousPlan::Kind::file:
      return make_file_store(plan);
    case RendezvousPlan::Kind::local:
    case RendezvousPlan::Kind::given:
    case RendezvousPlan::Kind::registered:
    case RendezvousPlan::Kind::mpi:
      break;
  }
  auto store = c10::make_intrusive<c10d::HashStore>();
  store->setTimeout(plan.timeout);
  return store;
}

c10::intrusive_ptr<c10d::Store> connect_again(const RendezvousPlan& plan, milliseconds timeout) {
  // Asked first, since TCPStore would try again and again where rank 0 has just left.
  if (plan.kind != RendezvousPlan::Kind::tcp || !is_listening(plan, timeout)) {
    return nullptr;
  }
  c10d::TCPStoreOptions options = tcp_options(plan);
  options.isServer = false;
  options.waitWorkers = false;
  options.timeout = timeout;
  return c10::make_intrusive<c10d::TCPStore>(plan.host, options);
}

}  // namespace torch_dist_init::detail
