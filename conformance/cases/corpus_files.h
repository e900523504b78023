// corpus_files.h -- the files of the vectors, as bytes.
#ifndef ROPEPROOF_CONFORMANCE_CASES_CORPUS_FILES_H_
#define ROPEPROOF_CONFORMANCE_CASES_CORPUS_FILES_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ropeproof::conformance::cases {

// File name (relative to vectors/) -> bytes.
using Files = std::map<std::string, std::string>;

// Larger files are refused before they are read. A JSON document takes about
// 20 times its size in memory.
inline constexpr std::uintmax_t kMaxTextBytes = std::uintmax_t{16} << 20;
inline constexpr std::uintmax_t kMaxPayloadBytes = std::uintmax_t{64} << 20;

// Throws VectorError: no such file, or larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t max_bytes = kMaxTextBytes);

// The lines of difference between `files` and what lies in `directory`:
// missing, different and stray files. Empty if all is well.
std::vector<std::string> compare_corpus(const Files& files,
                                        const std::filesystem::path& directory);

// Writes all files, or none: each goes to a temporary name first.
void write_corpus(const Files& files, const std::filesystem::path& directory);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_CORPUS_FILES_H_
