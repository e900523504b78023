#include <map>
#include <sstream>
#include <string>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/markup.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using text::escaped;

std::string message_of(const check::Check& check) {
  std::string text = text::word(check.verdict);
  if (!check.reason.empty()) text += ": " + check.reason;
  if (!check.account.pattern.empty()) text += ": " + check.account.pattern;
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

// The testcases, and how many of them have which element.
struct Testcases {
  std::string xml;
  std::int64_t all = 0;
  std::map<std::string, std::int64_t> with;

  // Without an element it is a pass.
  void add(const std::string& group, const std::string& name,
           const char* element, const std::string& message,
           const std::string& text = "") {
    ++all;
    xml += "  <testcase classname=\"" + escaped(group) + "\" name=\"" +
           escaped(name) + "\"";
    if (element == nullptr) {
      xml += "/>\n";
      return;
    }
    ++with[element];
    xml += ">\n    <" + std::string(element) + " message=\"" +
           escaped(message) + "\">" + escaped(text) + "</" + element +
           ">\n  </testcase>\n";
  }
};

}  // namespace

std::string junit_report(const Report& report) {
  const Totals totals = total(report);
  const std::string diagnoses = diagnoses_text(report.diagnoses, true);
  Testcases tests;
  for (const check::Check& check : report.checks) {
    const std::string name = check.case_id + (check.is_of_values() ? "" : " ") +
                             text::word(check.aspect);
    tests.add(text::word(plugin::kOperationWords, check.operation), name,
              element_of(check.verdict), message_of(check),
              check::is_failure(check.verdict)
                  ? diagnoses + failure_text(report, check, true)
                  : "");
  }
  for (const AppliedWaiver* stale : totals.stale) {
    tests.add("waivers", stale->waiver.id, "failure",
              "XPASS: no check fails any more, remove the waiver");
  }
  for (const AppliedWaiver* expired : totals.expired) {
    tests.add("waivers", expired->waiver.id, "failure",
              "EXPIRED: ended on " + date_text(expired->waiver.expires) +
                  ", remove the waiver or move the date");
  }
  for (const std::string& cell : totals.unasked) {
    tests.add("not judged", cell, "failure", "too little was judged of it");
  }
  if (!totals.weaker.empty()) {
    tests.add("required", report.required, "failure",
              "there is " + totals.weaker);
  }

  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\""
      << escaped(report.kernel.name + " " + report.kernel.version)
      << "\" tests=\"" << tests.all << "\" failures=\"" << tests.with["failure"]
      << "\" errors=\"" << tests.with["error"] << "\" skipped=\""
      << tests.with["skipped"] << "\">\n";
  if (report.seed != 0) {
    out << "  <properties>\n    <property name=\"seed\" value=\"" << report.seed
        << "\"/>\n  </properties>\n";
  }
  out << tests.xml;
  if (!diagnoses.empty()) {
    out << "  <system-out>" << escaped(diagnoses) << "</system-out>\n";
  }
  out << "</testsuite>\n";
  return out.str();
}

}  // namespace ropeproof::conformance::report
