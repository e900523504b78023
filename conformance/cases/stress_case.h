// stress_case.h -- cases without end, from a seed alone.
//
// Nothing is stored: case i of seed s is a function of (s, i) and of what is
// wanted, the same on every machine, so a kernel's failure is named by two
// numbers.
#ifndef ROPEPROOF_CONFORMANCE_CASES_STRESS_CASE_H_
#define ROPEPROOF_CONFORMANCE_CASES_STRESS_CASE_H_

#include <cstdint>
#include <functional>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// Case `index` of stream `seed`, drawn from all variants: dtype, pairing,
// window, scaling, axes, positions with |p| < 2^31, shapes, memory, values.
// About one case in four uses no feature beyond a partial head and gaps in
// memory. Its specification is valid and every oracle answers it; its goldens
// are empty (prove.h). At most kMaxStressElements elements of q and k together.
//
// The id, "stress-SEED-INDEX" with three digits at least, is for reports: it is
// not permanent, another version may draw other cases.
RopeCase stress_case(std::uint64_t seed, std::uint64_t index);

// The same for those who want some cases only. What `is_wanted` refuses is drawn
// anew, feature by feature: it is asked after the layout, the frequencies, the
// axes, the direction, the shape and the positions, what comes later being plain
// and values missing. One that refuses nothing gets the case above; after many
// tries of one feature, the case is not what is wanted.
using IsWanted = std::function<bool(const RopeCase&)>;
RopeCase stress_case(std::uint64_t seed, std::uint64_t index,
                     const IsWanted& is_wanted);

inline constexpr std::int64_t kMaxStressElements = 800;

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_STRESS_CASE_H_
