#include "conformance/report/html/page.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/declined.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/headline.h"
#include "conformance/report/html/figures.h"
#include "conformance/report/html/style.h"
#include "conformance/report/text_parts.h"
#include "conformance/text/markup.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using text::escaped;

// However many checks fail, the page stays small: of each group and of each
// text only so much.
constexpr std::size_t kMostGroups = 40, kMostRows = 10, kMostBytes = 8000,
                      kMostReasons = 30;

std::string cut(const std::string& text) {
  if (text.size() <= kMostBytes) return text;
  return text.substr(0, kMostBytes) + "\n... (the JSON report has the rest)";
}

std::string paragraph_of(const std::string& text,
                         const std::string& classes = "") {
  if (text.empty()) return "";
  return "<p" + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" +
         escaped(cut(text)) + "</p>\n";
}

// Text of a report as it is, which may be wider than the page.
std::string block(const std::string& text, const std::string& name) {
  return "<pre tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(name) +
         "\">" + escaped(cut(text)) + "</pre>\n";
}

std::string section(const std::string& id, const std::string& heading,
                    const std::string& inner) {
  return "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" +
         escaped(heading) + "</h2>\n" + inner + "</section>\n";
}

// The colour of the verdict; its words say the same.
const char* verdict_class(int status) {
  return status == 0 ? "good" : status == 6 || status == 2 ? "part" : "red";
}

std::string head_of_page(const Report& report, const Totals& totals,
                         const Totals& included) {
  std::string html = "<header class=\"" +
                     std::string(verdict_class(exit_status(totals))) +
                     "\">\n<p class=\"kernel\">" +
                     escaped(report.kernel.name + " " + report.kernel.version) +
                     "</p>\n<h1>" + escaped(headline(report, totals)) +
                     "</h1>\n" + paragraph_of(verdict_counts(included)) +
                     paragraph_of(level_meaning(totals));
  if (!report.required.empty()) {
    html += paragraph_of("Required: " + report.required +
                         required_text(totals) + ".");
  }
  html += paragraph_of(conformance_statement(report, totals), "statement");
  return html + "</header>\n";
}

std::string operation_row(const std::string& name, const Totals& totals) {
  std::int64_t all = 0;
  for (const auto& [verdict, count] : totals.count) all += count;
  if (all == 0) return "";
  const std::int64_t passed = totals.of(check::Verdict::kPass);
  const std::int64_t unjudged = totals.of(check::Verdict::kUnsupported) +
                                totals.of(check::Verdict::kDeclined);
  std::string html = "<tr><th scope=\"row\">" + name + "</th>";
  for (const std::int64_t count : {passed, all - passed - unjudged, unjudged}) {
    html += "<td class=\"number\">" + std::to_string(count) + "</td>";
  }
  const check::Check* worst = totals.worst;
  if (worst == nullptr || !worst->measurement->worst) {
    return html + "<td></td><td></td></tr>\n";
  }
  return html + "<td class=\"number\">" +
         escaped(ratio_text(worst->measurement->worst->ratio())) + "</td><td>" +
         escaped(worst->case_id) + "</td></tr>\n";
}

std::string operations_table(const Report& report, std::uint32_t operations) {
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Checks by operation\"><table>\n<caption>Checks by "
      "operation; worst/bound is the largest error over its own "
      "bound.</caption>\n<thead><tr><th scope=\"col\">operation</th>";
  for (const char* column :
       {"pass", "fail", "not judged", "worst/bound", "at"}) {
    html += std::string("<th scope=\"col\">") + column + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& [operation, name] : plugin::kOperationWords) {
    if ((operations & operation) == 0) continue;
    html += operation_row(std::string(name), total(report, operation));
  }
  return html + operation_row("contract", total_contract(report, operations)) +
         "</tbody></table></div>\n";
}

