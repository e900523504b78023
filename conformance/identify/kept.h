// kept.h -- what a kernel keeps from one call to the next, and should not.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_KEPT_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_KEPT_H_

#include <cstdint>
#include <span>

#include "conformance/check/variations.h"
#include "conformance/identify/finding.h"
#include "conformance/identify/prober.h"

namespace ropeproof::conformance::identify {

// For each field that the kernel takes in two values: A, B, A, and B, A with
// bases that no call had before. What is right once and wrong another time is
// kept.
Finding read_kept(Prober& prober, std::uint32_t operation,
                  std::span<const check::Variation> variations);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_KEPT_H_
