// test_corpus.h -- for tests: the committed vectors, loaded once per program.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "conformance/cases/corpus.h"

namespace ropeproof::conformance::cases {

inline const std::filesystem::path kVectors = ROPEPROOF_VECTORS_DIR;

inline const Corpus& committed() {
  static const Corpus kCorpus = load_corpus(kVectors);
  return kCorpus;
}

inline const Case& committed_case(const std::string& id) {
  for (const Group& group : committed().groups) {
    for (const Case& c : group.rope_cases) {
      if (c.id == id) return c;
    }
  }
  throw std::out_of_range("no case " + id);
}

}  // namespace ropeproof::conformance::cases
