#include "conformance/cases/summary.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "conformance/cases/words.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/words.h"
#include "conformance/text/format.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::cases {
namespace {

// A whole number in full, any other to six digits.
std::string number_text(double x) {
  const bool is_whole = x == std::floor(x) && std::abs(x) < 1e16;
  return text::format(is_whole ? "%.0f" : "%.6g", x);
}

// "1 to 62.5".
std::string range_text(const std::vector<double>& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  if (least == most) return number_text(least);
  return number_text(least) + " to " + number_text(most);
}

std::string value_text(bool x) { return x ? "yes" : "no"; }
std::string value_text(double x) { return number_text(x); }
std::string value_text(std::int64_t x) { return std::to_string(x); }
std::string value_text(const std::vector<double>& list) {
  return "(" + std::to_string(list.size()) + " factors, " + range_text(list) +
         ")";
}

std::string frequencies_text(const reference::Frequencies& frequencies) {
  if (!frequencies.inv_freq.empty()) return "frequencies given";
  if (!frequencies.exponents.empty() || !frequencies.bases.empty()) {
    return "exponents given";
  }
  return "base " + number_text(frequencies.base);
}

}  // namespace

std::string scaling_text(const reference::Scaling& scaling) {
  std::string text = plugin::scaling_word(scaling);
  const auto add = [&](const char*, const auto& value, const auto& field) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::optional<double>>) {
      if (value)
        text += std::string(", ") + field.name + " " + value_text(*value);
    } else {
      text += std::string(", ") + field.name + " " + value_text(value);
    }
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, add); }, scaling);
  return text;
}

std::string summary(const RopeCase& c) {
  const reference::Layout& layout = c.spec.layout;
  const reference::Frequencies& frequencies = c.spec.frequencies;
  std::string text = text::word(text::kFormatWords, c.dtype) + " " +
                     text::word(text::kPairingWords, layout.pairing) +
                     ", head_dim " + std::to_string(layout.head_dim) +
                     ", rotary_dim " + std::to_string(layout.rotary_dim);
  if (layout.rotary_offset > 0) {
    text += " from " + std::to_string(layout.rotary_offset);
  }
  text += ", " + frequencies_text(frequencies);
  const std::string scaling = scaling_text(frequencies.scaling);
  text += scaling.empty() ? ", " : "; " + scaling + "; ";
  if (frequencies.xpos) {
    text +=
        "xpos, scale_base " + number_text(frequencies.xpos->scale_base) + ", ";
  }
  if (c.amplitude != 1) text += "amplitude " + number_text(c.amplitude) + ", ";
  if (c.spec.direction == reference::Direction::kAdjoint) text += "adjoint, ";
  if (c.spec.axes.count > 1) {
    text += std::to_string(c.spec.axes.count) + " axes, ";
  }
  if (!c.positions.empty()) {
    text += (c.positions.size() == 1 ? "position " : "positions ") +
            range_text(c.positions) + ", ";
  }
  text += "batch " + std::to_string(c.batch) + ", seq " +
          std::to_string(c.seq) + ", heads " + std::to_string(c.q_heads);
  if (c.k_heads > 0) text += " + " + std::to_string(c.k_heads);
  const Storage& s = c.storage;
  if (s.edge) {
    text += ", " + text::word(kOrderWords, s.order) + " " +
            text::word(kSpacingWords, s.spacing) + ", rows " +
            text::word(kRowSpacingWords, s.rows) + ", place " +
            text::word(kInPlaceWords, s.in_place) + ", " +
            text::word(kEdgeWords, *s.edge);
  } else if (s != kDense) {
    text += ", " + text::word(kStorageWords, c.nearest_storage());
  }
  return text;
}

std::string summary(const PermuteCase& c) {
  return text::word(text::kFormatWords, c.dtype) + " " +
         text::word(text::kPairingWords, c.layout.pairing) + ", head_dim " +
         std::to_string(c.layout.head_dim) + ", " + std::to_string(c.heads) +
         " heads, " + std::to_string(c.columns) +
         (c.columns == 1 ? " column" : " columns");
}

std::string summary(const RejectCase& c) {
  return c.of + " with the defect " + text::word(kDefectWords, c.defect);
}

std::string summary(const SequenceCase& c) {
  std::string text = std::to_string(c.calls.size()) + " calls:";
  for (const std::string& call : c.calls) text += " " + call;
  return text;
}

}  // namespace ropeproof::conformance::cases
