// The JSON of a report, written and read by one list of members.
#include <array>
#include <nlohmann/json.hpp>

#include "conformance/judge/judge.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/report/declined.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/headline.h"
#include "conformance/report/json_codec.h"
#include "conformance/report/report_reader.h"
#include "conformance/report/requirement.h"
#include "conformance/report/shown_json.h"
#include "conformance/text/one_line.h"
#include "conformance/text/signature.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {

using Ratios = std::array<double, 3>;

template <class Codec>
void members(Codec& c, Is<Ratios> auto& ratios) {
  c.number("A0", ratios[0]);
  c.number("A1", ratios[1]);
  c.number("A2", ratios[2]);
}

// Each size of positions that occurs: the size, elements, vacuous ones.
template <class Codec>
void positions(Codec& c, auto& m) {
  std::vector<std::array<std::int64_t, 3>> sizes;
  if constexpr (!Codec::kReads) {
    for (std::size_t k = 0; k < m.at_positions.size(); ++k) {
      if (m.at_positions[k] == 0) continue;
      sizes.push_back(
          {static_cast<std::int64_t>(k), m.at_positions[k], m.vacuous_at[k]});
    }
  }
  if (!c.has("by_position", !sizes.empty())) return;
  c.value("by_position", sizes);
  c.number("highest_position", m.highest_position);
  if constexpr (Codec::kReads) {
    for (const auto& [k, elements, vacuous] : sizes) {
      m.at_positions.at(static_cast<std::size_t>(k)) = elements;
      m.vacuous_at.at(static_cast<std::size_t>(k)) = vacuous;
    }
  }
}

template <class Codec>
void members(Codec& c, Is<judge::Measurement> auto& m) {
  c.value("elements", m.elements);
  c.value("wrong", m.wrong);
  c.value("vacuous", m.vacuous);
  c.value("not_nearest", m.not_nearest);
  if (c.has("other_bits", m.other_bits > 0)) {
    c.value("other_bits", m.other_bits);
  }
  c.value("beyond_structure", m.beyond_structure);
  c.number("max_norm_ulp", m.max_norm_ulp);
  if (c.has("phase_rho", m.phase_rho >= 0)) {
    c.number("phase_rho", m.phase_rho);
    c.number("phase_error", m.phase_error);
    c.number("phase_position", m.phase_position);
  }
  positions(c, m);
  c.object("class_ratio", m.class_ratio);
  element(c, "first_wrong", m.first_wrong);
  element(c, "worst", m.worst);
}

// Summary and equation are there for failing checks alone.
template <class Codec>
void members(Codec& c, Is<check::Check> auto& check) {
  int equation = 0;
  c.value("case", check.case_id);
  c.word("operation", check.operation, plugin::kOperationWords);
  c.word("verdict", check.verdict, check::kVerdictWords);
  if (c.has("aspect", !check.is_of_values())) {
    c.word("aspect", check.aspect, check::kAspectWords);
  }
  std::string letters =
      text::joined(text::words_of(check::kSuffixWords, check.suffixes), "");
  c.optional("suffixes", letters);
  if (c.has("dtype", check.dtype != 0)) {
    c.word("dtype", check.dtype, plugin::kDtypeWords);
  }
  if (c.has("features", check.features != 0)) {
    c.bits("features", check.features, plugin::kFeatureWords);
  }
  if (check::is_failure(check.verdict)) {
    if constexpr (!Codec::kReads) equation = equation_of(check).number;
    c.value("summary", check.summary);
    c.value("equation", equation);
  }
  c.optional("reason", check.reason);
  if (c.has("retry", check.retry != check::Retry::kNone)) {
    c.word("retry", check.retry, check::kRetryWords);
  }
  if constexpr (Codec::kReads) check.suffixes = check::suffixes_of(letters);
  if (!c.has("elements", check.measurement.has_value())) return;
  if constexpr (Codec::kReads) check.measurement.emplace();
  members(c, *check.measurement);
  c.optional("pattern", check.account.pattern);
  c.optional("measured", check.account.measured);
  if constexpr (Codec::kReads) {
    if (check.measurement->wrong > 0) check.account.equation = equation;
  }
}

template <class Codec>
void members(Codec& c, Is<AppliedWaiver> auto& applied) {
  std::string expires;
  if constexpr (!Codec::kReads) expires = date_text(applied.waiver.expires);
  c.value("id", applied.waiver.id);
  c.value("reason", applied.waiver.reason);
  c.value("link", applied.waiver.link);
  c.value("expires", expires);
  c.value("is_expired", applied.is_expired);
  c.value("cases", applied.cases);
  if constexpr (Codec::kReads) applied.waiver.expires = parse_date(expires);
}

// The residual, in files, of what no value shows.
constexpr double kNoValueWrong = -1;

template <class Codec>
void members(Codec& c, Is<explain::Diagnosis> auto& d) {
  std::string where, bug;
  double residual = kNoValueWrong;
  if constexpr (!Codec::kReads) {
    where = d.where.word();
    bug = d.bug.key();
    residual = d.residual.value_or(kNoValueWrong);
  }
  c.value("what", d.what);
  c.value("aliases", d.aliases);
  c.value("where", where);
  c.value("bug", bug);
  c.value("equation", d.equation);
  c.value("advice", d.advice);
  c.value("checks", d.checks);
  c.value("tried", d.tried);
  c.number("residual", residual);
  c.value("next", d.next);
  c.number("next_residual", d.next_residual);
  c.value("example", d.example);
  if constexpr (Codec::kReads) {
    d.where = explain::Place::of_word(where);
    d.bug = cases::Bug::named(bug);
    if (residual != kNoValueWrong) d.residual = residual;
  }
}

