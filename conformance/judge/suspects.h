// suspects.h -- which bugs a wrong output looks like.
#ifndef ROPEPROOF_CONFORMANCE_JUDGE_SUSPECTS_H_
#define ROPEPROOF_CONFORMANCE_JUDGE_SUSPECTS_H_

#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/judge/equation.h"
#include "conformance/judge/measured.h"

namespace ropeproof::conformance::judge {

// Keys of cases/bug_class.h, the most likely first: classes that the measured
// frequencies, amplitudes or positions name, then those of the case's targets
// that the evidence does not contradict.
std::vector<std::string> suspects(const cases::RopeCase& c, int equation,
                                  const Evidence& evidence,
                                  const Measured& measured);

}  // namespace ropeproof::conformance::judge

#endif  // ROPEPROOF_CONFORMANCE_JUDGE_SUSPECTS_H_
