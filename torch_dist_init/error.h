/// @file
/// The errors that torch_dist_init throws. All derive from Error; a message says what was expected, what was found, in
/// which variable or argument, and what to do next.
#pragma once

#include <torch_dist_init/export.h>

#include <stdexcept>

namespace torch_dist_init {

/// The base of all errors of this library.
class TORCH_DIST_INIT_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;

  /// The name of the class, for example "LaunchError": what a program prints in front of what().
  virtual const char* type() const noexcept = 0;
};

/// Thrown when an argument has the wrong type or an unknown name, as Python's TypeError.
class TORCH_DIST_INIT_API TypeError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

/// Thrown when an argument has the right type and a value that can't be used, as Python's ValueError.
class TORCH_DIST_INIT_API ValueError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

/// Thrown when what the launcher left in the environment is incomplete, malformed or contradictory.
class TORCH_DIST_INIT_API LaunchError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

/// Thrown when the ranks can't meet: a busy port, a name that doesn't resolve, a rank that is there twice.
class TORCH_DIST_INIT_API RendezvousError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

/// Thrown when the timeout passed before all ranks had met; names the ranks that are missing.
class TORCH_DIST_INIT_API TimeoutError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

/// Thrown when a backend is unknown, not in this LibTorch, or can't be constructed.
class TORCH_DIST_INIT_API BackendError : public Error {
 public:
  using Error::Error;
  const char* type() const noexcept override;
};

}  // namespace torch_dist_init