void write_totals(Writer& out, const Report& report) {
  const Totals totals = total(report);
  Json verdicts = Json::object();
  for (const auto& [verdict, count] : totals.count) {
    verdicts[text::word(verdict)] = count;
  }
  out.value("level", level_text(totals));
  out.value("statement", conformance_statement(report, totals));
  out.value("coarse", coarse_text(report, totals));
  out.value("scope", scope_text(report, totals));
  out.value("exit_status", exit_status(totals));
  out.value("weaker_than_required", totals.weaker);
  out.value("not_judged", totals.unasked);
  Json declined = Json::array();
  for (const DeclinedCases& cases : declined_cases(report)) {
    declined.push_back({{"cases", cases.cases}, {"when", cases.words}});
  }
  out.value("declined", declined);
  out.value("verdicts", verdicts);
  out.value("unsupported", totals.unsupported);
  out.value("elements", totals.elements);
  out.value("vacuous", totals.vacuous);
  out.value("not_nearest", totals.not_nearest);
  out.object("class_ratio", totals.class_ratio);
  out.value("angle", totals.has_angles ? tightest_text(totals) : "");
  out.number("max_norm_ulp", totals.max_norm_ulp);
  if (totals.phase_rho >= 0) out.number("phase_rho", totals.phase_rho);
  if (totals.worst == nullptr || !totals.worst->measurement->worst) return;
  out.number("worst_over_bound", totals.worst->measurement->worst->ratio());
  out.value("worst_case", totals.worst->case_id);
}

void facts(Writer& c, const std::map<std::string, check::Facts>& cases) {
  Json& node = c.json["cases"] = Json::object();
  for (const auto& [id, all] : cases) {
    for (const auto& [name, fact] : all) {
      std::visit([&](const auto& value) { node[id][name] = value; }, fact);
    }
  }
}

void facts(Reader& c, std::map<std::string, check::Facts>& cases) {
  for (const auto& [id, all] : c.json.at("cases").items()) {
    check::Facts& facts_of_case = cases[id];
    for (const auto& [name, value] : all.items()) {
      facts_of_case[name] =
          value.is_string()         ? check::Fact(value.get<std::string>())
          : value.is_number_float() ? check::Fact(value.get<double>())
                                    : check::Fact(value.get<std::int64_t>());
    }
  }
}

template <class Codec>
void members(Codec& c, Is<Report> auto& report) {
  std::string shard = report.shard.text();
  c.value("suite_version", report.suite_version);
  c.value("vectors_version", report.vectors_version);
  c.value("manifest_sha256", report.manifest_sha256);
  c.word("transport", report.transport, kTransportWords);
  c.value("kernel_argument", report.kernel_argument);
  c.value("kernel_sha256", report.kernel_sha256);
  c.value("is_forked", report.is_forked);
  c.value("time_limit_ms", report.time_limit_ms);
  description(c, report.kernel);
  c.value("shares_memory", report.shares_memory);
  if (c.has("tier", report.tier.has_value())) {
    if constexpr (Codec::kReads) report.tier.emplace();
    c.word("tier", *report.tier, cases::kTierWords);
  }
  c.value("asked", report.asked);
  c.value("selection", report.selection);
  c.value("operations", report.operations);
  c.value("is_whole_tier", report.is_whole_tier);
  c.value("cases_sha256", report.cases_sha256);
  c.value("shard", shard);
  c.value("seed", report.seed);
  c.value("profile", report.profile);
  c.value("staged", report.staged);
  c.value("staged_is_missing", report.staged_is_missing);
  c.value("required", report.required);
  c.list("waivers", report.waivers);
  if constexpr (Codec::kReads) {
    report.shard = check::parse_shard(shard, "shard");
    if (!report.required.empty()) parse_requirement(report.required);
    for (AppliedWaiver& applied : report.waivers) {
      applied.waiver.engine = report.kernel.name;
    }
  } else {
    write_totals(c, report);
  }
  if (!report.shard.is_whole()) c.value("dealt", report.dealt);
  c.list("diagnoses", report.diagnoses);
  if (c.has("shown", !report.shown.is_empty())) {
    if constexpr (Codec::kReads) {
      report.shown = read_shown(c.json.at("shown"));
    } else {
      c.json["shown"] = shown_json(report.shown);
    }
  }
  c.list("checks", report.checks);
  facts(c, report.facts);
}

std::string json_report(const Report& report) {
  Writer out;
  out.value("format", kReportFormat);
  members(out, report);
  // A path need not be UTF-8; JSON must.
  return out.json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report read_report(const std::string& given, const std::string& file) {
  const std::string bytes = text::without_signature(given);
  const auto fail = [&file](const std::string& fault) {
    throw ReportError(text::one_line(file + ": " + fault));
  };
  const Json document = Json::parse(bytes, nullptr, false);
  if (document.is_discarded() && bytes.find("ropeproof-report/") < 100) {
    fail("a report that is cut short; write the report again");
  }
  const Json format = document.is_object() && document.contains("format")
                          ? document.at("format")
                          : Json();
  if (format != kReportFormat) {
    const bool is_ours =
        format.is_string() &&
        format.get<std::string>().starts_with("ropeproof-report/");
    fail(is_ours ? "a report of another version, " + format.get<std::string>() +
                       "; this program reads " + kReportFormat
                 : std::string("no report of `ropeproof run --report`: "
                               "expected ") +
                       kReportFormat);
  }
  Report report;
  try {
    Reader in{document};
    members(in, report);
  } catch (const std::exception&) {
    fail("a member is missing or of another type; write the report again");
  }
  if (json_report(report) != bytes) {
    fail("not as this version writes it; was it edited, or cut short?");
  }
  return report;
}

}  // namespace ropeproof::conformance::report
