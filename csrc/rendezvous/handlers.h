/// @file
/// The schemes of init_method that a program has registered.
#pragma once

#include <torch_dist_init/rendezvous.h>

#include <set>
#include <string>

#include "rendezvous/plan.h"

namespace torch_dist_init::detail {

/// Their names.
std::set<std::string> registered_schemes();

/// Calls the handler of plan.url.
/// @throws RendezvousError if it fails, or returns no store or an impossible rank.
Rendezvous call_rendezvous_handler(const RendezvousPlan& plan);

}  // namespace torch_dist_init::detail
