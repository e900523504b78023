// form.h -- from a row to a case: numbers for its classes.
//
// Nothing of a formed case is committed. Its inputs follow from the row and a
// seed by integer arithmetic alone, its goldens from its inputs, so every
// machine forms the same bits.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORM_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORM_H_

#include <cstdint>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/cover/question.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// Sizes, specification, positions and where the tensors lie; q and k are zeros.
// `max_position` as a kernel declares it: where it is in the row's class of
// magnitudes it is the largest position. With `model`, dtype and specification
// are the model's, but for a length that the positions decide.
cases::Problem outline(const Question& question, std::uint64_t seed,
                       std::int64_t max_position,
                       const cases::Problem* model = nullptr);

// Fills in q and k and returns the golden. With `has_nans` channels outside the
// window hold what mark_copies() says. Cost: see reference/sweep/.
cases::Golden fill(cases::Problem& p, const Question& question,
                   std::uint64_t seed, reference::Oracle oracle,
                   bool has_nans = true);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORM_H_
