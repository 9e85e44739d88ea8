/// @file
/// Gloo as far as LibTorch's ProcessGroupGloo.hpp names it, for machines without Gloo's headers: LibTorch contains Gloo
/// but doesn't ship them. We only pass pointers along, so nothing here may be called, constructed or derived from in
/// our own sources; what LibTorch's inline code does with them is checked by the compiler and never runs here.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace rendezvous {

class Store {
 public:
  /// Not in Gloo and never defined: making a Store against these declarations must not link.
  struct OnlyDeclared;
  Store(const OnlyDeclared* = nullptr);
  virtual ~Store();
  virtual void set(const std::string& key, const std::vector<char>& value) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) = 0;
};

}  // namespace rendezvous

namespace transport {

class Device;

class UnboundBuffer {
 public:
  virtual ~UnboundBuffer();
};

}  // namespace transport
}  // namespace gloo
