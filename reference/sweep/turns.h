// turns.h -- the rotation e^(i theta x) in double-double arithmetic, from theta
// in turns.
//
//   (T1) The oracle encloses t = theta_j / 2 pi, and |t| is kept in fixed
//        point, 192 bits behind the point. A coordinate x is a sum of doubles,
//        and the product of t and a double is exact in integers, so the
//        fraction f of t x, 0 <= f < 1, is off by the error of t times |x| and
//        by 2^-192 for each product: reducing loses nothing, however large x.
//   (T2) f = k / 1024 + r, |r| <= 1/2048: e^(2 pi i k / 1024) comes from a
//        table that the oracle encloses, and cos and sin of a = 2 pi r,
//        |a| < 2^-8.3, are polynomials:
//            sin a = a + a z (-1/6 + z (1/120 + z q)),   z = a^2,
//            cos a = 1 + z (-1/2 + z (1/24 + z p)),
//        with q and p, which weigh less than 2^-41 of the whole, in doubles.
//        The remainders z^6/13! and z^6/12! are below 2^-128.
//   (T3) The product of the two rotations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/oracle.h"
#include "reference/sweep/double_double.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {

// sin a, relative: r as two doubles (1.01 u^2), times 2 pi (kProductError, and
// 0.3 u^2 for its two doubles), and the sum with a term that weighs 2^-19
// (kSumError, and 0.01 u^2). cos a is better.
inline constexpr double kSmallSineError =
    1.01 * kU2 + kProductError + 0.3 * kU2 + kSumError + 0.01 * kU2;
// An entry of the table as two doubles.
inline constexpr double kCircleError = 1.01 * kU2;
// (T3): cos = C cos a - S sin a is off by kTurnError (|C cos a| + |S sin a|);
// sin likewise. Relative to what is summed: where S = 0, a small sine is as
// good as a.
inline constexpr double kTurnError = 18.4 * kU2;

// |t| in units of 2^-192, the lowest limb first.
struct FixedTurns {
  std::array<std::uint64_t, 4> limbs{};
  bool is_negative = false;
  double error = 0;  // in turns; infinite where |t| is 2^60 or more

  bool is_zero() const { return error == 0; }  // exactly
};
FixedTurns fixed(const Turns& t);

// One entry: the rotation by the sum of t x over `summands`.
struct TurnedEntry {
  CosSin cos_sin;
  CosSinError error;
};

// cos and sin of k / 1024 turns, k = 0 .. 128.
using Circle = std::vector<CosSin>;
Circle circle_of(const std::vector<CosSinEnclosure>& eighth);
inline constexpr std::int64_t kCircleSteps = 1024;

// Entries of a row: `summands` is [pairs, terms], the doubles whose sum is the
// coordinate of each pair. With an infinite one the error is infinite, too.
// Cost: some 100 ns an entry.
void turn_row(const Circle& circle, std::span<const FixedTurns> turns,
              std::span<const double> summands, TurnedEntry* entries);

}  // namespace ropeproof::reference::sweep
