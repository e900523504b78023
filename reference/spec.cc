#include "reference/spec.h"

#include <algorithm>
#include <string>
#include <variant>

#include "reference/refuse.h"

namespace ropeproof::reference {
namespace {

// Frequencies beyond base^8 are a mistake; and numbers stay in range.
constexpr std::int64_t kMaxExponent = 8;
// xPos: 448^(2^20) is far outside every format, and inside every oracle.
constexpr double kMaxXPosExponent = 0x1p20;

void validate(const Layout& layout) {
  check_range("head_dim", layout.head_dim, 2, kMaxHeadDim);
  check_range("rotary_dim", layout.rotary_dim, 2, layout.head_dim);
  if (layout.rotary_dim % 2 != 0) {
    refuse("rotary_dim", std::to_string(layout.rotary_dim), "an even number");
  }
  const std::int64_t pairs = layout.rotary_dim / 2;
  std::int64_t width = layout.rotary_dim;
  if (layout.pair_distance != 0) {
    if (layout.pairing != Pairing::kHalfSplit) {
      refuse("pair_distance", std::to_string(layout.pair_distance),
             "0 unless the pairing is half-split");
    }
    check_range("pair_distance", layout.pair_distance, pairs,
                layout.head_dim - pairs);
    width = pairs + layout.pair_distance;
  }
  check_range("rotary_offset", layout.rotary_offset, 0,
              layout.head_dim - width);
  if (layout.pairing != Pairing::kNestedHalfSplit && layout.blocks != 1) {
    refuse("blocks", std::to_string(layout.blocks),
           "1 unless the pairing is nested half-split");
  }
  check_range("blocks", layout.blocks, 1, pairs);
  if (pairs % layout.blocks != 0) {
    refuse("blocks", std::to_string(layout.blocks),
           "a divisor of rotary_dim/2 = " + std::to_string(pairs));
  }
}

// What (R1) is made of: given frequencies, or bases and exponents.
void validate_frequencies(const Frequencies& frequencies, std::int64_t pairs) {
  if (!frequencies.inv_freq.empty()) {
    check_length("inv_freq", frequencies.inv_freq, pairs);
    for (const double theta : frequencies.inv_freq) {
      if (!is_finite(theta)) {
        refuse("inv_freq", std::to_string(theta), "finite numbers");
      }
    }
    if (!frequencies.exponents.empty() || !frequencies.bases.empty()) {
      refuse("inv_freq", "given", "none beside exponents or bases");
    }
    return;
  }
  if (frequencies.bases.empty()) {
    if (!is_finite(frequencies.base) || !(frequencies.base > 0)) {
      refuse("base", std::to_string(frequencies.base), "a finite number > 0");
    }
  } else {
    check_length("bases", frequencies.bases, pairs);
    for (const double base : frequencies.bases) check_positive("bases", base);
  }
  if (frequencies.exponents.empty()) return;
  check_length("exponents", frequencies.exponents, pairs);
  for (const Exponent& e : frequencies.exponents) {
    check_range("denominator", e.denominator, 0, kMaxHeadDim);
    const std::int64_t most =
        kMaxExponent * std::max<std::int64_t>(e.denominator, 1);
    check_range("numerator", e.numerator, -most, most);
  }
}

// A scaling that acts on the base needs one, and the exponents to match.
void validate_base_of_scaling(const Frequencies& frequencies,
                              std::int64_t rotary_dim) {
  const Scaling& scaling = frequencies.scaling;
  const bool is_yarn = std::holds_alternative<Yarn>(scaling);
  const bool is_ntk = ntk_alpha<double>(scaling).has_value();
  if (!is_yarn && !is_ntk) return;
  if (!frequencies.inv_freq.empty()) {
    refuse("inv_freq", "given", "a base with NTK-aware scaling and YaRN");
  }
  const auto check_base = [&](const std::string& field, double base) {
    if (is_yarn && !(base > 1)) {
      refuse(field, shortest(base), "a finite number > 1 with YaRN");
    }
  };
  if (frequencies.bases.empty()) check_base("base", frequencies.base);
  for (const double base : frequencies.bases) check_base("bases", base);
  if (is_ntk) {  // the exponent d/(d-2)
    if (frequencies.exponents.empty() && rotary_dim < 4) {
      refuse("rotary_dim", std::to_string(rotary_dim),
             "4 or more with NTK-aware scaling");
    }
    for (const Exponent& e : frequencies.exponents) {
      if (e.denominator == 1 || e.denominator == 2) {
        refuse("denominator", std::to_string(e.denominator),
               "0, or 3 or more with NTK-aware scaling");
      }
    }
  }
}

void validate_xpos(const Spec& spec) {
  const Frequencies& frequencies = spec.frequencies;
  if (!frequencies.xpos) return;
  check_positive("scale_base", frequencies.xpos->scale_base);
  check_finite("centre", frequencies.xpos->centre);
  if (!frequencies.inv_freq.empty()) {
    refuse("inv_freq", "given", "exponents with xPos");
  }
  if (spec.axes.count != 1 || !spec.axes.weights.empty()) {
    refuse("axes", std::to_string(spec.axes.count), "one plain axis with xPos");
  }
  for (const Exponent& e : frequencies.exponents) {
    // zeta > 0 and a denominator to count against.
    if (e.denominator == 0) refuse("denominator", "0", "1 or more with xPos");
    check_range("numerator", e.numerator, 0, e.denominator);
  }
}

void validate(const Axes& axes, std::int64_t pairs) {
  check_range("axes", axes.count, 1, kMaxAxes);
  if (!axes.axis_of_pair.empty()) {
    check_length("axis_of_pair", axes.axis_of_pair, pairs);
    for (const std::int64_t axis : axes.axis_of_pair) {
      check_range("axis_of_pair", axis, 0, axes.count - 1);
    }
  }
  if (axes.weights.empty()) return;
  if (!axes.axis_of_pair.empty()) {
    refuse("weights", "given", "none beside axis_of_pair");
  }
  if (axes.weights.size() != static_cast<std::size_t>(axes.count * pairs)) {
    refuse("weights", std::to_string(axes.weights.size()) + " long",
           "axes * rotary_dim/2 = " + std::to_string(axes.count * pairs) +
               " entries");
  }
  for (const double weight : axes.weights) check_finite("weights", weight);
}

}  // namespace

void validate(const Spec& spec) {
  validate(spec.layout);
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  const Frequencies& frequencies = spec.frequencies;
  validate_frequencies(frequencies, pairs);
  std::visit([&](const auto& s) { s.check(pairs); }, frequencies.scaling);
  validate_base_of_scaling(frequencies, spec.layout.rotary_dim);
  if (!frequencies.pair_factors.empty()) {
    check_factors("pair_factors", frequencies.pair_factors, pairs);
  }
  if (!is_finite(frequencies.amplitude)) {
    refuse("amplitude", std::to_string(frequencies.amplitude),
           "a finite number");
  }
  if (decides_amplitude(frequencies.scaling) && frequencies.amplitude != 1) {
    refuse("amplitude", shortest(frequencies.amplitude),
           "1: the scaling decides it, or its attention_factor");
  }
  validate(spec.axes, pairs);
  validate_xpos(spec);
}

void validate_position(double position) {
  constexpr auto kMax = static_cast<double>(kMaxPosition);
  if (!is_finite(position) || position < -kMax || position > kMax) {
    refuse("position", shortest(position), "a number from -2^53 to 2^53");
  }
}

void validate_position(const Spec& spec, double position) {
  if (!spec.frequencies.xpos) return;
  const XPos& xpos = *spec.frequencies.xpos;
  const double reach = kMaxXPosExponent * xpos.scale_base;
  if (position - xpos.centre > reach || xpos.centre - position > reach) {
    refuse("position", shortest(position),
           "one within 2^20 scale_bases of the centre of xPos");
  }
}

}  // namespace ropeproof::reference
