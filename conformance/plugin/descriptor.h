// descriptor.h -- a file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace ropeproof::conformance::plugin {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Throws KernelError, which says that `what` failed, and why as errno has it.
[[noreturn]] void fail_to_start(const char* what);

// Returns a descriptor beyond standard input, output and error that exec
// closes, in place of `fd`. Throws KernelError.
Descriptor own(int fd);

// Returns the runner's end and the other one of two connected stream sockets.
// Throws KernelError.
std::pair<Descriptor, Descriptor> socket_pair();

}  // namespace ropeproof::conformance::plugin
