#include "conformance/report/report_reader.h"

#include <bit>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/plugin/description_json.h"
#include "conformance/plugin/words.h"
#include "conformance/text/one_line.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::report {
namespace {

using nlohmann::json;

// json::exception where a member is missing or of another type; the writer is
// the only one who knows all of them, and the comparison at the end finds the
// rest.
std::string text_of(const json& node, const char* key) {
  return node.at(key).get<std::string>();
}

std::int64_t count_of(const json& node, const char* key) {
  return node.at(key).get<std::int64_t>();
}

// The writer's null is what JSON cannot say: infinity.
double ratio_of(const json& node) {
  return node.is_null() ? std::numeric_limits<double>::infinity()
                        : node.get<double>();
}

template <class Value, std::size_t kSize>
Value word_of(const json& node, const char* key,
              const text::Words<Value, kSize>& words) {
  const auto value = text::find_word(words, text_of(node, key));
  if (!value) throw std::invalid_argument(key);
  return *value;
}

// 0 where the member is absent, "none" or "same".
std::uint32_t dtype_of(const json& node, const char* key) {
  if (!node.contains(key)) return 0;
  return text::find_word(plugin::kDtypeWords, text_of(node, key)).value_or(0);
}

template <std::size_t kSize>
std::uint32_t bits_of(const json& list,
                      const text::Words<std::uint32_t, kSize>& words) {
  std::uint32_t bits = 0;
  for (const json& item : list) {
    bits |= text::find_word(words, item.get<std::string>()).value_or(0);
  }
  return bits;
}

std::uint64_t pattern_of(const json& node, const char* key) {
  const std::string text = text_of(node, key);
  std::uint64_t bits = 0;
  std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  return bits;
}

std::array<double, 3> ratios_of(const json& node) {
  return {ratio_of(node.at("A0")), ratio_of(node.at("A1")),
          ratio_of(node.at("A2"))};
}

plugin::Description description_of(const json& node) {
  plugin::Members members{plugin::Json(node)};
  return plugin::read_description(members);
}

// A value that is not finite is null, and its bits say which it is.
double value_of(const json& node, reference::Format format,
                std::uint64_t bits) {
  return node.is_null() ? reference::decode(format, bits) : node.get<double>();
}

judge::Element element_of(const json& node) {
  judge::Element e;
  e.tensor = text_of(node, "tensor");
  e.format = word_of(node, "format", text::kFormatWords);
  const json& index = node.at("index");
  e.batch = index.at(0).get<std::int64_t>();
  e.token = index.at(1).get<std::int64_t>();
  e.head = index.at(2).get<std::int64_t>();
  e.channel = index.at(3).get<std::int64_t>();
  e.pair = count_of(node, "pair");
  e.position = node.at("position").get<double>();
  e.got_bits = pattern_of(node, "got_bits");
  e.want_bits = pattern_of(node, "want_bits");
  e.got = value_of(node.at("got"), e.format, e.got_bits);
  e.want = value_of(node.at("want"), e.format, e.want_bits);
  e.error = ratio_of(node.at("error"));
  e.bound = ratio_of(node.at("bound"));
  return e;
}

judge::Measurement measurement_of(const json& node) {
  judge::Measurement m;
  m.elements = count_of(node, "elements");
  m.wrong = count_of(node, "wrong");
  m.vacuous = count_of(node, "vacuous");
  m.not_nearest = count_of(node, "not_nearest");
  m.beyond_structure = count_of(node, "beyond_structure");
  m.max_norm_ulp = ratio_of(node.at("max_norm_ulp"));
  if (node.contains("phase_rho")) m.phase_rho = ratio_of(node.at("phase_rho"));
  m.class_ratio = ratios_of(node.at("class_ratio"));
  if (node.contains("first_wrong")) {
    m.first_wrong = element_of(node.at("first_wrong"));
  }
  if (node.contains("worst")) m.worst = element_of(node.at("worst"));
  m.pattern = node.value("pattern", "");
  return m;
}

check::Check check_of(const json& node) {
  check::Check check;
  check.case_id = text_of(node, "case");
  check.operation = word_of(node, "operation", plugin::kOperationWords);
  check.verdict = word_of(node, "verdict", check::kVerdictWords);
  check.aspect = node.value("aspect", "");
  check.suffixes = node.value("suffixes", "");
  check.dtype = dtype_of(node, "dtype");
  check.features =
      bits_of(node.value("features", json::array()), plugin::kFeatureWords);
  check.summary = node.value("summary", "");
  check.targets = node.value("targets", std::vector<std::string>());
  check.reason = node.value("reason", "");
  if (node.contains("elements")) check.measurement = measurement_of(node);
  if (check.measurement && check.measurement->wrong > 0) {
    check.measurement->equation = node.value("equation", 0);
  }
  return check;
}

Report report_of(const json& node) {
  Report report;
  report.suite_version = text_of(node, "suite_version");
  report.vectors_version = text_of(node, "vectors_version");
  report.manifest_sha256 = text_of(node, "manifest_sha256");
  report.subcommand = text_of(node, "subcommand");
  report.kernel_argument = text_of(node, "kernel_argument");
  report.kernel_sha256 = text_of(node, "kernel_sha256");
  report.is_forked = node.at("is_forked").get<bool>();
  report.time_limit_ms = count_of(node, "time_limit_ms");
  report.kernel = description_of(node.at("description"));
  report.selection = text_of(node, "selection");
  report.operations = text_of(node, "operations");
  report.is_whole_tier = node.at("is_whole_tier").get<bool>();
  report.cases_sha256 = text_of(node, "cases_sha256");
  report.shard = check::parse_shard(text_of(node, "shard"), "shard");
  report.profile = text_of(node, "profile");
  report.staged = text_of(node, "staged");
  report.staged_is_missing = node.at("staged_is_missing").get<bool>();
  for (const json& waiver : node.at("waivers")) {
    report.waivers.push_back(
        {{text_of(waiver, "id"), report.kernel.name, text_of(waiver, "reason"),
          text_of(waiver, "link"), parse_date(text_of(waiver, "expires"))},
         count_of(waiver, "cases"),
         waiver.at("is_expired").get<bool>()});
  }
  if (!report.shard.is_whole()) {
    report.dealt = node.at("dealt").get<std::vector<std::string>>();
  }
  for (const json& check : node.at("checks")) {
    report.checks.push_back(check_of(check));
  }
  return report;
}

}  // namespace

Report read_report(const std::string& text, const std::string& file) {
  const auto fail = [&file](const std::string& fault) {
    throw ReportError(text::one_line(file + ": " + fault));
  };
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() ||
      document.value("format", json()) != kReportFormat) {
    fail(std::string("no report of `ropeproof run --report`: expected ") +
         kReportFormat);
  }
  Report report;
  try {
    report = report_of(document);
  } catch (const std::exception&) {
    fail("a member is missing or of another type; write the report again");
  }
  if (json_report(report) != text) {
    fail("not as this version writes it; was it edited, or cut short?");
  }
  return report;
}

}  // namespace ropeproof::conformance::report
