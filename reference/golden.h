// golden.h -- values of the specification, rounded once, with a certificate.
//
// A golden is the real number that rope.h defines, rounded to odd into binary64
// (format.h): one ordinary cast of it to f32, f16 or bf16 is correctly rounded.
// It is never a best guess: an oracle encloses the real number in an interval,
// both of whose ends round to the same bits; if they do not, it widens its
// arithmetic, and after the last rung it throws Undecided.
//
// Termination: an angle of zero and zero pairs are exact and handled as such. In
// every other case the value is transcendental (Lindemann-Weierstrass:
// base, x, m and p are algebraic), so it is no binary number, and shrinking
// intervals separate it from its neighbours. See README.md, "Why Ziv's loop
// ends".
#ifndef ROPEPROOF_REFERENCE_GOLDEN_H_
#define ROPEPROOF_REFERENCE_GOLDEN_H_

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "reference/scaling.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// The two oracles evaluate the one text of rope.h in different arithmetic.
enum class Oracle {
  // MPFI intervals, outward rounded: a machine-checked enclosure. The
  // certificate. Needs MPFI, MPFR and GMP at build time.
  kMpfi,
  // cpp_bin_float with an argued error bound; shares no code with MPFR or GMP.
  // The second opinion: "uncertified" where it stands alone.
  kBinFloat,
};

bool available(Oracle oracle);

struct Golden {
  std::uint64_t bits = 0;  // binary64, rounded to odd
  int precision_bits = 0;  // working precision that decided it
};

// A real number y as an unevaluated sum of two binary64 numbers: hi = RN(y),
// lo = RN(y - hi); lo is 0 beside an infinite hi. |hi + lo - y| <= 2^-106 |y|.
struct GoldenSum {
  std::uint64_t hi = 0, lo = 0;
  int precision_bits = 0;
};
using GoldenFrequency = GoldenSum;  // theta

// m cos(phi) and m sin(phi), forward; and m, which with xPos depends on the pair
// and the position.
struct GoldenTurn {
  Golden cos, sin, amplitude;
};

// m cos(phi) and m sin(phi), forward.
struct GoldenTurnSum {
  GoldenSum cos, sin;
};

struct Undecided : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// All of them throw std::invalid_argument for a specification, shape or
// position outside its range (spec.h), or an oracle that was not built in.

// The amplitude, and the branches that the scaling takes (resolve.h).
Resolution golden_resolution(Oracle oracle, const Spec& spec);

// theta_j for all pairs (R1), scaled (R7)-(R14).
std::vector<GoldenFrequency> golden_frequencies(Oracle oracle,
                                                const Spec& spec);

// Positions are [axes, tokens], with axes = spec.axes.count: row by row, one
// number per token on each axis. Integers up to 2^53 are exact as doubles; the
// overloads that take them do no more than that.

// One entry per token and pair, [tokens, rotary_dim/2].
std::vector<GoldenTurn> golden_table(Oracle oracle, const Spec& spec,
                                     std::span<const double> positions);
std::vector<GoldenTurn> golden_table(Oracle oracle, const Spec& spec,
                                     std::span<const std::int64_t> positions);

// The rotated tensor (R6), dense [batch, seq, heads, head_dim]. `positions` is
// [axes, batch, seq]; `x` is dense and finite, and exact as given. Channels
// outside the window come back as they are, with precision_bits 0. Cost: about
// 10 us per distinct (position, pair), 1 us per value. Uses OpenMP; the result
// does not depend on the number of threads.
std::vector<Golden> golden_rope(Oracle oracle, const Spec& spec,
                                const Shape& shape,
                                std::span<const double> positions,
                                std::span<const double> x);
std::vector<Golden> golden_rope(Oracle oracle, const Spec& spec,
                                const Shape& shape,
                                std::span<const std::int64_t> positions,
                                std::span<const double> x);

// The same values as sums of two numbers, for f64 and for what computes on with
// them. Cost: three to five times that of the above.
std::vector<GoldenTurnSum> golden_turn_sums(Oracle oracle, const Spec& spec,
                                            std::span<const double> positions);
std::vector<GoldenSum> golden_rope_sums(Oracle oracle, const Spec& spec,
                                        const Shape& shape,
                                        std::span<const double> positions,
                                        std::span<const double> x);

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_GOLDEN_H_