std::string bullets(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) {
    html += "<li>" + escaped(cut(line)) + "</li>\n";
  }
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string judged_section(const Report& report, const Totals& totals,
                           const Totals& included, std::uint32_t operations) {
  std::string html =
      "<dl>\n<dt>asked</dt><dd>" +
      escaped(
          "ropeproof " + report.suite_version + ", vectors " +
          report.vectors_version + ", " + report.selection +
          (report.operations.empty() ? "" : ", only " + report.operations) +
          (report.shard.is_whole() ? "" : ", shard " + report.shard.text())) +
      "</dd>\n<dt>kernel</dt><dd><code>" +
      escaped(cut(report.kernel_argument)) +
      "</code></dd>\n<dt>offers</dt><dd>" +
      escaped(offers_text(report.kernel)) + "</dd>\n<dt>claims</dt>";
  for (const std::string& claim : claims_texts(report.kernel)) {
    html += "<dd>" + escaped(claim) + "</dd>\n";
  }
  html += "</dl>\n" + operations_table(report, operations);
  std::vector<std::string> not_judged;
  for (const std::string& what : totals.unasked) {
    not_judged.push_back("too little was judged of " + what);
  }
  for (const DeclinedCases& declined : declined_cases(report)) {
    not_judged.push_back("declined, " + counted(declined.cases, "case") + ": " +
                         declined.words);
  }
  const auto reasons = unsupported_reasons(included);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    not_judged.push_back("not declared, " + counted(reasons[i].first, "check") +
                         ": " + reasons[i].second);
  }
  if (reasons.size() > kMostReasons) {
    not_judged.push_back("and " +
                         std::to_string(reasons.size() - kMostReasons) +
                         " reasons more");
  }
  constexpr std::size_t kShown = 6;
  const auto split = not_judged.begin() + static_cast<std::ptrdiff_t>(std::min(
                                              not_judged.size(), kShown));
  html += "<h3>Not judged</h3>\n" +
          (not_judged.empty() ? paragraph_of("Nothing that was asked.")
                              : bullets({not_judged.begin(), split}));
  if (split != not_judged.end()) {
    html += "<details><summary>" + std::to_string(not_judged.end() - split) +
            " more</summary>\n" + bullets({split, not_judged.end()}) +
            "</details>\n";
  }
  const auto waivers = waiver_texts(report, totals);
  if (!waivers.empty()) html += "<h3>Waivers</h3>\n" + bullets(waivers);
  return html;
}

// (R1) to (R6) as reference/rope.h has them; scalings have pages of their own.
const char* formula_of_number(int number) {
  switch (number) {
    case 1:
      return "θ<sub>j</sub> = base<sup>−2j/r</sup>";
    case 2:
      return "φ = p θ<sub>j</sub>";
    case 3:
      return "half split: (j, j + r/2); interleaved: (2j, 2j + 1)";
    case 4:
      return "y<sub>u</sub> = x<sub>u</sub> cos φ − x<sub>v</sub> sin φ, "
             "y<sub>v</sub> = x<sub>u</sub> sin φ + x<sub>v</sub> cos φ";
    case 5:
      return "y<sub>t</sub> = x<sub>t</sub> outside the window";
    case 6:
      return "y[b, s, h] = R(p[b, s]) x[b, s, h]";
    default:
      return nullptr;
  }
}

std::string diagnosis_section(const Report& report) {
  if (report.diagnoses.empty()) {
    return paragraph_of(failing_checks(report).empty()
                            ? "Nothing failed."
                            : "The run was not asked for one, or nothing "
                              "explains its failures.");
  }
  const auto words = diagnosis_words(report.diagnoses, true);
  std::string html;
  for (std::size_t i = 0; i < words.size(); ++i) {
    html += "<div class=\"fault\"><h3>" + escaped(cut(words[i].what)) +
            "</h3>\n<dl>\n";
    if (!words[i].where.empty()) {
      html += "<dt>where</dt><dd>" + escaped(cut(words[i].where)) + "</dd>\n";
    }
    const int number = report.diagnoses[i].equation;
    if (const char* formula = formula_of_number(number)) {
      html += "<dt>formula</dt><dd>(R" + std::to_string(number) + ") " +
              formula + "</dd>\n";
    }
    if (!words[i].why.empty()) {
      html += "<dt>why</dt><dd>" + escaped(cut(words[i].why)) + "</dd>\n";
    }
    if (!report.diagnoses[i].example.empty()) {
      html += "<dt>smallest case</dt><dd>" +
              escaped(report.diagnoses[i].example) + "</dd>\n";
    }
    html += "</dl></div>\n";
  }
  return html;
}

// What failing checks have in common: how they end; of wrong values the formula
// that they contradict, of a promise which one.
std::string cause_of(const check::Check& check) {
  const std::string text = text::word(check.verdict);
  if (check.measurement && !check.measurement->pass()) {
    const explain::Equation& equation = equation_of(check);
    return text + ": wrong values, (R" + std::to_string(equation.number) +
           ") " + std::string(equation.text);
  }
  if (!check.is_of_values() && check.verdict == check::Verdict::kFail) {
    return text + ": " + text::word(check.aspect);
  }
  return check.reason.empty() ? text : text + ": " + check.reason;
}

