// offer.h -- sets of classes: those that a kernel offers, those that an
// operation has; and the classes of a call.
#pragma once

#include <ropeproof_kernel.h>

#include "conformance/cover/model.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::cover {

// The classes that a kernel with this description takes, and the plain ones
// alone of dimensions that none of its operations sees: a kernel with a given
// table never sees a scaling. Never empty, in any dimension. `shares_memory` as
// Kernel says.
Masks offered(const Model& model, const plugin::Description& description,
              bool shares_memory);

// What is left of `masks` where dtype and specification are those of a case:
// the dimensions that these decide are plain, with as many pairs as the case.
Masks fixed(const Model& model, Masks masks, std::int64_t pairs);

// The classes that a problem of an operation can have: none of a dimension that
// it does not see.
Masks seen_by(const Model& model, std::uint32_t operation);

// The classes of a call, as the kernel sees it: they are read from the problem
// alone, whose positions and lists can be read, and not from the row that the
// call was formed from. Only where no field says the class it is that of `row`,
// open without one. Open in dimensions that the operation does not see.
Row classes_of(const Model& model, const ropeproof_problem& problem,
               const Row& row = {});

}  // namespace ropeproof::conformance::cover
