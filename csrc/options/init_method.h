/// @file
/// The URL that says where the ranks meet, as torch.distributed's init_method.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace torch_dist_init::detail {

/// An init_method, taken apart.
struct InitMethod {
  enum class Scheme { env, tcp, file, registered };
  Scheme scheme = Scheme::env;
  /// tcp: the host, an IPv6 address without brackets.
  std::string host;
  /// tcp: the port, 1 to 65535.
  int port = 0;
  /// file: the absolute path.
  std::string path;
  /// From "?rank=" and "&world_size=".
  std::optional<int> rank;
  std::optional<int> world_size;
  /// From "?use_libuv=": 0 or 1.
  std::optional<bool> use_libuv;
};

/// Takes "env://", "tcp://host:port" or "file:///path", each with query arguments if wanted, or a URL with one of the
/// registered schemes, of which only the query's rank and world_size are read.
/// @throws ValueError if it is none of these, or malformed.
InitMethod parse_init_method(const std::string& url, const std::set<std::string>& registered_schemes = {});

}  // namespace torch_dist_init::detail
