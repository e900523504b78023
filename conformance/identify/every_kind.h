// every_kind.h -- problems of every kind that a kernel takes, to see what is
// wrong where.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_EVERY_KIND_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_EVERY_KIND_H_

#include <optional>
#include <span>

#include "conformance/cases/corpus.h"
#include "conformance/check/variations.h"
#include "conformance/identify/shapes.h"

namespace ropeproof::conformance::identify {

// Two batch rows of three tokens with several heads, partial where that is
// taken.
std::optional<cases::Case> small_problem(Prober& prober, Wanted wanted);

// These variations, and for each dtype and pairing a small problem and one of
// far positions; with goldens.
cases::Corpus problems_of_every_kind(
    Prober& prober, const Wanted& wanted,
    std::span<const check::Variation> variations, double max_position);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_EVERY_KIND_H_
