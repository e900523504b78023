#include "conformance/weights/input_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "conformance/text/one_line.h"

namespace ropeproof::conformance::weights {

CheckpointError::CheckpointError(const std::string& message)
    : std::invalid_argument(text::one_line(message)) {}

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat file {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &file) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail(std::string("cannot be read: ") + ::strerror(error));
  }
  if (!S_ISREG(file.st_mode)) {
    ::close(descriptor_);
    fail("is no regular file; name a checkpoint on a disk");
  }
  size_ = static_cast<std::uint64_t>(file.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pread(descriptor_, bytes.data(), bytes.size(),
                              static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(std::string("cannot be read: ") + ::strerror(errno));
    if (n == 0) {
      fail("ends at byte " + std::to_string(offset) +
           ", amid what it announces; copy or download it again");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

std::string InputFile::read_text(std::uint64_t offset,
                                 std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset) {
    fail("ends at byte " + std::to_string(size_) +
         ", amid its header; copy or download it again");
  }
  std::string result(size, '\0');
  read(offset, std::as_writable_bytes(std::span(result)));
  return result;
}

void InputFile::fail(const std::string& fault) const {
  throw CheckpointError(path_.string() + ": " + fault);
}

}  // namespace ropeproof::conformance::weights
