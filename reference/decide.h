// decide.h -- Ziv's loop: widen until the rounding is certain.
//
// A Family names one kind of enclosing arithmetic and its rungs:
//
//     kRungs                   decimal digits, ascending
//     Real<digits>             the number type; evaluates rope.h
//     ends(Real)               lower and upper end as Pieces
//     angle(Real)              the angle, of which cos() and sin() are known
//     kBits<digits>            the working precision
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::reference {

// The first kPiecesBits bits of a Boost floating-point number, and whether more
// follow. Every step is exact.
template <class Float>
Pieces pieces_of(const Float& x) {
  if (x == 0) return {};
  int exponent = 0;
  const Float fraction = frexp(x < 0 ? Float(-x) : x, &exponent);
  const Float scaled = ldexp(fraction, kPiecesBits);
  const Float whole = trunc(scaled);
  return {x < 0, whole.template convert_to<std::uint64_t>(),
          std::int64_t{exponent} - kPiecesBits, scaled != whole};
}

// The rounding of the real number inside `value`, which a Real of rung kRung
// encloses. If its two ends round apart, asks `evaluate.operator()<Wider>()`
// for a tighter enclosure. Throws Undecided after the last rung.
template <class Family, std::size_t kRung = 0, class Real, class Evaluate>
Golden decide(const Real& value, const Evaluate& evaluate,
              Rounding rounding = Rounding::kToOdd) {
  const std::pair<Pieces, Pieces> ends = Family::ends(value);
  const std::uint64_t low = round_f64(ends.first, rounding);
  const std::uint64_t high = round_f64(ends.second, rounding);
  if (low == high) {
    return {low, Family::template kBits<Family::kRungs[kRung]>};
  }
  if constexpr (kRung + 1 < Family::kRungs.size()) {
    using Wider = typename Family::template Real<Family::kRungs[kRung + 1]>;
    const Wider wider = evaluate.template operator()<Wider>();
    return decide<Family, kRung + 1>(wider, evaluate, rounding);
  } else {
    throw Undecided("undecided at the last precision");
  }
}

// Decides `value` to twice the precision: lo is a real number like any other
// once hi is known.
template <class Family, class Real, class Evaluate>
WideGolden decide_wide(const Real& value, const Evaluate& evaluate) {
  const Golden hi = decide<Family>(value, evaluate, Rounding::kNearestEven);
  const double h = std::bit_cast<double>(hi.bits);
  if (std::isinf(h)) return {hi.bits, 0, hi.precision_bits};
  const auto remainder = [&]<class Wider>() {
    return Wider(evaluate.template operator()<Wider>() - Wider(h));
  };
  const Golden lo =
      decide<Family>(Real(value - Real(h)), remainder, Rounding::kNearestEven);
  return {hi.bits, lo.bits, std::max(hi.precision_bits, lo.precision_bits)};
}

}  // namespace ropeproof::reference
