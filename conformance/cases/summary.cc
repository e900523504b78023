#include "conformance/cases/summary.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "conformance/cases/case_words.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

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

namespace {

std::string rotation_text(const Case& c) {
  const reference::Layout& layout = c.problem.spec.layout;
  const reference::Frequencies& frequencies = c.problem.spec.frequencies;
  std::string text = ", head_dim " + std::to_string(layout.head_dim) +
                     ", rotary_dim " + std::to_string(layout.rotary_dim);
  if (layout.rotary_offset > 0) {
    text += " from " + std::to_string(layout.rotary_offset);
  }
  text += ", " + frequencies_text(frequencies);
  const std::string scaling = scaling_text(frequencies.scaling);
  text += scaling.empty() ? ", " : "; " + scaling + "; ";
  if (!frequencies.pair_factors.empty()) {
    text += "times " + value_text(frequencies.pair_factors) + ", ";
  }
  if (frequencies.xpos) {
    text +=
        "xpos, scale_base " + number_text(frequencies.xpos->scale_base) + ", ";
  }
  if (c.golden.amplitude != 1)
    text += "amplitude " + number_text(c.golden.amplitude) + ", ";
  if (c.problem.spec.direction == reference::Direction::kAdjoint)
    text += "adjoint, ";
  if (c.problem.spec.axes.count > 1) {
    text += std::to_string(c.problem.spec.axes.count) + " axes, ";
  }
  if (!c.problem.positions.empty()) {
    text += (c.problem.positions.size() == 1 ? "position " : "positions ") +
            range_text(c.problem.positions) + ", ";
  }
  text += "batch " + std::to_string(c.problem.batch) + ", seq " +
          std::to_string(c.problem.seq) + ", heads " +
          std::to_string(c.problem.q_heads);
  if (c.problem.k_heads > 0) text += " + " + std::to_string(c.problem.k_heads);
  const Storage& s = c.problem.storage;
  if (s.edge) {
    text += ", " + text::word(kOrderWords, s.order) + " " +
            text::word(kSpacingWords, s.spacing) + ", rows " +
            text::word(kRowSpacingWords, s.rows) + ", place " +
            text::word(kInPlaceWords, s.in_place) + ", " +
            text::word(kEdgeWords, *s.edge);
  } else if (s != kDense) {
    text += ", " + text::word(kStorageWords, c.problem.nearest_storage());
  }
  return text;
}

std::string permutation_text(const Case& c) {
  return ", head_dim " + std::to_string(c.problem.spec.layout.head_dim) + ", " +
         std::to_string(c.problem.q_heads) + " heads, " +
         std::to_string(c.problem.seq) +
         (c.problem.seq == 1 ? " column" : " columns");
}

}  // namespace

std::string type_text(const Problem& p) {
  return text::word(text::kFormatWords, p.dtype) + " " +
         text::word(text::kPairingWords, p.spec.layout.pairing);
}

std::string shape_text(const Case& c) {
  return c.problem.task == Task::kRotate ? rotation_text(c)
                                         : permutation_text(c);
}

std::string summary(const Case& c) {
  return type_text(c.problem) + shape_text(c);
}

std::string summary(const RejectCase& c) {
  return c.of + " with the defect " + text::word(c.defect);
}

std::string summary(const SequenceCase& c) {
  std::string text = std::to_string(c.calls.size()) + " calls:";
  for (const std::string& call : c.calls) text += " " + call;
  return text;
}

}  // namespace ropeproof::conformance::cases
