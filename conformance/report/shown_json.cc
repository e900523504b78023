#include "conformance/report/shown_json.h"

#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::report {
namespace {

Json number_of(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

double number_in(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity()
                        : json.get<double>();
}

Json specimen_json(const explain::Specimen& s) {
  Writer out;
  out.value("case", s.case_id);
  out.word("operation", s.operation, plugin::kOperationWords);
  out.value("is_wrong", s.is_wrong);
  out.value("position", s.position);
  Json& pairs = out.json["pairs"] = Json::array();
  for (const explain::SpecimenPair& p : s.pairs) {
    Json row = {p.pair};
    for (const double x :
         {p.theta, p.ratio, p.cos, p.sin, p.due_cos, p.due_sin}) {
      row.push_back(number_of(x));
    }
    pairs.push_back(row);
  }
  return out.json;
}

explain::Specimen read_specimen(const Json& json) {
  Reader in{json};
  explain::Specimen s;
  in.value("case", s.case_id);
  in.word("operation", s.operation, plugin::kOperationWords);
  in.value("is_wrong", s.is_wrong);
  in.value("position", s.position);
  for (const Json& row : json.at("pairs")) {
    s.pairs.push_back({row.at(0).get<std::int64_t>(), number_in(row.at(1)),
                       number_in(row.at(2)), number_in(row.at(3)),
                       number_in(row.at(4)), number_in(row.at(5)),
                       number_in(row.at(6))});
  }
  return s;
}

}  // namespace

Json shown_json(const check::Shown& shown) {
  Json by_pair = Json::array(), by_ulp = Json::object();
  for (const auto& [size, row] : shown.spread.by_pair) {
    Json ratios = Json::array();
    for (const double ratio : row) ratios.push_back(number_of(ratio));
    by_pair.push_back({{"position_size", size}, {"ratios", ratios}});
  }
  for (const auto& [format, sizes] : shown.spread.by_ulp) {
    by_ulp[text::word(format)] = sizes;
  }
  Json json = {{"by_pair", by_pair}, {"by_ulp", by_ulp}};
  if (shown.specimen) json["specimen"] = specimen_json(*shown.specimen);
  return json;
}

check::Shown read_shown(const Json& json) {
  check::Shown shown;
  for (const Json& item : json.at("by_pair")) {
    const Json& ratios = item.at("ratios");
    judge::PairRow& row =
        shown.spread.by_pair[item.at("position_size").get<std::int64_t>()];
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = number_in(ratios.at(k));
    }
  }
  for (const auto& [word, sizes] : json.at("by_ulp").items()) {
    shown.spread.by_ulp[text::find_word(text::kFormatWords, word).value()] =
        sizes.get<judge::UlpSizes>();
  }
  if (json.contains("specimen")) {
    shown.specimen = read_specimen(json.at("specimen"));
  }
  return shown;
}

}  // namespace ropeproof::conformance::report
