// mutations.h -- ways of being wrong, of which mutants are made.
#ifndef ROPEPROOF_CONFORMANCE_DIAGNOSIS_MUTATIONS_H_
#define ROPEPROOF_CONFORMANCE_DIAGNOSIS_MUTATIONS_H_

#include "conformance/diagnosis/knobs.h"

namespace ropeproof::conformance::diagnosis {

template <class Knob, class Value>
auto set(Knob Knobs::*knob, Value value) {
  return [=](Knobs& knobs) { knobs.*knob = value; };
}

// is(problem, index): the heads that are not rotated.
template <class Is>
auto skips(Is is) {
  return set(&Knobs::adjust_in_problem,
             [=](const auto& p, const auto& index, auto& c, auto& s) {
               if (is(p, index)) c = 1, s = 0;
             });
}

// The heads that are rotated the wrong way.
template <class Is>
auto reverses(Is is) {
  return set(&Knobs::adjust_in_problem,
             [=](const auto& p, const auto& index, auto&, auto& s) {
               if (is(p, index)) s = -s;
             });
}

}  // namespace ropeproof::conformance::diagnosis

#endif  // ROPEPROOF_CONFORMANCE_DIAGNOSIS_MUTATIONS_H_
