#include "conformance/text/file.h"

#include <system_error>
#include <utility>

#include "conformance/text/one_line.h"
#include "conformance/text/read_whole.h"

namespace ropeproof::conformance::text {

FileError::FileError(const std::string& message)
    : std::runtime_error(one_line(message)) {}

std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t max_bytes) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    throw FileError(path.string() + ": cannot be read: " + error.message());
  }
  if (size > max_bytes) {
    throw FileError(path.string() + ": larger than " +
                    std::to_string(max_bytes >> 20) + " MiB");
  }
  auto bytes = read_whole(path);
  if (!bytes) throw FileError(path.string() + ": cannot be read");
  return *std::move(bytes);
}

}  // namespace ropeproof::conformance::text
