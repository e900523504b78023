#include "conformance/report/diagnoses_text.h"

#include <algorithm>

#include "conformance/cases/bug_class.h"
#include "conformance/explain/equation.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::report {
namespace {

std::string what_text(const explain::Diagnosis& d) {
  if (d.what.empty()) return "no known bug gives these numbers";
  std::string text = d.what;
  // More are told as a family.
  constexpr std::size_t kMostAliases = 2;
  if (d.aliases.size() > kMostAliases) {
    text += ", or another of " + std::to_string(d.aliases.size() + 1) +
            " that fit as well (" + std::string(d.bug.meaning()) + ")";
  } else {
    for (const std::string& alias : d.aliases) text += ", or " + alias;
  }
  // Of 0 there is nothing to say: it is so to the bit.
  if (!d.residual || *d.residual == 0) return text;
  text += "; off by " + ratio_text(*d.residual) + " of the bound";
  // One that is off by less explains fewer: that tells nothing.
  if (!d.next.empty() && d.next_residual > *d.residual) {
    text +=
        ", the next best (" + d.next + ") by " + ratio_text(d.next_residual);
  }
  return text;
}

// has_others: whether the report has wrong answers, too.
std::string where_text(const explain::Diagnosis& d, bool has_others) {
  const char* const kind = d.residual   ? " wrong answer"
                           : has_others ? " other failing check"
                                        : " failing check";
  const std::string count =
      d.tried == 1
          ? ""  // no share
          : text::part_of(d.checks, d.tried) + kind + "s" +
                (d.residual ? " tried" : "");  // of many, the small ones
  const auto with = [&](const std::string& mark, const std::string& place) {
    return count.empty() ? place : count + mark + place;
  };
  switch (d.where.kind) {
    case explain::Place::Kind::kNoSimpleRule:
      return with(", ", "by no simple rule");
    case explain::Place::Kind::kRule:
      return with("; ", "exactly where " + d.where.rule);
    case explain::Place::Kind::kWithin:
      return with("; ", "only where " + d.where.rule + ", in part");
    case explain::Place::Kind::kEverywhere:
      return d.what.empty() || d.tried == 1
                 ? count
                 : with("; ", "wherever it can show");
  }
  return count;
}

std::string why_text(const explain::Diagnosis& d, bool has_details) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (d.equation != 0) {
    add("(R" + std::to_string(d.equation) + ") " +
        std::string(explain::equation(d.equation).text));
  }
  add(d.advice);
  if (has_details) add(d.bug.link());
  return text;
}

}  // namespace

std::vector<DiagnosisWords> diagnosis_words(
    const std::vector<explain::Diagnosis>& diagnoses, bool has_details) {
  const bool has_wrong = std::ranges::any_of(
      diagnoses, [](const auto& d) { return d.residual.has_value(); });
  std::vector<DiagnosisWords> all;
  for (const explain::Diagnosis& d : diagnoses) {
    all.push_back(
        {what_text(d), where_text(d, has_wrong), why_text(d, has_details)});
  }
  return all;
}

std::string diagnoses_text(const std::vector<explain::Diagnosis>& diagnoses,
                           bool has_details) {
  std::string text;
  for (const auto& [what, where, why] :
       diagnosis_words(diagnoses, has_details)) {
    text += paragraph("what", what);
    if (!where.empty()) text += paragraph("where", where);
    if (!why.empty()) text += paragraph("why", why);
    text += "\n";
  }
  return text;
}

}  // namespace ropeproof::conformance::report
