// ledger.h -- every case that was ever committed, and that it never changed.
//
// One line per case, append-only; a case that is withdrawn keeps its line:
//
//     id  sha256-of-its-content  since-version  [retired: reason]
//
// The content is what a kernel is given and what it is expected to answer
// (content_of); words about it may improve.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

struct EncodingCase;

struct LedgerEntry {
  std::string id, sha256, since;
  std::string retired;  // why; empty for a case that is there
};
using Ledger = std::vector<LedgerEntry>;

// Throws FileError naming `file` and the line: no entry, or an id that occurs
// twice.
Ledger read_ledger(const std::string& text, const std::string& file);
std::string write_ledger(const Ledger& ledger);

// The ledger after the cases were committed: new ones appended, `since`
// `version`. Throws FileError, naming the case, if one is not what it was,
// vanished without being retired, or came back under a retired id.
Ledger extended(Ledger ledger, std::span<const Group> groups,
                std::span<const EncodingCase> encodings,
                const std::string& version);

}  // namespace ropeproof::conformance::cases
