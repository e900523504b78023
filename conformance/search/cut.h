// cut.h -- a smaller case made of parts of a larger one, beside pick_tokens() and
// pick_heads() of check/attempt.h.
//
// Cases have no goldens here, before and after: they are proved anew.
#ifndef ROPEPROOF_CONFORMANCE_SEARCH_CUT_H_
#define ROPEPROOF_CONFORMANCE_SEARCH_CUT_H_

#include <cstdint>
#include <vector>

#include "conformance/cases/case.h"
#include "reference/spec.h"

namespace ropeproof::conformance::search {

using Indices = std::vector<std::int64_t>;

// 0, 1, ... count - 1, but for `but`.
Indices all_of(std::int64_t count, std::int64_t but = -1);

// The heads of k as q, without k.
cases::RopeCase keys_as_queries(const cases::RopeCase& c);

// Axis `kept` alone; its weights too, where the axes have any.
cases::RopeCase cut_axes(const cases::RopeCase& c, std::int64_t kept);

// The pairs `kept`, laid out by `layout`, which has as many. What a
// specification has one of per pair, and the elements that a pair reads, go with
// the pair; the channels outside the window are filled in their order.
cases::RopeCase relaid(const cases::RopeCase& c, const Indices& kept,
                       const reference::Layout& layout);

// The fewest channels that hold the pairs of this layout.
std::int64_t window_width(const reference::Layout& layout);

// The same numbers, each rounded to `dtype`.
cases::RopeCase converted(const cases::RopeCase& c, reference::Format dtype);

}  // namespace ropeproof::conformance::search

#endif  // ROPEPROOF_CONFORMANCE_SEARCH_CUT_H_
