#include "conformance/judge/pair_bounds.h"

#include <cmath>
#include <numbers>

#include "reference/bound/scaling_roundings.h"

namespace ropeproof::conformance::judge {
namespace {

using cases::value_of;
using reference::bound::Formats;
using reference::bound::formats_that_hold;
using reference::bound::kAllFormats;
using reference::bound::PairAngle;

constexpr std::uint32_t kClasses[] = {ROPEPROOF_A0, ROPEPROOF_A1, ROPEPROOF_A2};

// The classes that a report compares are those of f32.
Claim as(const Claim& claim, std::uint32_t angle_class) {
  return with_angle(claim, angle_class, reference::Format::kF32);
}

}  // namespace

PairBounds::PairBounds(const cases::Problem& problem,
                       const cases::Golden& golden, const Claim& claim,
                       std::uint32_t operation)
    : problem_(problem),
      golden_(golden),
      claim_(claim),
      given_table_(operation == ROPEPROOF_ROTATE ||
                   operation == ROPEPROOF_LOOKUP),
      terms_(static_cast<std::size_t>(problem.pairs())) {
  const bool has_amplitude =
      golden.amplitude != 1 || !golden.pair_amplitude.empty();
  local_ = operation == ROPEPROOF_TABLE
               ? entry_error(claim, has_amplitude)
               : output_error(claim, given_table_, has_amplitude);
  if (!golden.q_lo.empty() && operation != ROPEPROOF_TABLE) {
    golden_error_ = kGoldenPairError;
  }
  if (!golden.cos_lo.empty() && operation == ROPEPROOF_TABLE) {
    golden_error_ = kGoldenPairError;
  }
  if (operation == ROPEPROOF_TABLE) {
    underflow_ = table_underflow(claim);
  } else if (operation == ROPEPROOF_FREQUENCIES) {
    underflow_ = frequency_underflow(claim);
  } else {
    underflow_ = underflow_error(claim, 0);
    underflow_slope_ = underflow_error(claim, 1) - underflow_;
  }
  if (given_table_ || operation == ROPEPROOF_FREQUENCIES) return;

  for (const double p : problem.positions) {
    exact_in_.push_back(formats_that_hold(p));
  }
  weight_in_.assign(terms_.size(), kAllFormats);
  const std::vector<double> scaling =
      claim.computes_scaling ? scaling_roundings(claim, problem.spec)
                             : std::vector<double>(terms_.size(), 0);
  const Formats base_in = formats_that_hold(problem.spec.frequencies.base);
  for (std::size_t j = 0; j < terms_.size(); ++j) {
    PairAngle pair{static_cast<std::int64_t>(j), problem.spec.layout.rotary_dim,
                   value_of(golden.inv_freq_hi[j])};
    pair.base_in = base_in;
    pair.scaling = scaling[j];
    if (!problem.spec.axes.weights.empty()) pair.axes = problem.spec.axes.count;
    for (std::int64_t k = 0; k < pair.axes; ++k) {
      weight_in_[j] &= formats_that_hold(
          weight(problem.spec.axes, problem.pairs(), k, pair.j));
    }
    slopes_.push_back({std::abs(pair.inv_freq), angle_slope(claim, pair),
                       angle_slope(as(claim, ROPEPROOF_A1), pair),
                       angle_slope(as(claim, ROPEPROOF_A2), pair)});
  }
}

const std::vector<Terms>& PairBounds::at(std::int64_t token) {
  const reference::Axes& axes = problem_.spec.axes;
  const bool has_weights = !axes.weights.empty();
  for (std::int64_t j = 0; j < problem_.pairs(); ++j) {
    Terms& terms = terms_[static_cast<std::size_t>(j)];
    const double rest = local_.with_angle(golden_error_);
    terms.amplitude = std::abs(golden_.amplitude_of(token, j));
    terms.claim = rest;
    terms.classes = {rest, rest, rest};
    terms.result = local_.result;
    terms.structure = kStructuralBound;
    terms.phase = 0;
    terms.is_vacuous = false;
    // Each of z's two elements is within |m| ||x|| L of m R(a^)x, which is as
    // long as m x, so the vector is within sqrt(2) times that; the conversion
    // adds rho of each element. By more the length cannot be off.
    terms.length = std::numbers::sqrt2 * rest + local_.result + kLengthError;
    terms.has_angle = !slopes_.empty();
    if (slopes_.empty()) continue;  // a given table: no angle

    const auto at = static_cast<std::size_t>(j);
    const PairSlopes& slopes = slopes_[at];
    double position = 0;
    Formats exact_in = weight_in_[at];
    const std::int64_t first = has_weights ? 0 : axis_of(axes, j);
    const std::int64_t count = has_weights ? axes.count : 1;
    for (std::int64_t k = first; k < first + count; ++k) {
      const double w = weight(axes, problem_.pairs(), k, j);
      position += std::abs(w * problem_.position(k, token));
      exact_in &=
          exact_in_[static_cast<std::size_t>(k * problem_.tokens() + token)];
    }
    const double angle = slopes.claim.error(position, exact_in);
    const double a1 = slopes.a1.error(position, exact_in);
    terms.claim = local_.with_angle(angle + golden_error_);
    terms.classes[ROPEPROOF_A1] = local_.with_angle(a1 + golden_error_);
    terms.classes[ROPEPROOF_A2] =
        local_.with_angle(slopes.a2.error(position, exact_in) + golden_error_);
    terms.structure += a1;
    terms.phase = kPhaseSlope * position * slopes.theta + kPhaseFloor;
    terms.position = position;
    terms.pair = j;
    terms.is_vacuous = terms.claim >= reference::bound::kVacuous;
  }
  return terms_;
}

std::vector<Terms> PairBounds::of_frequencies() const {
  const std::vector<double> scaling = scaling_roundings(claim_, problem_.spec);
  std::vector<Terms> all;
  for (std::int64_t j = 0; j < problem_.pairs(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    PairAngle pair{j, problem_.spec.layout.rotary_dim,
                   value_of(golden_.inv_freq_hi[at])};
    pair.base_in = formats_that_hold(problem_.spec.frequencies.base);
    pair.scaling = scaling[at];
    Terms terms;
    terms.claim = frequency_error(claim_, pair) + kGoldenError;
    for (const std::uint32_t angle_class : kClasses) {
      terms.classes[angle_class] =
          frequency_error(as(claim_, angle_class), pair) + kGoldenError;
    }
    terms.structure = terms.classes[ROPEPROOF_A1] + kStructuralBound;
    all.push_back(terms);
  }
  return all;
}

}  // namespace ropeproof::conformance::judge
