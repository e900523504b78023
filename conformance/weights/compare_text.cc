#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "conformance/weights/compare.h"

namespace ropeproof::conformance::weights {
namespace {

// "0", "0 to 31" or "0, 2 and 5 more".
std::string list_layers(const std::vector<std::int64_t>& layers) {
  const std::int64_t first = layers.front(), last = layers.back();
  if (layers.size() == 1) return " " + std::to_string(first);
  if (static_cast<std::size_t>(last - first) + 1 == layers.size()) {
    return "s " + std::to_string(first) + " to " + std::to_string(last);
  }
  std::string text =
      "s " + std::to_string(first) + ", " + std::to_string(layers[1]);
  if (layers.size() > 2) {
    text += " and " + std::to_string(layers.size() - 2) + " more";
  }
  return text;
}

std::string heads_text(const Attention& attention) {
  if (attention.source.empty()) return "not known";
  const std::uint64_t kv =
      attention.kv_heads == 0 ? attention.heads : attention.kv_heads;
  std::string text = std::to_string(attention.heads) + " of q, " +
                     std::to_string(kv) + " of k";
  for (const reference::Layout& layout : attention.layouts) {
    text += ", head_dim " + std::to_string(layout.head_dim);
    if (layout.rotary_dim == layout.head_dim) continue;
    text += " (" + std::to_string(layout.rotary_dim) + " rotary from " +
            std::to_string(layout.rotary_offset) + " on)";
  }
  return text + ", by " + attention.source;
}

void add_faults(const Comparison& comparison, std::string& text) {
  using Key = std::tuple<Verdict, std::string, std::string>;
  std::map<Key, std::vector<const Finding*>> groups;
  for (const Finding& finding : comparison.findings) {
    if (finding.fault.empty()) continue;
    groups[{finding.verdict, finding.what, finding.fault}].push_back(&finding);
  }
  for (const auto& [key, findings] : groups) {
    std::vector<std::int64_t> layers;
    for (const Finding* finding : findings) layers.push_back(finding->layer);
    const Finding& first = *findings.front();
    text += std::string("\n") +
            (first.verdict == Verdict::kWrong ? "WRONG  " : "NOT JUDGED  ") +
            first.what +
            (first.layer < 0 ? "" : " of layer" + list_layers(layers)) + "\n";
    text += "  what     " + first.fault + "\n";
    text += "  where    ";
    if (!first.tensor_a.empty()) text += "A " + first.tensor_a;
    if (!first.tensor_b.empty()) {
      text += (first.tensor_a.empty() ? "B " : ", B ") + first.tensor_b;
    }
    if (first.first_row) {
      text += ", from row " + std::to_string(*first.first_row) + " on";
    }
    text += "\n  to do    " + first.advice + "\n";
  }
}

}  // namespace

std::string text_of(const Comparison& comparison) {
  std::map<std::pair<std::string, Verdict>, std::size_t> counts;
  for (const Finding& finding : comparison.findings) {
    if (finding.fault.empty()) ++counts[{finding.what, finding.verdict}];
  }
  std::string text = "  heads    " + heads_text(comparison.attention) + "\n";
  text += "  A to B   " + text::word(kDirectionWords, comparison.direction);
  if (!comparison.reason.empty()) text += ", by " + comparison.reason;
  text += "\n";
  if (!comparison.names.empty())
    text += "  names    " + comparison.names + "\n";
  for (const auto& [key, count] : counts) {
    text += text::format("  %-8s %s: %zu\n",
                         text::word(kVerdictWords, key.second).c_str(),
                         key.first.c_str(), count);
  }
  add_faults(comparison, text);
  const std::size_t all = comparison.findings.size();
  const std::size_t wrong = comparison.count(Verdict::kWrong);
  const std::size_t unjudged = comparison.count(Verdict::kNotJudged);
  if (wrong != 0) {
    text += "\nWRONG  " + text::part_of(wrong, all) + " tensors\n";
  } else if (all == 0) {
    text +=
        "\nNOT JUDGED  no tensor of both is known to be q or k by its "
        "name\n";
  } else if (unjudged != 0) {
    text += "\nNOT JUDGED  " + text::part_of(unjudged, all) + " tensors\n";
  } else {
    text += "\nRIGHT  " + std::to_string(all) +
            " tensors: " + text::word(kDirectionWords, comparison.direction) +
            "\n";
  }
  return text::printable(text);
}

std::string json_of(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array();
  for (const Finding& finding : comparison.findings) {
    Json row = {{"layer", finding.layer},
                {"what", finding.what},
                {"verdict", text::word(kVerdictWords, finding.verdict)},
                {"a", finding.tensor_a},
                {"b", finding.tensor_b}};
    if (finding.first_row) row["first_row"] = *finding.first_row;
    if (!finding.fault.empty()) {
      row["fault"] = finding.fault;
      row["advice"] = finding.advice;
    }
    findings.push_back(row);
  }
  const Json json = {
      {"direction", text::word(kDirectionWords, comparison.direction)},
      {"reason", comparison.reason},
      {"names", comparison.names},
      {"heads", comparison.attention.heads},
      {"kv_heads", comparison.attention.kv_heads},
      {"wrong", comparison.count(Verdict::kWrong)},
      {"not_judged", comparison.count(Verdict::kNotJudged)},
      {"exit_status", comparison.exit_status()},
      {"tensors", findings},
      {"text", text_of(comparison)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ropeproof::conformance::weights
