// positions.h -- which position a kernel rotates a token by, beside the given
// one.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_POSITIONS_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_POSITIONS_H_

#include <vector>

#include "conformance/identify/angles.h"
#include "conformance/identify/finding.h"

namespace ropeproof::conformance::identify {

// Of one token alone: near powers of 2, as far as the kernel goes.
Finding read_positions(RotationReader& reader, const Speeds& speeds,
                       double max_position);

// Of several batch rows, tokens and heads, at positions in no order. `c` has
// them; its positions are replaced.
Finding read_rows(Prober& prober, cases::Case c, const ChannelMap& map,
                  const Speeds& speeds, double max_position);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_POSITIONS_H_
