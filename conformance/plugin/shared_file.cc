#include "conformance/plugin/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {
namespace {

[[noreturn]] void fail() {
  throw KernelError(std::string("the shared file: ") + std::strerror(errno));
}

}  // namespace

bool SharedFile::is_available() {
#if defined(__linux__)
  return true;
#else
  return false;
#endif
}

SharedFile::~SharedFile() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void SharedFile::resize(std::size_t bytes) {
  if (bytes <= bytes_) return;
#if defined(__linux__)
  if (file_.get() < 0) {
    file_ =
        Descriptor(memfd_create("ropeproof", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file_.get() < 0) fail();
    if (fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) fail();
  }
#endif
  if (ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail();
  if (data_ != nullptr) munmap(std::exchange(data_, nullptr), bytes_);
  bytes_ = 0;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) fail();
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

std::string SharedFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(file_.get());
}

}  // namespace ropeproof::conformance::plugin
