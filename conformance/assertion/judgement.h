// judgement.h -- one result of a kernel: its golden, its bounds, and what is
// wrong with it, in words.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ropeproof::conformance::assertion {

struct FusedParts;

// Whether a kernel has written what the outputs of a problem point to.
enum class Result { kGiven, kNone };

class Judgement {
 public:
  // Judges what a kernel has written of a problem, held to a claim; neither is
  // read later. Without a result there are goldens and bounds alone, and `out`
  // is not read. Throws std::invalid_argument, one line, for a problem that
  // contradicts itself or cannot be judged. Cost: below 20 ns an element where
  // all are within their bound beyond doubt (screening.h).
  Judgement(const ropeproof_problem& problem, const ropeproof_claim& claim,
            Result result = Result::kGiven);
  // Judges q or k of a fused kernel; golden and bound are in units of the scale
  // that it is stored by.
  Judgement(FusedParts parts, const ropeproof_claim& claim);
  ~Judgement();

  std::int64_t elements() const;
  std::int64_t wrong() const { return wrong_; }  // -1 without a result
  // Elements whose bound accepts any rotation: of these the length of the pair
  // alone was judged.
  std::int64_t unjudged() const { return unjudged_; }
  // Empty where 99 of 100 elements were judged, or some are wrong; else a line
  // that says what the claim leaves open: no verdict. Nor is there one where a
  // stored type shows no rotation of half of the elements.
  std::string no_verdict() const;
  // What only some callers want is formed when they ask, once, by any thread.
  // golden and bound have a number for each element, q's before k's, or cos
  // before sin.
  double worst() const;  // error over bound
  const std::vector<double>& golden() const;
  const std::vector<double>& bound() const;
  const std::string& text() const;

 private:
  struct Judged;
  std::unique_ptr<Judged> judged_;
  std::int64_t wrong_ = 0, unjudged_ = 0, hidden_ = 0;
};

}  // namespace ropeproof::conformance::assertion
