// bin_float_family.h -- balls of cpp_bin_float as a family of decide.h: 50 ->
// 100 -> 200 digits.
#pragma once

#include <array>
#include <utility>

#include "reference/ball.h"
#include "reference/decide.h"

namespace ropeproof::reference {

struct BinFloatFamily {
  static constexpr std::array<unsigned, 3> kRungs{50, 100, 200};

  template <unsigned kDigits>
  using Real = Ball<kDigits>;

  template <unsigned kDigits>
  static constexpr int kBits = Ball<kDigits>::kBits;

  template <class Real>
  static Real pi() {
    return Real::pi();
  }

  // What cos_sin() takes: cos and sin of the angle.
  template <class Real>
  static const Real& angle(const Real& phi) {
    return phi;
  }

  template <unsigned kDigits>
  static std::pair<Pieces, Pieces> ends(const Ball<kDigits>& x) {
    return {pieces_of(x.lower()), pieces_of(x.upper())};
  }
};

}  // namespace ropeproof::reference
