#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/corpus/words.h"
#include "conformance/verdict/report.h"

namespace ropeproof::conformance {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string bits_text(std::uint64_t bits, reference::Format format) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%0*llx",
                reference::traits(format).total_bits / 4,
                static_cast<unsigned long long>(bits));
  return buffer;
}

Json element_json(const Element& e) {
  return {{"tensor", e.tensor},
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

Json check_json(const Check& check) {
  Json json = {{"case", check.case_id},
               {"operation", word(kOperationWords, check.operation)},
               {"verdict", verdict_word(check.verdict)}};
  if (!check.aspect.empty()) json["aspect"] = check.aspect;
  if (!check.reason.empty()) json["reason"] = check.reason;
  if (!check.measurement) return json;
  const Measurement& m = *check.measurement;
  json["elements"] = m.elements;
  json["wrong"] = m.wrong;
  json["vacuous"] = m.vacuous;
  json["not_nearest"] = m.not_nearest;
  json["max_norm_ulp"] = number(m.max_norm_ulp);
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
    verdicts[verdict_word(verdict)] = count;
  }
  Json checks = Json::array();
  for (const Check& check : report.checks) checks.push_back(check_json(check));
  const Json json = {
      {"format", "ropeproof-report/1"},
      {"suite_version", report.suite_version},
      {"vectors_version", report.vectors_version},
      {"manifest_sha256", report.manifest_sha256},
      {"kernel", report.kernel.name},
      {"kernel_version", report.kernel.version},
      {"kernel_argument", report.kernel_argument},
      {"angle_class", word(kAngleClassWords, report.kernel.angle_class)},
      {"selection", report.selection},
      {"profile", report.profile},
      {"level", totals.level + totals.suffixes},
      {"exit_status", exit_status(totals)},
      {"verdicts", verdicts},
      {"unsupported", totals.unsupported},
      {"elements", totals.elements},
      {"vacuous", totals.vacuous},
      {"not_nearest", totals.not_nearest},
      {"class_ratio",
       {{"A0", number(totals.class_ratio[0])},
        {"A1", number(totals.class_ratio[1])},
        {"A2", number(totals.class_ratio[2])}}},
      {"checks", checks}};
  return json.dump(1) + "\n";
}

}  // namespace ropeproof::conformance
