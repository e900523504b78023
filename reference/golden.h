// golden.h -- values of the specification, rounded once, with a certificate.
//
// A golden is the real number that rope.h defines, rounded to odd into binary64
// (format.h): one ordinary cast of it to f32, f16 or bf16 is correctly rounded.
// It is never a best guess: an oracle encloses the real number in an interval,
// both of whose ends round to the same bits; if they do not, it widens its
// arithmetic, and after the last rung it throws Undecided.
//
// Termination: an angle of zero and zero pairs are exact and handled as such.
// In every other case the value is transcendental (Lindemann-Weierstrass: base,
// x, m and p are algebraic), so it is no binary number, and shrinking intervals
// separate it from its neighbours. See README.md, "Why Ziv's loop ends".
#pragma once

#include <cstdint>
#include <memory>
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
  // No certificate: a golden that it alone supports is uncertified.
  kBinFloat,
};

bool available(Oracle oracle);

// kMpfi where it was built in. Both give the same bits.
Oracle best_oracle();

struct Golden {
  std::uint64_t bits = 0;  // binary64, rounded to odd
  int precision_bits = 0;  // working precision that decided it
};

// A real number y as an unevaluated sum: hi = RN(y), lo = RN(y - hi), 106 bits
// of it. Where hi is an infinity, lo is 0.
struct WideGolden {
  std::uint64_t hi = 0, lo = 0;
  int precision_bits = 0;
};

// m cos(phi) and m sin(phi), forward; and m, which with xPos depends on the
// pair and the position.
struct GoldenCosSin {
  Golden cos, sin, amplitude;
};
struct WideCosSin {
  WideGolden cos, sin;
  Golden amplitude;
};

struct Undecided : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Everything below throws std::invalid_argument for a specification or
// position outside its range (spec.h), or an oracle that was not built in.

// The goldens of one specification at some positions. The frequencies and the
// cosines and sines of every position and pair are enclosed once, for all
// tensors and formats. Uses OpenMP; no result depends on the number of threads.
// Cost: about 10 us per position and pair, 1 us per value.
class OracleProver;
class Goldens {
 public:
  // `positions` is [axes, tokens], with axes = spec.axes.count: row by row, one
  // number per token on each axis.
  Goldens(Oracle oracle, const Spec& spec, std::span<const double> positions);
  ~Goldens();
  Goldens(Goldens&&) noexcept;
  Goldens& operator=(Goldens&&) noexcept;

  // The amplitude, and the branches that the scaling takes (resolve.h).
  const Resolution& resolution() const;

  // theta_j for all pairs (R1), scaled (R7)-(R14).
  std::vector<WideGolden> frequencies() const;

  // One entry per token and pair, [tokens, rotary_dim/2].
  std::vector<GoldenCosSin> table() const;
  std::vector<WideCosSin> wide_table() const;

  // The rotated tensor (R6), dense [tokens, heads, head_dim]; `x` is dense and
  // finite, and exact as given. Channels outside the window come back as they
  // are, with precision_bits 0.
  std::vector<Golden> rope(std::int64_t heads, std::span<const double> x) const;
  std::vector<WideGolden> wide_rope(std::int64_t heads,
                                    std::span<const double> x) const;

 private:
  void validate_x(std::int64_t heads, std::span<const double> x) const;

  std::int64_t tokens_, head_dim_;
  std::unique_ptr<OracleProver> prover_;
};

// What needs no positions.
Resolution golden_resolution(Oracle oracle, const Spec& spec);
std::vector<WideGolden> golden_frequencies(Oracle oracle, const Spec& spec);

}  // namespace ropeproof::reference
