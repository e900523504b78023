#include "conformance/report/apply.h"

#include <algorithm>

#include "conformance/text/wildcard.h"

namespace ropeproof::conformance::report {

std::vector<std::string> case_ids(const cases::Corpus& corpus) {
  std::vector<std::string> ids;
  for (const cases::Group& group : corpus.groups) {
    cases::for_each_case(group, [&](const auto& c) { ids.push_back(c.id); });
  }
  return ids;
}

bool applies(const Waiver& waiver, const Report& report) {
  return text::matches(waiver.engine, report.kernel.name) &&
         (waiver.version.empty() || waiver.version == report.kernel.version) &&
         (waiver.asked.empty() || text::matches(waiver.asked, report.asked));
}

const AppliedWaiver* covering(const std::vector<AppliedWaiver>& waivers,
                              const std::string& case_id) {
  for (const AppliedWaiver& applied : waivers) {
    if (!applied.is_expired && text::matches(applied.waiver.id, case_id)) {
      return &applied;
    }
  }
  return nullptr;
}

void apply_waivers(const Waivers& waivers, const std::vector<std::string>& ids,
                   const Date& today, Report& report) {
  for (const Waiver& waiver : waivers.entries) {
    if (!applies(waiver, report)) continue;
    const auto cases = std::count_if(
        ids.begin(), ids.end(),
        [&](const std::string& id) { return text::matches(waiver.id, id); });
    report.waivers.push_back({waiver, cases, is_expired(waiver, today)});
  }
  for (check::Check& check : report.checks) {
    if (check.verdict == check::Verdict::kFail &&
        covering(report.waivers, check.case_id) != nullptr) {
      check.verdict = check::Verdict::kXfail;
    }
  }
}

}  // namespace ropeproof::conformance::report
