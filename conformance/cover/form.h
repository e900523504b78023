// form.h -- from a recipe to a case: numbers for its classes.
//
// Nothing of a formed case is committed. Its inputs follow from the row and a
// seed by integer arithmetic alone, its goldens from its inputs, so every
// machine forms the same bits.
#pragma once

#include <cstdint>

#include "conformance/cases/case.h"
#include "conformance/cover/recipe.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// Sizes, specification, positions and where the tensors lie; q and k are zeros.
// `max_position` as a kernel declares it: where it is in the row's class of
// magnitudes it is the largest position. A length that the positions decide is
// theirs, also in a profile.
cases::Problem outline(const Recipe& recipe, std::int64_t max_position);

// Fills in q and k and returns the golden. With `has_nans` channels outside the
// window hold what mark_copies() says. Cost: see reference/sweep/.
cases::Golden fill(cases::Problem& p, const Recipe& recipe,
                   reference::Oracle oracle, bool has_nans = true);

// The whole case.
cases::Case form(const Recipe& recipe, std::int64_t max_position,
                 reference::Oracle oracle);

}  // namespace ropeproof::conformance::cover
