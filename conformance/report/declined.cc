#include "conformance/report/declined.h"

#include <set>

#include "conformance/explain/in_common.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

constexpr std::size_t kMostIds = 3;
// More conditions than these are no rule.
constexpr std::size_t kMostConditions = 5;

std::string ids_text(const std::set<std::string>& ids) {
  std::string text = "no simple condition parts them from the others: ";
  std::size_t shown = 0;
  for (const std::string& id : ids) {
    if (shown++ == kMostIds) return text + " ...";
    text += (shown == 1 ? "" : ", ") + id;
  }
  return text;
}

}  // namespace

std::vector<DeclinedCases> declined_cases(const check::Run& run) {
  std::vector<check::Facts> declined, judged;
  std::vector<std::string> ids;
  for (const check::Check& check : run.checks) {
    const auto facts = run.facts.find(check.case_id);
    if (!check.is_of_values() || facts == run.facts.end() ||
        check.verdict == check::Verdict::kUnsupported) {
      continue;
    }
    const bool is_declined = check.verdict == check::Verdict::kDeclined;
    auto& list = is_declined ? declined : judged;
    list.push_back(facts->second);
    list.back()["operation"] =
        text::word(plugin::kOperationWords, check.operation);
    if (is_declined) ids.push_back(check.case_id);
  }
  std::vector<DeclinedCases> all;
  std::vector<explain::Condition> conditions =
      explain::in_common(declined, judged);
  while (conditions.size() > kMostConditions) {
    explain::Condition& last = conditions[kMostConditions - 1];
    const auto& more = conditions.back().members;
    last.terms.clear();
    last.members.insert(last.members.end(), more.begin(), more.end());
    conditions.pop_back();
  }
  for (const explain::Condition& condition : conditions) {
    std::set<std::string> cases;
    for (const std::size_t i : condition.members) cases.insert(ids[i]);
    all.push_back({std::ssize(cases), condition.terms.empty()
                                          ? ids_text(cases)
                                          : condition.words()});
  }
  return all;
}

}  // namespace ropeproof::conformance::report
