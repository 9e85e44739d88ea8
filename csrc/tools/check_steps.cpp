/// @file
/// The steps of torch-dist check: collectives whose results are known.
#include "tools/check_steps.h"

#include <torch_dist_init/error.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <algorithm>
#include <sstream>

#include "world/world.h"

namespace torch_dist_init::tools {
namespace {

/// Large enough that the time tells something of the network: 4 MB of float32.
constexpr std::int64_t large = 1 << 20;

/// Compares without tolerance: the results are whole numbers that float32 holds exactly.
void expect(const char* what, const at::Tensor& expected, const at::Tensor& result) {
  const at::Tensor found = result.cpu();
  if (!expected.equal(found)) {
    const at::Tensor differs = expected.ne(found).nonzero();
    const auto place = differs[0].item<std::int64_t>();
    std::ostringstream text;
    text << what << " gave a wrong result: element " << place << " of " << expected.numel() << " must be "
         << expected[place].item<float>() << ", but it is " << found[place].item<float>() << " (" << differs.size(0)
         << " elements are wrong)";
    throw BackendError(text.str());
  }
}

void barrier(c10d::ProcessGroup& group, c10::Device) { detail::wait_at_barrier(group); }

/// Four float32, each the rank: what a rank in Python can do with one line.
void all_reduce(c10d::ProcessGroup& group, c10::Device device) {
  std::vector<at::Tensor> tensors = {at::full({4}, group.getRank(), at::dtype(at::kFloat).device(device))};
  group.allreduce(tensors)->wait();
  const std::int64_t size = group.getSize();
  expect("all_reduce", at::full({4}, size * (size - 1) / 2, at::kFloat), tensors[0]);
}

void broadcast(c10d::ProcessGroup& group, c10::Device device) {
  const at::Tensor sent = at::arange(large, at::kFloat);
  std::vector<at::Tensor> tensors = {
      (group.getRank() == 0 ? sent.clone() : at::full({large}, -1, at::kFloat)).to(device)};
  group.broadcast(tensors)->wait();
  expect("broadcast", sent, tensors[0]);
}

void all_gather(c10d::ProcessGroup& group, c10::Device device) {
  // In all at most 64 MB on each rank.
  const std::int64_t count = std::max<std::int64_t>(1, std::min<std::int64_t>(large / 4, 16 * large / group.getSize()));
  std::vector<at::Tensor> sent = {at::full({count}, group.getRank(), at::dtype(at::kFloat).device(device))};
  std::vector<std::vector<at::Tensor>> gathered(1);
  for (int rank = 0; rank < group.getSize(); ++rank) {
    gathered[0].push_back(at::empty({count}, at::dtype(at::kFloat).device(device)));
  }
  group.allgather(gathered, sent)->wait();
  for (int rank = 0; rank < group.getSize(); ++rank) {
    expect("all_gather", at::full({count}, rank, at::kFloat), gathered[0][static_cast<std::size_t>(rank)]);
  }
}

}  // namespace

const std::vector<std::pair<std::string, CheckStep>>& all_check_steps() {
  static const std::vector<std::pair<std::string, CheckStep>> steps = {
      {"barrier", barrier}, {"all_reduce", all_reduce}, {"broadcast", broadcast}, {"all_gather", all_gather}};
  return steps;
}

}  // namespace torch_dist_init::tools
