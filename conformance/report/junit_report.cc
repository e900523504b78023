#include <sstream>

#include "conformance/plugin/words.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/markup.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::report {
namespace {

using text::escaped;

std::string message_of(const check::Check& check) {
  std::string text = check::verdict_word(check.verdict);
  if (!check.reason.empty()) text += ": " + check.reason;
  if (check.measurement && !check.measurement->pass()) {
    text += ": " + check.measurement->pattern;
  }
  return text;
}

// "failure", "error", "skipped"; null for a pass.
const char* element_of(check::Verdict verdict) {
  switch (verdict) {
    case check::Verdict::kPass:
      return nullptr;
    case check::Verdict::kFail:
      return "failure";
    case check::Verdict::kUnsupported:
    case check::Verdict::kDeclined:
    case check::Verdict::kXfail:
      return "skipped";
    default:
      return "error";
  }
}

void print_case(std::ostringstream& out, const std::string& group,
                const std::string& name, const char* element,
                const std::string& message, const std::string& text) {
  out << "  <testcase classname=\"" << escaped(group) << "\" name=\""
      << escaped(name) << "\"";
  if (element == nullptr) {
    out << "/>\n";
    return;
  }
  out << ">\n    <" << element << " message=\"" << escaped(message) << "\">"
      << escaped(text) << "</" << element << ">\n  </testcase>\n";
}

}  // namespace

std::string junit_report(const Report& report) {
  const Totals totals = total(report);
  std::int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  const auto count = [&](const std::string& element, std::int64_t by) {
    tests += by;
    if (element == "failure") failures += by;
    if (element == "error") errors += by;
    if (element == "skipped") skipped += by;
  };
  for (const auto& [verdict, by] : totals.count) {
    const char* element = element_of(verdict);
    count(element == nullptr ? "" : element, by);
  }
  count("failure", static_cast<std::int64_t>(totals.stale.size()));
  count("failure", static_cast<std::int64_t>(totals.expired.size()));
  count("failure", static_cast<std::int64_t>(totals.unasked.size()));
  if (!totals.weaker.empty()) count("failure", 1);

  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\""
      << escaped(report.kernel.name + " " + report.kernel.version)
      << "\" tests=\"" << tests << "\" failures=\"" << failures
      << "\" errors=\"" << errors << "\" skipped=\"" << skipped << "\">\n";
  if (report.seed != 0) {
    out << "  <properties>\n    <property name=\"seed\" value=\"" << report.seed
        << "\"/>\n  </properties>\n";
  }
  const std::string diagnoses = diagnoses_text(report.diagnoses, true);
  for (const check::Check& check : report.checks) {
    const std::string name =
        check.case_id + (check.aspect.empty() ? "" : " " + check.aspect);
    print_case(out, text::word(plugin::kOperationWords, check.operation), name,
               element_of(check.verdict), message_of(check),
               check::is_failure(check.verdict)
                   ? diagnoses + failure_text(report, check, true)
                   : "");
  }
  for (const AppliedWaiver* stale : totals.stale) {
    print_case(out, "waivers", stale->waiver.id, "failure",
               "XPASS: no check fails any more, remove the waiver", "");
  }
  for (const AppliedWaiver* expired : totals.expired) {
    print_case(out, "waivers", expired->waiver.id, "failure",
               "EXPIRED: ended on " + date_text(expired->waiver.expires) +
                   ", remove the waiver or move the date",
               "");
  }
  for (const std::string& cell : totals.unasked) {
    print_case(out, "not judged", cell, "failure",
               "declared, but too few judged cases touch it", "");
  }
  if (!totals.weaker.empty()) {
    print_case(out, "required", report.required, "failure",
               "there is " + totals.weaker, "");
  }
  if (!diagnoses.empty()) {
    out << "  <system-out>" << escaped(diagnoses) << "</system-out>\n";
  }
  out << "</testsuite>\n";
  return out.str();
}

}  // namespace ropeproof::conformance::report
