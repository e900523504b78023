// classes.h -- the classes of a call, as the kernel sees it.
//
// Reads nothing but the problem: not the row that the call was formed from.
// What forms questions and what counts them share no code.
#ifndef ROPEPROOF_CONFORMANCE_COVER_CLASSES_H_
#define ROPEPROOF_CONFORMANCE_COVER_CLASSES_H_

#include <ropeproof_kernel.h>

#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

// Open in dimensions that the operation does not see, and in `values` and
// `edge`, which no field says. `problem` is complete: its positions and lists
// can be read.
Row classes_of(const Model& model, const ropeproof_problem& problem);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_CLASSES_H_
