#include "conformance/kernels/shared_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conformance/kernels/kernel.h"

namespace ropeproof::conformance {
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

void SharedFile::resize(std::size_t bytes) {
#if defined(__linux__)
  if (file_.get() < 0) {
    file_ = Descriptor(memfd_create("ropeproof", MFD_CLOEXEC));
    if (file_.get() < 0) fail();
  }
#endif
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail();
  const auto wanted = static_cast<off_t>(bytes);
  if (status.st_size < wanted && ftruncate(file_.get(), wanted) != 0) fail();
}

void SharedFile::write(const std::string& bytes, std::size_t offset) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = pwrite(file_.get(), bytes.data() + at, bytes.size() - at,
                             static_cast<off_t>(offset + at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail();
    at += static_cast<std::size_t>(n);
  }
}

bool SharedFile::read(std::string& bytes, std::size_t offset) const {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = pread(file_.get(), bytes.data() + at, bytes.size() - at,
                            static_cast<off_t>(offset + at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

std::string SharedFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(file_.get());
}

}  // namespace ropeproof::conformance
