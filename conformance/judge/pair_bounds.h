// pair_bounds.h -- the bounds of a case's pairs at each token.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/tolerance.h"

namespace ropeproof::conformance::judge {

// What the bounds of a pair's results are relative to.
struct Size {
  double scale = 0;      // the length of the pair times |m|
  double underflow = 0;  // what pays for underflow, not relative to anything
};

// The bounds of one pair at one token, each relative to the pair's length, but
// for rho.
struct Terms {
  double amplitude = 1;             // |m|; multiplies all lengths
  double claim = 0;                 // angle, L and what the golden is off by
  std::array<double, 3> classes{};  // the same for A0, A1, A2
  double result = 0;                // rho, relative to the output itself
  double structure = 0;             // of level L0
  double phase = 0;                 // 4 |phi| 2^-24 + 2^-22
  double length = 0;                // of the pair's length itself
  double position = 0;              // sum of |W[k,j] p_k|
  std::int64_t pair = -1;           // of a frequency: -1
  bool has_angle = false;           // that the kernel formed
  bool is_vacuous = false;          // accepts any rotation

  // How far a result may be from `want`.
  double bound(const Size& size, double want) const {
    return size.scale * claim + (result * std::abs(want) + size.underflow);
  }
};

class PairBounds {
 public:
  PairBounds(const cases::Problem& problem, const cases::Golden& golden,
             const Claim& claim, std::uint32_t operation);

  // The terms of all pairs of a token; valid until the next call.
  const std::vector<Terms>& at(std::int64_t token);

  // The terms of the frequencies of all pairs, relative to each.
  std::vector<Terms> of_frequencies() const;

  // What results of the operation lose by underflow; of a rotation, the sum of
  // the magnitudes of a pair's elements counts.
  double underflow(double magnitudes = 0) const {
    return underflow_ + underflow_slope_ * magnitudes;
  }
  // The size of a pair of these elements.
  template <reference::Format kFormat>
  Size size(const Terms& terms, double u, double v) const {
    // Both elements of an x that the kernel forms are off.
    return {terms.amplitude * pair_length<kFormat>(u, v),
            underflow(std::abs(u) + std::abs(v)) +
                2 * terms.amplitude * claim_.formed_x_underflow};
  }

 private:
  struct PairSlopes {
    double theta = 0;
    reference::bound::AngleSlope claim, a1, a2;
  };

  const cases::Problem& problem_;
  const cases::Golden& golden_;
  Claim claim_;
  bool given_table_;
  reference::bound::LocalError local_;
  double golden_error_ = kGoldenError;
  double underflow_ = 0, underflow_slope_ = 0;
  std::vector<PairSlopes> slopes_;
  std::vector<reference::bound::Formats> exact_in_;   // [axes, tokens]
  std::vector<reference::bound::Formats> weight_in_;  // [pairs]
  std::vector<Terms> terms_;
};

}  // namespace ropeproof::conformance::judge
