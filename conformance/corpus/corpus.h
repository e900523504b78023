// corpus.h -- the committed vectors: generating, checking and loading them.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_CORPUS_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_CORPUS_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "conformance/corpus/case.h"
#include "conformance/corpus/strict_json.h"
#include "reference/golden.h"

namespace ropeproof::conformance {

// File name (relative to vectors/) -> bytes.
using Files = std::map<std::string, std::string>;

// Everything that `ropeproof generate` writes, MANIFEST.json included. A
// function of this program and of vectors/sources alone. Throws VectorError for
// a bad source, and what reference/golden.h throws.
Files generate_corpus(const std::filesystem::path& directory,
                      reference::Oracle oracle, const std::string& version);

// The lines of difference between `files` and what lies in `directory`:
// missing, different and stray files. Empty if all is well.
std::vector<std::string> compare_corpus(const Files& files,
                                        const std::filesystem::path& directory);

// Writes all files, or none: each goes to a temporary name first.
void write_corpus(const Files& files, const std::filesystem::path& directory);

struct Corpus {
  std::string version;          // of the generator
  std::string manifest_sha256;  // identifies the whole corpus
  std::vector<Group> groups;
};

// Reads what MANIFEST.json lists and checks every digest. Throws VectorError.
Corpus load_corpus(const std::filesystem::path& directory);

// Lower-case hex.
std::string sha256(const std::string& bytes);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_CORPUS_H_
