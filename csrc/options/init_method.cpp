/// @file
/// The URL that says where the ranks meet.
#include "options/init_method.h"

#include <torch_dist_init/error.h>

#include <limits>
#include <string_view>

#include "launch/integer.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

[[noreturn]] void throw_malformed(const std::string& url, const std::string& why) {
  throw ValueError("init_method " + quoted(url) + ": " + why);
}

int parse_number(const std::string& url, const std::string& name, std::string_view text, int min, int max) {
  const auto number = parse_decimal(text, static_cast<std::uint64_t>(max));
  if (!number || *number < static_cast<std::uint64_t>(min)) {
    throw_malformed(url, name + " must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                             ", but it is " + quoted(std::string(text)));
  }
  return static_cast<int>(*number);
}

void parse_argument(const std::string& url, std::string_view argument, InitMethod& method) {
  constexpr int int_max = std::numeric_limits<int>::max();
  const std::size_t equals = argument.find('=');
  const std::string name(argument.substr(0, equals));
  const std::string_view value = equals == std::string_view::npos ? "" : argument.substr(equals + 1);
  if (name == "rank" && !method.rank) {
    method.rank = parse_number(url, name, value, 0, int_max - 1);
  } else if (name == "world_size" && !method.world_size) {
    method.world_size = parse_number(url, name, value, 1, int_max);
  } else if (name == "use_libuv" && !method.use_libuv) {
    method.use_libuv = parse_number(url, name, value, 0, 1) == 1;
  } else if (method.scheme != InitMethod::Scheme::registered) {
    throw_malformed(url, "query arguments are rank, world_size and use_libuv, each once, but there is " + quoted(name));
  }
}

void parse_query(const std::string& url, std::string_view query, InitMethod& method) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    parse_argument(url, query.substr(0, end), method);
    query = end == std::string_view::npos ? "" : query.substr(end + 1);
  }
}

void parse_tcp(const std::string& url, std::string_view rest, InitMethod& method) {
  method.scheme = InitMethod::Scheme::tcp;
  if (!rest.empty() && rest.back() == '/') {
    rest.remove_suffix(1);
  }
  const bool bracketed = !rest.empty() && rest.front() == '[';
  const std::size_t host_end = bracketed ? rest.find(']') : rest.find(':');
  if (host_end == std::string_view::npos) {
    throw_malformed(url, bracketed ? "the bracket of the IPv6 address isn't closed" : "the port is missing");
  }
  method.host = std::string(bracketed ? rest.substr(1, host_end - 1) : rest.substr(0, host_end));
  std::string_view port = rest.substr(host_end + (bracketed ? 1 : 0));
  if (method.host.empty()) {
    throw_malformed(url, "the host is missing");
  }
  if (method.host.find_first_of("/@ \t\r\n") != std::string::npos) {
    throw_malformed(url, "expected tcp://host:port");
  }
  if (port.empty() || port.front() != ':') {
    throw_malformed(url, "the port is missing");
  }
  port.remove_prefix(1);
  if (port.find(':') != std::string_view::npos) {
    throw_malformed(url, "an IPv6 address needs brackets: tcp://[::1]:29500");
  }
  method.port = parse_number(url, "port", port, 1, 65535);
}

void parse_file(const std::string& url, std::string_view rest, InitMethod& method) {
  method.scheme = InitMethod::Scheme::file;
  if (rest.size() < 2 || rest.front() != '/' || rest.back() == '/') {
    throw_malformed(url, "expected an absolute path of a file: file:///shared/folder/name");
  }
  method.path = std::string(rest);
}

}  // namespace

InitMethod parse_init_method(const std::string& url, const std::set<std::string>& registered_schemes) {
  const std::size_t scheme_end = url.find("://");
  const std::string scheme = url.substr(0, scheme_end);
  const bool is_registered = registered_schemes.count(scheme) > 0;
  if (scheme_end == std::string::npos || (scheme != "env" && scheme != "tcp" && scheme != "file" && !is_registered)) {
    std::string expected = "expected env://, tcp://host:port or file:///path";
    for (const std::string& other : registered_schemes) {
      expected += ", or " + other + "://";
    }
    throw_malformed(url, expected);
  }
  std::string_view rest = std::string_view(url).substr(scheme_end + 3);
  InitMethod method;
  method.scheme = is_registered ? InitMethod::Scheme::registered : InitMethod::Scheme::env;
  if (const std::size_t question = rest.find('?'); question != std::string_view::npos) {
    parse_query(url, rest.substr(question + 1), method);
    rest = rest.substr(0, question);
  }
  if (scheme == "tcp") {
    parse_tcp(url, rest, method);
  } else if (scheme == "file") {
    parse_file(url, rest, method);
  } else if (!is_registered && !rest.empty()) {
    throw_malformed(url, "env:// takes no address: set MASTER_ADDR and MASTER_PORT");
  }
  return method;
}

}  // namespace torch_dist_init::detail