// Causes that differ in numbers alone are one.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      result += c;
    } else if (!result.ends_with('#')) {
      result += '#';
    }
  }
  return result;
}

std::string failing_row(const check::Check& check) {
  std::string html =
      "<tr><th scope=\"row\">" + escaped(check.case_id) + "</th><td>" +
      text::word(plugin::kOperationWords, check.operation) + "</td><td>" +
      (check.dtype == 0 ? "" : text::word(plugin::kDtypeWords, check.dtype)) +
      "</td><td>";
  const bool is_wrong = check.measurement && check.measurement->first_wrong;
  if (is_wrong) {
    html += escaped(ratio_text(check.measurement->worst
                                   ? check.measurement->worst->ratio()
                                   : check.measurement->first_wrong->ratio())) +
            "</td><td>" + escaped(place(*check.measurement->first_wrong));
  } else {
    html += "</td><td>" + escaped(text::one_line(check.reason));
  }
  return html + "</td></tr>\n";
}

std::string failures_section(const Report& report) {
  std::vector<std::pair<std::string, std::vector<const check::Check*>>> groups;
  std::map<std::string, std::size_t> group_of;
  for (const check::Check* check : failing_checks(report)) {
    const std::string cause = cause_of(*check);
    const auto [at, is_new] =
        group_of.emplace(without_numbers(cause), groups.size());
    if (is_new) groups.emplace_back(cause, std::vector<const check::Check*>());
    groups[at->second].second.push_back(check);
  }
  if (groups.empty()) return paragraph_of("None.");
  std::ranges::stable_sort(groups, [](const auto& a, const auto& b) {
    return a.second.size() > b.second.size();
  });
  std::string html;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    const auto& [cause, checks] = groups[i];
    const auto count = static_cast<std::int64_t>(checks.size());
    html +=
        "<details" + std::string(i < 3 ? " open" : "") + "><summary>" +
        escaped(text::one_line(cause)) + " <b>" + counted(count, "check") +
        "</b></summary>\n<div class=\"scroll\" tabindex=\"0\" "
        "role=\"region\" aria-label=\"Failing checks\"><table>\n"
        "<caption>" +
        (checks.size() > kMostRows ? "The first " + std::to_string(kMostRows) +
                                         " of " + counted(count, "check") + "."
                                   : counted(count, "check") + ".") +
        "</caption>\n<thead><tr><th scope=\"col\">case</th><th "
        "scope=\"col\">operation</th><th scope=\"col\">dtype</th><th "
        "scope=\"col\">worst/bound</th><th scope=\"col\">first</th></tr>"
        "</thead>\n<tbody>\n";
    for (std::size_t k = 0; k < std::min(checks.size(), kMostRows); ++k) {
      html += failing_row(*checks[k]);
    }
    html += "</tbody></table></div>\n" +
            block(failure_text(report, *checks[0], true), "The first of them") +
            "</details>\n";
  }
  if (groups.size() > kMostGroups) {
    html += paragraph_of("And " + std::to_string(groups.size() - kMostGroups) +
                         " causes more; the JSON report has all of them.");
  }
  return html;
}

}  // namespace

std::string html_report(const Report& report) {
  return html_report(report, nullptr);
}

std::string html_report(const Report& report, const Difference* since) {
  const Totals totals = total(report);
  const std::uint32_t operations = counted_operations(report, false);
  const Totals included = total_of(report, operations);
  std::string html =
      page_start(report.kernel.name + " " + report.kernel.version + ": " +
                     headline(report, totals),
                 since != nullptr) +
      "<main>\n" + head_of_page(report, totals, included);
  if (since != nullptr) {
    html += section(
        "since", "Since the earlier report",
        block(difference_text(*since, kMostRows), "Since the earlier report"));
  }
  html += section("judged", "What was judged, and what was not",
                  judged_section(report, totals, included, operations)) +
          section("diagnosis", "Diagnosis", diagnosis_section(report)) +
          section("failures", "Failures by cause", failures_section(report)) +
          section("pictures", "Pictures",
                  "<div class=\"figures\">\n" + pair_figure(report) +
                      class_figure(report) + ulp_figure(report) +
                      frequency_figure(report) + rotation_figure(report) +
                      "</div>\n");
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace ropeproof::conformance::report
