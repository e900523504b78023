// stress_case.h -- cases without end, from a seed alone.
//
// Nothing is stored: case i of seed s is a function of (s, i), the same on
// every machine, so a failure is named by two numbers.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_STRESS_CASE_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_STRESS_CASE_H_

#include <cstdint>

#include "conformance/corpus/case.h"

namespace ropeproof::conformance {

// Case `index` of stream `seed`, drawn from all variants: dtype, pairing,
// window, scaling, axes, positions with |p| < 2^31, shapes, memory, values.
// About one case in four uses no feature beyond a partial head and gaps in
// memory. Its specification is valid and every oracle answers it; its goldens
// are empty (prove.h). At most kMaxStressElements elements of q and k together.
//
// The id, "stress-SEED-INDEX", is for reports: it is not permanent, another
// version may draw other cases.
RopeCase stress_case(std::uint64_t seed, std::uint64_t index);

inline constexpr std::int64_t kMaxStressElements = 800;

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_STRESS_CASE_H_
