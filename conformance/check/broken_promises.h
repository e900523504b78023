// broken_promises.h -- failing checks without wrong values of their own: calls
// that ended badly, and promises beside the numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/explain/rule.h"

namespace ropeproof::conformance::check {

// What a kernel answers when it is asked problems like the one of a check, in a
// round; nothing where it is not asked.
using SeenAgain = std::function<explain::Seen(const Check& check, int round)>;

// Returns one diagnosis for each kind of broken promise, the most frequent
// first. Promises that wrong values explain are left out: those of a case whose
// values are wrong, and wrong values in another call that a fresh process
// gives, too; and the checks of the run whose indices are in `explained`.
std::vector<explain::Diagnosis> broken_promises(
    const Run& run, const std::set<std::size_t>& explained = {},
    const SeenAgain& again = {});

}  // namespace ropeproof::conformance::check
