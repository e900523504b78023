#include "conformance/cases/ledger.h"

#include <map>
#include <set>
#include <sstream>

#include "conformance/cases/encoding_case.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/hex.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

constexpr const char* kRetired = "retired: ";

LedgerEntry read_line(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  LedgerEntry entry;
  std::string rest;
  words >> entry.id >> entry.sha256 >> entry.since >> std::ws;
  std::getline(words, rest);
  const bool has_digest =
      entry.sha256.size() == 64 && text::is_hex(entry.sha256);
  const bool is_retired =
      rest.starts_with(kRetired) && rest.size() > std::string(kRetired).size();
  if (!has_digest || entry.since.empty() || (!rest.empty() && !is_retired)) {
    throw text::FileError(where +
                          ": expected id, SHA-256, version and perhaps "
                          "\"retired: reason\"");
  }
  if (is_retired) entry.retired = rest.substr(std::string(kRetired).size());
  return entry;
}

}  // namespace

Ledger read_ledger(const std::string& text, const std::string& file) {
  Ledger ledger;
  std::set<std::string> ids;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = file + ":" + std::to_string(number);
    ledger.push_back(read_line(line, where));
    if (!ids.insert(ledger.back().id).second) {
      throw text::FileError(where + ": id " + ledger.back().id +
                            " occurs twice");
    }
  }
  return ledger;
}

std::string write_ledger(const Ledger& ledger) {
  std::string text;
  for (const LedgerEntry& entry : ledger) {
    text += entry.id + "  " + entry.sha256 + "  " + entry.since;
    if (!entry.retired.empty()) text += "  " + (kRetired + entry.retired);
    text += "\n";
  }
  return text;
}

Ledger extended(Ledger ledger, std::span<const Group> groups,
                std::span<const EncodingCase> encodings,
                const std::string& version) {
  std::map<std::string, LedgerEntry> known;
  for (const LedgerEntry& entry : ledger) known[entry.id] = entry;
  std::set<std::string> present;
  const auto add = [&](const auto& c) {
    const std::string digest = text::sha256(content_of(c));
    present.insert(c.id);
    const auto found = known.find(c.id);
    if (found == known.end()) {
      ledger.push_back({c.id, digest, version, {}});
    } else if (!found->second.retired.empty()) {
      throw text::FileError("case " + c.id +
                            ": the ledger says that this id is retired; give "
                            "the case a new one");
    } else if (found->second.sha256 != digest) {
      throw text::FileError("case " + c.id +
                            ": differs from what the ledger says was committed "
                            "under this id; give the changed case a new one");
    }
  };
  for (const Group& group : groups) for_each_case(group, add);
  for (const EncodingCase& c : encodings) add(c);
  for (const auto& [id, entry] : known) {
    if (entry.retired.empty() && !present.contains(id)) {
      throw text::FileError(
          "case " + id +
          ": is in the ledger but is no longer generated; write "
          "\"retired: reason\" behind its line in LEDGER.txt, "
          "or bring it back");
    }
  }
  return ledger;
}

}  // namespace ropeproof::conformance::cases
