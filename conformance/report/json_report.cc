#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/plugin/description_json.h"
#include "conformance/plugin/words.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/hex.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::report {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string bits_text(std::uint64_t bits, reference::Format format) {
  return text::hex(bits, reference::traits(format).total_bits / 4);
}

template <std::size_t kSize>
Json words_json(const text::Words<std::uint32_t, kSize>& words,
                std::uint32_t bits) {
  Json list = Json::array();
  for (const auto& [bit, text] : words) {
    if ((bits & bit) != 0) list.push_back(text);
  }
  return list;
}

Json ratios_json(const std::array<double, 3>& ratio) {
  return {{"A0", number(ratio[0])},
          {"A1", number(ratio[1])},
          {"A2", number(ratio[2])}};
}

Json element_json(const judge::Element& e) {
  return {{"tensor", e.tensor},
          {"format", text::word(text::kFormatWords, e.format)},
          {"index", {e.batch, e.token, e.head, e.channel}},
          {"pair", e.pair},
          {"position", e.position},
          {"got", number(e.got)},
          {"want", number(e.want)},
          {"got_bits", bits_text(e.got_bits, e.format)},
          {"want_bits", bits_text(e.want_bits, e.format)},
          {"error", number(e.error)},
          {"bound", number(e.bound)}};
}

Json check_json(const check::Check& check) {
  Json json = {
      {"case", check.case_id},
      {"operation", text::word(plugin::kOperationWords, check.operation)},
      {"verdict", check::verdict_word(check.verdict)}};
  if (!check.aspect.empty()) json["aspect"] = check.aspect;
  if (!check.suffixes.empty()) json["suffixes"] = check.suffixes;
  if (check.dtype != 0)
    json["dtype"] = text::word(plugin::kDtypeWords, check.dtype);
  if (check.features != 0) {
    json["features"] = words_json(plugin::kFeatureWords, check.features);
  }
  if (check::is_failure(check.verdict)) {
    json["summary"] = check.summary;
    json["targets"] = check.targets;
    json["equation"] = equation_of(check).number;
  }
  if (!check.reason.empty()) json["reason"] = check.reason;
  if (!check.measurement) return json;
  const judge::Measurement& m = *check.measurement;
  json["elements"] = m.elements;
  json["wrong"] = m.wrong;
  json["vacuous"] = m.vacuous;
  json["not_nearest"] = m.not_nearest;
  json["beyond_structure"] = m.beyond_structure;
  json["max_norm_ulp"] = number(m.max_norm_ulp);
  if (m.phase_rho >= 0) json["phase_rho"] = number(m.phase_rho);
  json["class_ratio"] = ratios_json(m.class_ratio);
  if (m.first_wrong) json["first_wrong"] = element_json(*m.first_wrong);
  if (m.worst) json["worst"] = element_json(*m.worst);
  if (!m.pattern.empty()) json["pattern"] = m.pattern;
  return json;
}

}  // namespace

std::string json_report(const Report& report) {
  const Totals totals = total(report);
  Json verdicts = Json::object();
  for (const auto& [verdict, count] : totals.count) {
    verdicts[check::verdict_word(verdict)] = count;
  }
  Json checks = Json::array();
  for (const check::Check& check : report.checks)
    checks.push_back(check_json(check));
  Json waivers = Json::array();
  for (const auto& [waiver, cases, is_expired] : report.waivers) {
    waivers.push_back({{"id", waiver.id},
                       {"reason", waiver.reason},
                       {"link", waiver.link},
                       {"expires", date_text(waiver.expires)},
                       {"is_expired", is_expired},
                       {"cases", cases}});
  }
  Json json = {{"format", kReportFormat},
               {"suite_version", report.suite_version},
               {"vectors_version", report.vectors_version},
               {"manifest_sha256", report.manifest_sha256},
               {"subcommand", report.subcommand},
               {"kernel_argument", report.kernel_argument},
               {"kernel_sha256", report.kernel_sha256},
               {"is_forked", report.is_forked},
               {"time_limit_ms", report.time_limit_ms},
               {"description", plugin::description_json(report.kernel)},
               {"selection", report.selection},
               {"operations", report.operations},
               {"is_whole_tier", report.is_whole_tier},
               {"cases_sha256", report.cases_sha256},
               {"shard", report.shard.text()},
               {"profile", report.profile},
               {"staged", report.staged},
               {"staged_is_missing", report.staged_is_missing},
               {"waivers", waivers},
               {"level", totals.level + totals.suffixes},
               {"statement", conformance_statement(report, totals)},
               {"exit_status", exit_status(totals)},
               {"verdicts", verdicts},
               {"unsupported", totals.unsupported},
               {"elements", totals.elements},
               {"vacuous", totals.vacuous},
               {"not_nearest", totals.not_nearest},
               {"class_ratio", ratios_json(totals.class_ratio)}};
  if (!report.shard.is_whole()) json["dealt"] = report.dealt;
  json["checks"] = std::move(checks);
  // A path need not be UTF-8; JSON must.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ropeproof::conformance::report
