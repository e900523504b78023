#include "conformance/text/file.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "conformance/text/one_line.h"

namespace ropeproof::conformance::text {

FileError::FileError(const std::string& message)
    : std::runtime_error(one_line(message)) {}

std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t max_bytes) {
  // A pipe has no size: "<(...)" is a file, too.
  std::ifstream stream(path, std::ios::binary);
  if (!stream.is_open()) {
    throw FileError(path.string() +
                    ": cannot be read: " + std::strerror(errno));
  }
  std::string bytes;
  char block[1 << 14];
  while (stream.read(block, sizeof block), stream.gcount() > 0) {
    bytes.append(block, static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > max_bytes) {
      throw FileError(path.string() + ": larger than " +
                      std::to_string(max_bytes >> 20) + " MiB");
    }
  }
  if (stream.bad()) throw FileError(path.string() + ": cannot be read");
  return bytes;
}

std::optional<std::string> read_whole(const std::filesystem::path& path) {
  try {
    return read_file(path, UINTMAX_MAX);
  } catch (const FileError&) {
    return std::nullopt;
  }
}

}  // namespace ropeproof::conformance::text
