/// @file
/// Many ranks as threads of one process, at one store that another process serves; without backends.
///
///     rendezvous_clients serve COUNT PORT       rank 0: serves until it is killed
///     rendezvous_clients join COUNT PORT        ranks 1 to COUNT: connect, then make themselves known
///     rendezvous_clients join_c10d COUNT PORT   the same number of c10d::TCPStores, made by hand
#include <nss.h>
#include <sys/resource.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "backends/compat.h"
#include "rendezvous/handshake.h"
#include "rendezvous/plan.h"
#include "rendezvous/store.h"

namespace {

using torch_dist_init::detail::RendezvousPlan;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

RendezvousPlan plan_of(int rank, int count, int port) {
  RendezvousPlan plan;
  plan.kind = RendezvousPlan::Kind::tcp;
  plan.rank = rank;
  plan.world_size = count + 1;
  plan.timeout = std::chrono::seconds(120);
  plan.host = "127.0.0.1";
  plan.port = port;
  plan.endpoint_source = "arguments";
  plan.serves = rank == 0;
  return plan;
}

StorePtr make_c10d_client(const RendezvousPlan& plan) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(plan.port);
  options.numWorkers = static_cast<std::size_t>(plan.world_size);
  options.timeout = plan.timeout;
  options.useLibUV = torch_dist_init::detail::compat::has_libuv;
  return c10::make_intrusive<c10d::TCPStore>(plan.host, options);
}

/// Calls `step` for ranks 1 to `count` at once, each in a thread of its own. Returns the seconds until the last one had
/// done it. @throws what a step has thrown.
double seconds_of_all(int count, const std::function<void(int rank)>& step) {
  std::promise<void> start;
  const std::shared_future<void> started = start.get_future().share();
  std::vector<std::future<void>> steps;
  for (int rank = 1; rank <= count; ++rank) {
    steps.push_back(std::async(std::launch::async, [&step, started, rank] {
      started.wait();
      step(rank);
    }));
  }
  const auto begin = std::chrono::steady_clock::now();
  start.set_value();
  for (std::future<void>& each : steps) {
    each.get();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// TCPStore looks up the name of the server's address for each client. No name server is to be measured, or flooded.
void take_names_from_files() { ::__nss_configure_lookup("hosts", "files"); }

/// Each client holds a socket, and the server one for each.
void allow_many_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void serve(int count, int port) {
  const RendezvousPlan plan = plan_of(0, count, port);
  const StorePtr store = torch_dist_init::detail::make_store(plan);
  torch_dist_init::detail::announce_rank(*store, plan);
  std::cout << "serving" << std::endl;
  ::pause();
}

void join(int count, int port, StorePtr (*make)(const RendezvousPlan&), bool announce) {
  std::vector<StorePtr> stores(static_cast<std::size_t>(count));
  const auto store_of = [&](int rank) -> StorePtr& { return stores[static_cast<std::size_t>(rank - 1)]; };
  const double joining = seconds_of_all(count, [&](int rank) { store_of(rank) = make(plan_of(rank, count, port)); });
  std::cout << "joining " << joining << std::endl;
  if (announce) {
    const double handshake = seconds_of_all(
        count, [&](int rank) { torch_dist_init::detail::announce_rank(*store_of(rank), plan_of(rank, count, port)); });
    std::cout << "handshake " << handshake << std::endl;
    const std::size_t missing = torch_dist_init::detail::missing_ranks(*stores.front(), plan_of(1, count, port)).size();
    std::cout << "missing " << missing << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 3) {
    std::cerr << "usage: rendezvous_clients serve|join|join_c10d COUNT PORT\n";
    return 2;
  }
  try {
    take_names_from_files();
    allow_many_files();
    const int count = std::stoi(arguments[1]);
    const int port = std::stoi(arguments[2]);
    if (arguments[0] == "serve") {
      serve(count, port);
    } else if (arguments[0] == "join") {
      join(count, port, torch_dist_init::detail::make_store, /*announce=*/true);
    } else if (arguments[0] == "join_c10d") {
      join(count, port, make_c10d_client, /*announce=*/false);
    } else {
      throw std::invalid_argument("unknown action " + arguments[0]);
    }
  } catch (const std::exception& error) {
    std::cerr << "rendezvous_clients: " << error.what() << "\n";
    return 1;
  }
}
