// form.h -- from a row to a case: numbers for its classes.
//
// Nothing of a formed case is committed. Its inputs follow from the row and a seed by
// integer arithmetic alone, its goldens from its inputs, so every machine forms the
// same bits.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORM_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORM_H_

#include <cstdint>

#include "conformance/cases/case.h"
#include "conformance/cover/question.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// Sizes, specification, positions and where the tensors lie; q and k are zeros.
// `max_position` as a kernel declares it: where it is in the row's class of
// magnitudes it is the largest position. With `model`, dtype and specification are
// those of that case, but for a length that the positions decide.
cases::RopeCase outline(const Question& question, std::uint64_t seed,
                        std::int64_t max_position,
                        const cases::RopeCase* model = nullptr);

// Fills in q, k and the goldens; with `has_nans` channels outside the window hold
// what mark_copies() says. Cost: see reference/sweep/.
void fill(cases::RopeCase& c, const Question& question, std::uint64_t seed,
          reference::Oracle oracle, bool has_nans = true);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORM_H_
