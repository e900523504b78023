// test_double.h -- the oracles' code in plain double, for tests only.
//
// A family of decide.h without enclosures: every value decides at once, to 53
// bits and with libm's errors. Good enough to tell a right formula from a wrong
// one, and it compiles in a second (tools/prove/check_mutants.sh).
#pragma once

#include <array>
#include <bit>
#include <cmath>  // before rope.h: cos, sin, pow, log and sqrt of double
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace ropeproof::reference {
using std::cos, std::sin, std::pow, std::log, std::sqrt, std::ldexp;
}  // namespace ropeproof::reference

#include "reference/prover.h"

namespace ropeproof::reference {

struct PlainDouble {
  static constexpr std::array<unsigned, 1> kRungs{15};
  template <unsigned kDigits>
  using Real = double;
  template <unsigned kDigits>
  static constexpr int kBits = 53;

  template <class Real>
  static Real pi() {
    return std::numbers::pi;
  }

  // What cos_sin() takes: cos and sin of the angle.
  template <class Real>
  static const Real& angle(const Real& phi) {
    return phi;
  }

  static std::pair<Pieces, Pieces> ends(double x) {
    if (x == 0) return {};
    int exponent = 0;
    const double scaled =
        std::ldexp(std::frexp(std::abs(x), &exponent), kPiecesBits);
    const Pieces pieces{x < 0, static_cast<std::uint64_t>(scaled),
                        exponent - kPiecesBits, false};
    return {pieces, pieces};
  }
};

// The rotated tensor (R6), dense [tokens, heads, head_dim].
inline std::vector<double> plain_rope(const Spec& spec,
                                      std::span<const double> positions,
                                      std::int64_t heads,
                                      std::span<const double> x) {
  std::vector<double> y;
  for (const Golden& golden :
       Prover<PlainDouble>(spec, positions).rope(heads, x)) {
    y.push_back(std::bit_cast<double>(golden.bits));
  }
  return y;
}

}  // namespace ropeproof::reference
