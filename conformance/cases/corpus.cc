#include "conformance/cases/corpus.h"

#include <algorithm>
#include <set>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/families/families.h"
#include "conformance/cases/ledger.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/smoke_text.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kTargetsFile = "targets.json";
constexpr const char* kEncodings = "encodings.json";
constexpr const char* kManifestFormat = "ropeproof-manifest/1";

Json file_entry(const std::string& name, const std::string& bytes) {
  return {
      {"file", name}, {"bytes", bytes.size()}, {"sha256", text::sha256(bytes)}};
}

// The file that an entry of the manifest describes, digest checked.
std::string load_file(const fs::path& directory, text::StrictObject& entry,
                      std::uintmax_t max_bytes = text::kMaxFileBytes) {
  const std::string name = entry.text("file");
  const fs::path file(name);
  const bool is_here = file.filename().string() == name;
  if (!is_here && file != fs::path(kCoverage) / file.filename()) {
    entry.fail("file", "expected a name without a folder, or of coverage/");
  }
  const std::string path = (directory / name).string();
  std::string bytes = text::read_file(directory / name, max_bytes);
  if (text::sha256(bytes) != entry.text("sha256")) {
    throw text::FileError(path +
                          ": SHA-256 differs from MANIFEST.json; restore the "
                          "file, or run `ropeproof generate`");
  }
  if (entry.integer("bytes", 0, static_cast<std::int64_t>(max_bytes)) !=
      static_cast<std::int64_t>(bytes.size())) {
    entry.fail("bytes", "differs from the file's");
  }
  return bytes;
}

Group load_group(const fs::path& directory, text::StrictObject& entry) {
  const std::string text = load_file(directory, entry);
  std::string payload;
  if (const nlohmann::json* node = entry.find("payload")) {
    text::StrictObject side(*node, entry.at("payload"));
    payload = load_file(directory, side, kMaxPayloadBytes);
    side.finish();
  }
  Group group = read_group(text, std::as_bytes(std::span(payload)),
                           (directory / entry.text("file")).string());
  entry.integer("precision_bits", 0, 1 << 16);
  if (group.tier != entry.word("tier", kTierWords)) {
    entry.fail("tier", "differs from the file's");
  }
  std::int64_t count = 0;
  for_each_case(group, [&](const auto&) { ++count; });
  if (count != entry.integer("cases", 0, 1 << 30)) {
    entry.fail("cases", "differs from the file's");
  }
  entry.finish();
  return group;
}

// What reject and sequence cases refer to is there.
void check_references(const Corpus& corpus, const fs::path& directory) {
  std::set<std::string> rope;
  for (const Group& group : corpus.groups) {
    for (const Case& c : group.rope_cases) rope.insert(c.id);
  }
  for (const Group& group : corpus.groups) {
    const auto check = [&](const std::string& id, const char* key,
                           const std::string& of) {
      if (rope.contains(of)) return;
      throw text::FileError((directory / (group.name + ".json")).string() +
                            ": " + id + "." + key + ": \"" + of +
                            "\" is no rope case of these vectors");
    };
    for (const RejectCase& c : group.reject_cases) check(c.id, "of", c.of);
    for (const SequenceCase& c : group.sequence_cases) {
      for (const std::string& call : c.calls) check(c.id, "calls", call);
    }
  }
}

// The precision that a group's hardest number took.
int most_precision_bits(const Group& group) {
  int bits = 0;
  for (const Case& c : group.rope_cases) {
    bits = std::max(bits, c.golden.precision_bits);
  }
  return bits;
}

}  // namespace

