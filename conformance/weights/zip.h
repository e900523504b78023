// zip.h -- files that lie in a ZIP archive as they are, as torch.save and
// numpy.savez write them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "conformance/weights/input_file.h"

namespace ropeproof::conformance::weights {

// Reads bytes of a header forwards; refuses what is not there.
class ByteReader {
 public:
  ByteReader(const InputFile& file, std::string_view bytes)
      : file_(file), bytes_(bytes) {}

  std::uint64_t position() const { return at_; }
  bool is_at_end() const { return at_ == bytes_.size(); }
  const InputFile& file() const { return file_; }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
      file_.fail("ends amid its header; copy or download it again");
    }
    const std::string_view taken = bytes_.substr(at_, size);
    at_ += size;
    return taken;
  }
  // An unsigned number of 1 to 8 bytes, little-endian.
  std::uint64_t number(std::uint64_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }
  // What stands before `end`, which is skipped.
  std::string_view until(char end) {
    const std::size_t found = bytes_.find(end, at_);
    const std::string_view taken =
        take(std::min(found, bytes_.size()) - at_ + 1);
    return taken.substr(0, taken.size() - 1);
  }

 private:
  const InputFile& file_;
  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

// Bytes of a file.
struct Extent {
  std::uint64_t offset = 0, bytes = 0;
};

// Returns the archive's files by their names. Throws CheckpointError where one
// is compressed, encrypted or cut off, or a name occurs twice.
std::map<std::string, Extent> read_zip(const InputFile& file);

}  // namespace ropeproof::conformance::weights
