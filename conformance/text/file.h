// file.h -- files as bytes, and what is said of one that is no good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace ropeproof::conformance::text {

// A file that cannot be trusted: it cannot be read, is not strict JSON, or is
// not what its format, its digest or another file says. what() is one line:
// file, place, fault; what it quotes from the file may be shortened. Exit
// status 4.
struct FileError : std::runtime_error {
  explicit FileError(const std::string& message);
};

// Larger files of text are refused before they are read to the end. A JSON
// document takes about 20 times its size in memory.
inline constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{16} << 20;

// Reads a file. Throws FileError if it is not there or larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t max_bytes = kMaxFileBytes);

// Reads a file of any size. Returns nothing where it cannot be read.
std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace ropeproof::conformance::text