Files corpus_files(std::vector<Group>& groups, reference::Oracle oracle,
                   const std::string& version, const Ledger& ledger,
                   const std::vector<EncodingCase>& encodings,
                   const Files& coverage) {
  prove(oracle, groups);
  Files files;
  files[kLedger] = write_ledger(extended(ledger, groups, encodings, version));
  files[kSmokeText] = smoke_text(groups);
  Json entries = Json::array();
  std::string all_ids;
  std::size_t cases = 0;
  for (const Group& group : groups) {
    const std::string name = group.name + ".json";
    GroupFiles written = write_group(group);
    std::size_t count = 0;
    for_each_case(group, [&](const auto& c) {
      all_ids += c.id + "\n";
      ++count;
    });
    cases += count;
    Json entry = {{"file", name},
                  {"tier", text::word(kTierWords, group.tier)},
                  {"cases", count},
                  {"bytes", written.json.size()},
                  {"precision_bits", most_precision_bits(group)},
                  {"sha256", text::sha256(written.json)}};
    if (group.is_bulk) {
      entry["payload"] = file_entry(payload_name(group.name), written.payload);
      files[payload_name(group.name)] = std::move(written.payload);
    }
    entries.push_back(std::move(entry));
    files[name] = std::move(written.json);
  }
  files[kTargetsFile] = write_targets();
  std::vector<std::string> names = {kLedger, kSmokeText, kTargetsFile};
  if (!encodings.empty()) {
    files[kEncodings] = write_encodings(encodings);
    names.push_back(kEncodings);
  }
  Json texts = Json::array();
  for (const std::string& name : names) {
    texts.push_back(file_entry(name, files[name]));
  }
  for (const auto& [name, bytes] : coverage) {
    texts.push_back(file_entry(name, bytes));
  }
  const Json manifest = {{"format", kManifestFormat},
                         {"generator_version", version},
                         {"command", "ropeproof generate"},
                         {"oracle", oracle == reference::Oracle::kMpfi
                                        ? "MPFI enclosures: certified"
                                        : "cpp_bin_float: uncertified"},
                         {"cases", cases},
                         {"ids_sha256", text::sha256(all_ids)},
                         {"files", entries},
                         {"texts", texts}};
  files[kManifest] = manifest.dump(1) + "\n";
  return files;
}

Corpus load_corpus(const fs::path& directory) {
  const std::string manifest_path = (directory / kManifest).string();
  const std::string text = text::read_file(directory / kManifest);
  const nlohmann::json document = text::parse_json(text, manifest_path);
  text::StrictObject manifest(document, manifest_path);
  manifest.expect("format", kManifestFormat);
  Corpus corpus;
  corpus.version = manifest.text("generator_version");
  corpus.manifest_sha256 = text::sha256(text);
  manifest.text("command");
  manifest.text("oracle");
  const std::int64_t cases = manifest.integer("cases", 0, 1 << 30);
  const std::string ids_digest = manifest.text("ids_sha256");
  std::set<std::string> seen;
  std::string all_ids;
  for (const nlohmann::json& node : manifest.array("files")) {
    text::StrictObject entry(node, manifest_path + ".files");
    Group group = load_group(directory, entry);
    for_each_case(group, [&](const auto& c) {
      all_ids += c.id + "\n";
      if (!seen.insert(c.id).second) {
        entry.fail("file", "case id " + c.id + " occurs twice");
      }
    });
    corpus.groups.push_back(std::move(group));
  }
  for (const nlohmann::json& node : manifest.array("texts")) {
    text::StrictObject entry(node, manifest_path + ".texts");
    load_file(directory, entry);
    entry.finish();
  }
  manifest.finish();
  if (static_cast<std::int64_t>(seen.size()) != cases ||
      text::sha256(all_ids) != ids_digest) {
    manifest.fail("cases", "the case ids differ from the manifest's");
  }
  check_references(corpus, directory);
  return corpus;
}

void add_full_tier(Corpus& corpus, reference::Oracle oracle,
                   const std::vector<std::string>& only) {
  for (const Group& group : corpus.groups) {
    if (group.tier == Tier::kFull) return;
  }
  std::vector<Group> groups = full_families();
  for (Group& group : groups) {
    std::erase_if(group.rope_cases, [&](const Case& c) {
      return !only.empty() && std::ranges::find(only, c.id) == only.end();
    });
  }
  prove(oracle, groups);
  for (Group& group : groups) corpus.groups.push_back(std::move(group));
}

}  // namespace ropeproof::conformance::cases
