/// @file
/// What a rank says about itself in the store.
#include "rendezvous/member.h"

#include <torch/version.h>
#include <unistd.h>

#include <random>
#include <sstream>

#include "host.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

std::uint64_t process_token() {
  static const std::uint64_t token = [] {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }();
  return token;
}

}  // namespace

Member Member::self(const RendezvousPlan& plan) {
  std::string group;
  for (const int rank : plan.group_ranks) {
    group += (group.empty() ? "" : ", ") + std::to_string(rank);
  }
  return {plan.rank,   plan.world_size, process_token(), static_cast<long>(::getpid()),
          host_name(), plan.job_id,     TORCH_VERSION,   group};
}

std::string Member::to_text() const {
  std::ostringstream text;
  text << rank << '\n' << world_size << '\n' << token << '\n' << pid << '\n';
  // Escaped, they are one line each.
  text << escaped(host) << '\n' << escaped(job_id) << '\n' << escaped(libtorch) << '\n' << group << '\n';
  return text.str();
}

std::optional<Member> Member::from_text(const std::string& text) {
  std::istringstream stream(text);
  Member member;
  if (stream >> member.rank >> member.world_size >> member.token >> member.pid && stream.ignore() &&
      std::getline(stream, member.host) && std::getline(stream, member.job_id) &&
      std::getline(stream, member.libtorch)) {
    std::getline(stream, member.group);
    for (std::string* field : {&member.host, &member.job_id, &member.libtorch, &member.group}) {
      *field = escaped(*field);
    }
    return member;
  }
  return std::nullopt;
}

bool Member::is_same_process(const Member& other) const { return token == other.token && pid == other.pid; }

std::string Member::describe() const {
  return "rank " + std::to_string(rank) + " (host " + host + ", pid " + std::to_string(pid) + ")";
}

}  // namespace torch_dist_init::detail
