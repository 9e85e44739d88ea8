/// @file
/// Slurm's host lists, as "login,n[1-3,07],rack[1-2]n[01-16]-ib", without asking Slurm.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torch_dist_init::detail {

/// The most hosts that expand_host_list returns: as many as Slurm allows in one range.
constexpr std::size_t max_hosts = 65536;

/// The first host of a list. Takes time by the length of the text, not by the number of hosts.
/// @param source where the text was found, for messages: the name of the variable.
/// @throws LaunchError, with the position in the text, if it is no host list or names no host.
std::string first_host(std::string_view list, const std::string& source);

/// All hosts of a list in Slurm's order, which is the order written; a host that is written twice is there twice.
/// With two bracket groups in a name the left one varies slowest; with more, the last but one varies slowest, then
/// those before it from right to left, and the last one fastest.
/// @throws LaunchError as first_host, and if there are more than max_hosts.
std::vector<std::string> expand_host_list(std::string_view list, const std::string& source);

}  // namespace torch_dist_init::detail
