// oracle.h -- what an oracle offers to golden.cc.
#ifndef ROPEPROOF_REFERENCE_ORACLE_H_
#define ROPEPROOF_REFERENCE_ORACLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/golden.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// The functions of golden.h, arguments checked; positions are [axes, tokens].
struct OracleFunctions {
  Resolution (*resolution)(const Spec&);
  std::vector<GoldenFrequency> (*frequencies)(const Spec&);
  std::vector<GoldenTurn> (*table)(const Spec&, std::span<const double>);
  std::vector<Golden> (*rope)(const Spec&, const Shape&,
                              std::span<const double>, std::span<const double>);
  std::vector<GoldenTurnSum> (*turn_sums)(const Spec&, std::span<const double>);
  std::vector<GoldenSum> (*rope_sums)(const Spec&, const Shape&,
                                      std::span<const double>,
                                      std::span<const double>);
};

// Null where the build has no MPFI.
const OracleFunctions* mpfi_oracle();
const OracleFunctions* bin_float_oracle();

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_ORACLE_H_
