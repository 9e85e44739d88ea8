/// @file
/// The UCI handwritten digits: 1,797 images of 8x8 pixels.
#pragma once

#include <torch/data.h>

#include <string>

/// Images of handwritten digits. An example holds the image, float [1, 8, 8] from 0 to 1, and the digit, int64 [].
class Digits : public torch::data::datasets::Dataset<Digits> {
 public:
  /// Reads a file of lines of 65 whole numbers: 64 pixels from 0 to 16, row by row, and the digit.
  /// @throws std::runtime_error with path and line if the file can't be read or a line is malformed.
  explicit Digits(const std::string& path);

  /// Images float [n, 1, 8, 8] and digits int64 [n].
  Digits(torch::Tensor images, torch::Tensor digits);

  torch::data::Example<> get(std::size_t index) override;
  torch::optional<std::size_t> size() const override;

  /// Splits at random, by a fixed seed, into a part for training and `held_out` of all, which is from 0 to 1.
  std::pair<Digits, Digits> split(double held_out) const;

  const torch::Tensor& images() const { return images_; }
  const torch::Tensor& digits() const { return digits_; }

 private:
  torch::Tensor images_;
  torch::Tensor digits_;
};
