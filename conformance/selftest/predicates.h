// predicates.h -- for which problems, and where in them, a mutant is wrong.
#pragma once

#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::selftest {

using Problem = ropeproof_problem;

template <class... Is>
auto all(Is... is) {
  return [=](const Problem& p) { return (is(p) && ...); };
}

inline bool has_keys(const Problem& p) { return p.k.heads > 0; }
inline bool has_axes(const Problem& p) { return p.position_axes > 1; }
inline bool is_adjoint(const Problem& p) { return p.direction < 0; }

inline bool is_last_head(const Problem& p, const wrong::HeadIndex& i) {
  return i.head == (i.is_key ? p.k : p.q).heads - 1;
}

}  // namespace ropeproof::conformance::selftest
