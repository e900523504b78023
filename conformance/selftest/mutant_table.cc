// What becomes of each mutant, as a page.
#include <algorithm>

#include "conformance/selftest/naming.h"
#include "conformance/selftest/selftest.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::selftest {
namespace {

std::string of_all(const Tally& tally) {
  return text::part_of(tally.right, tally.all);
}

// Without a meaning in a table of Markdown.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

std::string name_text(const explain::Diagnosis& d) {
  std::string text = d.what.empty() ? "no known bug" : d.what;
  if (!d.aliases.empty()) {
    text += ", or " + std::to_string(d.aliases.size()) + " more";
  }
  if (d.where.kind == explain::Place::Kind::kNoSimpleRule) {
    return text + ", by no simple rule";
  }
  return d.where.rule.empty() ? text : text + ", where " + d.where.word();
}

std::string given_name(const MutantRow& row) {
  if (!row.found) return "not asked";
  const auto right = std::ranges::find_if(
      *row.found, [&](const auto& d) { return names({d}, row.bug); });
  if (right != row.found->end()) return plain(name_text(*right));
  return "**" +
         (row.found->empty() ? "nothing"
                             : plain(name_text(row.found->front()))) +
         "**";
}

}  // namespace

std::string score_text(const SelftestReport& report) {
  return of_all(report.mutants) + " mutants killed, " + of_all(report.named) +
         " that are no hypothesis named, " + of_all(report.named_themselves) +
         " that are one, " + std::to_string(report.false_names) +
         " false names";
}

std::string mutant_table(const SelftestReport& report) {
  std::string text =
      "# Mutants\n\n"
      "Kernels with one bug each, which the suite must fail "
      "([mutants.h](mutants.h)): the smallest tier that kills each,\n"
      "and the name that a diagnosis gives it. "
      "`ropeproof selftest --table FILE` writes this page.\n\n" +
      score_text(report) +
      ".\n\n| mutant | class | killed by | named |\n|---|---|---|---|\n";
  for (const MutantRow& row : report.rows) {
    text += "| " + plain(row.name) + " | " + row.bug.key() + " | " +
            row.killed_by + " | " + given_name(row) + " |\n";
  }
  return text;
}

}  // namespace ropeproof::conformance::selftest
