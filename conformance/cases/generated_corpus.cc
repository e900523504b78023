// How the committed vectors are made.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cases/corpus_files.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/families/families.h"
#include "conformance/cases/ledger.h"
#include "conformance/cases/spec_json.h"
#include "conformance/text/file.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cases {
namespace {

namespace fs = std::filesystem;

// What kernels are asked beside the committed cases: a manifest says which.
Files coverage_files(const fs::path& directory) {
  Files files;
  if (!fs::exists(directory / kCoverage)) return files;
  for (const char* name : {"digests.txt", "model.json", "pairs.txt",
                           "shapes.json", "triples.txt"}) {
    const fs::path path = fs::path(kCoverage) / name;
    files[path.string()] = text::read_file(directory / path);
  }
  return files;
}

}  // namespace

void prove(reference::Oracle oracle, EncodingCase& c) {
  c.values.clear();
  c.precision_bits = 0;
  for (const reference::Golden& golden :
       reference::encodings::golden_encoding(oracle, c.encoding, c.positions)) {
    c.values.push_back(golden.bits);
    c.precision_bits = std::max(c.precision_bits, golden.precision_bits);
  }
}

Files generate_corpus(const fs::path& directory, reference::Oracle oracle,
                      const std::string& version, Tier tier) {
  const fs::path source = directory / "sources" / "worked_example.json";
  std::vector<Group> groups = smoke_families();
  groups.push_back(worked_example(text::read_file(source), source.string()));
  for (Group& group : core_families()) groups.push_back(std::move(group));
  const fs::path hard = directory / "sources" / "hard_to_round.json";
  groups.push_back(core_hard(text::read_file(hard), hard.string()));
  if (tier == Tier::kFull) {
    for (Group& group : full_families()) groups.push_back(std::move(group));
  }
  const fs::path table = directory / "sources" / "sinusoidal_table.json";
  const fs::path ledger = directory / kLedger;
  if (!fs::exists(ledger) && fs::exists(directory / kManifest)) {
    throw text::FileError(
        ledger.string() +
        ": missing beside a manifest; restore it, it says which "
        "expectations may not change");
  }
  std::vector<EncodingCase> encodings =
      encoding_cases(text::read_file(table), table.string());
  for (EncodingCase& c : encodings) prove(oracle, c);
  Files files = corpus_files(
      groups, oracle, version,
      fs::exists(ledger) ? read_ledger(text::read_file(ledger), ledger.string())
                         : Ledger{},
      encodings, coverage_files(directory));
  const std::string schema = (directory / kSchema).string();
  files[kSchema] = with_scalings(text::read_file(schema), schema);
  return files;
}

}  // namespace ropeproof::conformance::cases
