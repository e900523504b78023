// arithmetic.h -- how a kernel rounds: angles, tables, products and sums, by
// their bits.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_ARITHMETIC_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_ARITHMETIC_H_

#include <optional>
#include <vector>

#include "conformance/identify/angles.h"
#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

struct AngleReading {
  Finding finding;
  // The frequencies are exact: what powers of 2 showed was the angle's
  // rounding.
  bool is_of_exact = false;
};
// Reads in which type positions and frequencies are multiplied: `theta` of each
// pair is as it was read.
std::optional<AngleReading> read_angle(RotationReader& reader,
                                       const std::vector<double>& theta,
                                       const Speeds& speeds,
                                       double max_position);

// Reads which type's numbers cos and sin are, of f32 and f64 tensors.
std::optional<Finding> read_table_type(RotationReader& reader);

// Reads in which order results are rounded, and whether multiply-adds are. `c`
// has one token and one head.
Finding read_roundings(Prober& prober, std::uint32_t operation,
                       const cases::Case& c, const ChannelMap& map);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_ARITHMETIC_H_
