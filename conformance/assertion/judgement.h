// judgement.h -- one result of a kernel: its golden, its bounds, and what is
// wrong with it, in words.
#ifndef ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_
#define ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ropeproof::conformance::assertion {

// A number for each element, q's before k's, or cos before sin.
struct Numbers {
  std::int64_t wrong = 0;
  double worst = 0;  // error over bound
  std::vector<double> golden, bound;
};

class Judgement {
 public:
  // Judges what a kernel has written of a problem, held to a claim; neither is
  // read later. Throws std::invalid_argument, one line, for a problem that
  // contradicts itself or cannot be judged. Cost: below 20 ns an element where
  // all are within their bound beyond doubt (screening.h).
  Judgement(const ropeproof_problem& problem, const ropeproof_claim& claim);
  ~Judgement();

  std::int64_t elements() const;
  std::int64_t wrong() const { return wrong_; }
  // Elements whose bound accepts any rotation: of these the length of the pair
  // alone was judged.
  std::int64_t unjudged() const { return unjudged_; }
  // Empty where 99 of 100 elements were judged, or some are wrong; else a line
  // that says what the claim leaves open: no verdict.
  std::string no_verdict() const;
  // What only some callers want is formed when they ask, once, by any thread.
  const Numbers& numbers() const;
  const std::string& text() const;

 private:
  struct Judged;
  std::unique_ptr<Judged> judged_;
  std::int64_t wrong_ = 0, unjudged_ = 0;
};

}  // namespace ropeproof::conformance::assertion

#endif  // ROPEPROOF_CONFORMANCE_ASSERTION_JUDGEMENT_H_
