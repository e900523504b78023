// input_file.h -- a large file, read in places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

namespace ropeproof::conformance::weights {

// A checkpoint that cannot be read, or means nothing. what() is one line: the
// file, the fault, what to do. Exit status 2.
struct CheckpointError : std::invalid_argument {
  explicit CheckpointError(const std::string& message);
};

class InputFile {
 public:
  // Throws CheckpointError if it is no regular file that can be read.
  explicit InputFile(const std::filesystem::path& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  // Reads all of `bytes` from `offset` on. Throws CheckpointError where the
  // file ends before, or changed since it was opened.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::string read_text(std::uint64_t offset, std::uint64_t size) const;

  [[noreturn]] void fail(const std::string& fault) const;
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace ropeproof::conformance::weights
