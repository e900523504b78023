// changes.h -- ways of being wrong, of which mutants are made.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_CHANGES_H_
#define ROPEPROOF_CONFORMANCE_WRONG_CHANGES_H_

#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::wrong {

template <class Knob, class Value>
auto set(Knob Pipeline::*knob, Value value) {
  return [=](Pipeline& pipeline) { pipeline.*knob = value; };
}

// is(problem, index): the heads that are not rotated.
template <class Is>
auto skips(Is is) {
  return set(&Pipeline::adjust_in_problem,
             [=](const auto& p, const auto& index, auto& c, auto& s) {
               if (is(p, index)) c = 1, s = 0;
             });
}

// The heads that are rotated the wrong way.
template <class Is>
auto reverses(Is is) {
  return set(&Pipeline::adjust_in_problem,
             [=](const auto& p, const auto& index, auto&, auto& s) {
               if (is(p, index)) s = -s;
             });
}

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_CHANGES_H_
