// judgement.h -- one result of a kernel: its golden, its bounds, and what is
// wrong with it, in words.
#ifndef ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_
#define ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ropeproof::conformance::assertion {

struct Judgement {
  std::int64_t elements = 0, wrong = 0;
  double worst = 0;  // error over bound
  // A number for each element, q's before k's, or cos before sin.
  std::vector<double> golden, bound;
  std::string text;
};

// Judges what a kernel has written of a problem, held to a claim. Throws
// std::invalid_argument, one line, for a problem that contradicts itself or
// cannot be judged.
Judgement judged(const ropeproof_problem& problem,
                 const ropeproof_claim& claim);

}  // namespace ropeproof::conformance::assertion

#endif  // ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_
