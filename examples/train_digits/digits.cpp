/// @file
/// The UCI handwritten digits.
#include "digits.h"

#include <charconv>
#include <fstream>
#include <stdexcept>

namespace {

constexpr std::int64_t side = 8;
constexpr float brightest = 16;
/// Else one of the parts into which they are split may be empty.
constexpr std::size_t fewest = 10;

/// The numbers of one line; throws if it isn't 64 pixels and a digit.
void append_line(const std::string& line, std::vector<float>& pixels, std::vector<std::int64_t>& digits) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::int64_t column = 0; column <= side * side; ++column) {
    int number = -1;
    const auto [rest, error] = std::from_chars(at, end, number);
    const bool is_digit = column == side * side;
    if (error != std::errc() || number < 0 || number > (is_digit ? 9 : brightest) || (rest == end) != is_digit ||
        (!is_digit && *rest != ',')) {
      throw std::runtime_error("expected 64 pixels from 0 to 16 and a digit, separated by commas");
    }
    if (is_digit) {
      digits.push_back(number);
    } else {
      pixels.push_back(static_cast<float>(number) / brightest);
      at = rest + 1;
    }
  }
}

}  // namespace

Digits::Digits(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("can't read the digits from '" + path +
                             "': scripts/demo.sh fetches them, --data names them");
  }
  std::vector<float> pixels;
  std::vector<std::int64_t> digits;
  for (std::string line; std::getline(file, line);) {
    try {
      append_line(line, pixels, digits);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ", line " + std::to_string(digits.size() + 1) + ": " + error.what());
    }
  }
  if (digits.size() < fewest) {
    throw std::runtime_error(path + " has only " + std::to_string(digits.size()) + " digit(s): too few to train with");
  }
  images_ = torch::tensor(pixels).view({-1, 1, side, side});
  digits_ = torch::tensor(digits, torch::kLong);
}

Digits::Digits(torch::Tensor images, torch::Tensor digits) : images_(std::move(images)), digits_(std::move(digits)) {}

torch::data::Example<> Digits::get(std::size_t index) {
  const auto row = static_cast<std::int64_t>(index);
  return {images_[row], digits_[row]};
}

torch::optional<std::size_t> Digits::size() const { return static_cast<std::size_t>(digits_.size(0)); }

std::pair<Digits, Digits> Digits::split(double held_out) const {
  const std::int64_t count = digits_.size(0);
  const auto test_count = static_cast<std::int64_t>(static_cast<double>(count) * held_out);
  const torch::Tensor order = torch::randperm(count, at::make_generator<at::CPUGeneratorImpl>(/*seed=*/0));
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    const torch::Tensor rows = order.slice(0, begin, end);
    return Digits(images_.index_select(0, rows), digits_.index_select(0, rows));
  };
  return {part(test_count, count), part(0, test_count)};
}
