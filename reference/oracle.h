// oracle.h -- what an oracle offers to golden.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/golden.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// A real number, within `error` of hi + lo; 0 only where they are exact. hi +
// lo has some 106 bits, unless the arithmetic has not.
struct Enclosure {
  double hi = 0, lo = 0, error = 0;
};
struct CosSinEnclosure {
  Enclosure cos, sin;
};

// A frequency over 2 pi, in turns per position: a real number within `error` of
// the sum of the parts, which have some 212 bits.
struct Turns {
  std::array<double, 4> parts{};
  double error = 0;
};

// Goldens, for one oracle; arguments are checked.
class OracleProver {
 public:
  virtual ~OracleProver() = default;
  virtual const Resolution& resolution() const = 0;
  virtual std::vector<WideGolden> frequencies() const = 0;
  virtual std::vector<GoldenCosSin> table() const = 0;
  virtual std::vector<WideCosSin> wide_table() const = 0;
  virtual WideCosSin wide_entry(std::int64_t i) const = 0;  // of the table
  // The frequencies of all pairs. Cost: some 40 us each.
  virtual std::vector<Turns> turns() const = 0;
  // cos and sin of k / steps turns, k = 0 .. steps / 8.
  virtual std::vector<CosSinEnclosure> eighth(std::int64_t steps) const = 0;
  // The table as the first rung encloses it: nothing is decided.
  virtual std::vector<CosSinEnclosure> enclosed_table() const = 0;
  virtual std::vector<Golden> rope(std::int64_t heads,
                                   std::span<const double> x) const = 0;
  virtual std::vector<WideGolden> wide_rope(
      std::int64_t heads, std::span<const double> x) const = 0;
};

// `positions` is [axes, tokens].
using MakeProver = std::unique_ptr<OracleProver>(
    const Spec& spec, std::span<const double> positions);

// The certifying oracle; null where the build has no MPFI.
MakeProver* mpfi_oracle();
MakeProver* bin_float_oracle();
// The oracle's prover. Throws std::invalid_argument where it is not built in.
MakeProver& find_prover(Oracle oracle);

}  // namespace ropeproof::reference
