// corpus.h -- the committed vectors: generating, checking and loading them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cases/corpus_files.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/ledger.h"
#include "conformance/text/strict_json.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cases {

// Everything that `ropeproof generate` writes: the groups of the core tier, or
// of it and the full one, MANIFEST.json, LEDGER.txt, smoke.txt and
// targets.json. A function of this program, of `directory`/sources and of the
// ledger there; the manifest names the files of `directory`/coverage, too.
// Throws FileError for a bad source, for a case that the ledger refuses, and
// what reference/golden.h throws.
Files generate_corpus(const std::filesystem::path& directory,
                      reference::Oracle oracle, const std::string& version,
                      Tier tier = Tier::kCore);

// The files of any groups, which it proves, and of encodings that are proved.
// `ledger` has the cases that were committed before; `coverage` is named in the
// manifest, too. Throws FileError for a case that the ledger refuses.
Files corpus_files(std::vector<Group>& groups, reference::Oracle oracle,
                   const std::string& version, const Ledger& ledger = {},
                   const std::vector<EncodingCase>& encodings = {},
                   const Files& coverage = {});

struct Corpus {
  std::string version;          // of the generator
  std::string manifest_sha256;  // identifies the whole corpus
  std::vector<Group> groups;
};

// Reads what MANIFEST.json lists, checks every digest and that reject and
// sequence cases refer to cases that are there. Throws FileError.
Corpus load_corpus(const std::filesystem::path& directory);

// Adds the full tier to a corpus without it, proved here and now; with `only`,
// no more than the cases of these ids. Some ten seconds of work for all.
void add_full_tier(Corpus& corpus, reference::Oracle oracle,
                   const std::vector<std::string>& only);

}  // namespace ropeproof::conformance::cases
