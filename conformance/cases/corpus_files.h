// corpus_files.h -- the files of the vectors, as bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ropeproof::conformance::cases {

// File name (relative to vectors/) -> bytes.
using Files = std::map<std::string, std::string>;

inline constexpr const char* kManifest = "MANIFEST.json";
inline constexpr const char* kLedger = "LEDGER.txt";
inline constexpr const char* kSchema = "schema.json";
inline constexpr const char* kCoverage = "coverage";  // a folder

// The largest side file that is read.
inline constexpr std::uintmax_t kMaxPayloadBytes = std::uintmax_t{64} << 20;

// The lines of difference between `files` and what lies in `directory`:
// missing, different and stray files. Empty if all is well.
std::vector<std::string> compare_corpus(const Files& files,
                                        const std::filesystem::path& directory);

// Writes all files, or none: each goes to a temporary name first.
void write_corpus(const Files& files, const std::filesystem::path& directory);

}  // namespace ropeproof::conformance::cases
