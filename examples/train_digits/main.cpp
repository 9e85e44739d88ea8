/// @file
/// Data-parallel training: every rank trains on its share of the digits, and gradients are averaged over the ranks.
///
///     torchrun --standalone --no-python --nproc-per-node=2 train_digits
#include <torch/torch.h>
#include <torch_dist_init/torch_dist_init.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "digits.h"

namespace dist = torch_dist_init;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

namespace {

struct Settings {
  std::string launcher = "auto";
  std::string backend = "gloo";
  double timeout = 600;
  int epochs = 15;
  std::int64_t seed = 0;
  // Where the set-up puts it: build/data/, beside build/bin/.
  std::string data = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "data/digits.csv";
};

torch::nn::Sequential make_model() {
  return torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 3).padding(1)), torch::nn::ReLU(),
                               torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3).padding(1)), torch::nn::ReLU(),
                               torch::nn::MaxPool2d(2), torch::nn::Flatten(), torch::nn::Linear(64 * 4 * 4, 128),
                               torch::nn::ReLU(), torch::nn::Linear(128, 10));
}

/// All gradients in one tensor: one all_reduce a step costs less than one a parameter.
void average_gradients(const std::vector<torch::Tensor>& parameters, const Group& group) {
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : parameters) {
    gradients.push_back(parameter.grad());
  }
  std::vector<torch::Tensor> bucket = {torch::nn::utils::parameters_to_vector(gradients)};
  group->allreduce(bucket)->wait();
  bucket.front() /= group->getSize();
  torch::nn::utils::vector_to_parameters(bucket.front(), gradients);
}

/// One pass over this rank's share. Returns the mean loss.
double train_epoch(torch::nn::Sequential& model, torch::optim::Optimizer& optimizer, const Digits& digits, int epoch,
                   const Group& group) {
  const torch::Device device = dist::get_comm_device();
  torch::data::samplers::DistributedRandomSampler sampler(*digits.size(), static_cast<std::size_t>(group->getSize()),
                                                          static_cast<std::size_t>(group->getRank()));
  // The order is drawn from the epoch's number, the same on all ranks; each takes its own share of it.
  sampler.set_epoch(static_cast<std::size_t>(epoch));
  auto loader = torch::data::make_data_loader(Digits(digits).map(torch::data::transforms::Stack<>()), sampler,
                                              /*batch_size=*/32);
  double loss_sum = 0;
  int batches = 0;
  for (auto& batch : *loader) {
    optimizer.zero_grad();
    const torch::Tensor loss =
        torch::nn::functional::cross_entropy(model->forward(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    average_gradients(model->parameters(), group);
    optimizer.step();
    loss_sum += loss.item<double>();
    ++batches;
  }
  return loss_sum / batches;
}

double accuracy(torch::nn::Sequential& model, const Digits& digits) {
  const torch::NoGradGuard no_grad;
  const torch::Device device = dist::get_comm_device();
  return model->forward(digits.images().to(device))
      .argmax(1)
      .eq(digits.digits().to(device))
      .to(torch::kDouble)
      .mean()
      .item<double>();
}

/// The weights' bits, added up.
std::int64_t checksum(const torch::nn::Sequential& model) {
  return torch::nn::utils::parameters_to_vector(model->parameters())
      .detach()
      .view(torch::kInt)
      .sum(torch::kLong)
      .item<std::int64_t>();
}

/// Throws unless all ranks have the same weights.
void check_weights_are_identical(const torch::nn::Sequential& model, const Group& group) {
  const std::int64_t own = checksum(model);
  // The least of x and of -x over the ranks: equal only if all have the same x.
  std::vector<torch::Tensor> extremes = {torch::tensor({own, -own}).to(dist::get_comm_device())};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MIN;
  group->allreduce(extremes, options)->wait();
  if (extremes.front()[0].item<std::int64_t>() != own || extremes.front()[1].item<std::int64_t>() != -own) {
    throw std::runtime_error("the weights differ between the ranks: this one's checksum is " + std::to_string(own));
  }
}

void train(const Settings& settings) {
  // The network is small, and the ranks share the cores.
  torch::set_num_threads(1);
  const auto [training, held_out] = Digits(settings.data).split(0.2);
  const Group group = dist::init_dist(settings.launcher, settings.backend, {{"timeout", settings.timeout}});
  dist::set_random_seed(settings.seed);

  torch::nn::Sequential model = make_model();
  // A GPU with nccl, else the CPU.
  model->to(dist::get_comm_device());
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));
  for (int epoch = 1; epoch <= settings.epochs; ++epoch) {
    const double loss = train_epoch(model, optimizer, training, epoch, group);
    if (dist::is_main_process()) {
      std::printf("epoch %2d of %d: loss %.4f, held-out accuracy %.2f %%\n", epoch, settings.epochs, loss,
                  100 * accuracy(model, held_out));
      std::fflush(stdout);
    }
  }
  check_weights_are_identical(model, group);
  if (dist::is_main_process()) {
    std::printf("accuracy %.2f %% on %zu held-out digits; ranks with identical weights: %d\n",
                100 * accuracy(model, held_out), *held_out.size(), dist::get_world_size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Trains a digits classifier data-parallel.");
  app.option_defaults()->always_capture_default();
  app.add_option("--launcher", settings.launcher, "pytorch, slurm, mpi, none, or auto");
  app.add_option("--backend", settings.backend, "gloo, nccl, mpi");
  app.add_option("--timeout", settings.timeout, "seconds to wait for other ranks");
  app.add_option("--epochs", settings.epochs, "passes over the training digits")->check(CLI::PositiveNumber);
  app.add_option("--seed", settings.seed, "of the weights")->check(CLI::NonNegativeNumber);
  app.add_option("--data", settings.data, "the file digits.csv");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return dist::run([&] { train(settings); });
}
