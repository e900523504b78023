// predictor.h -- what kernels with known bugs answer to a case.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_PREDICTOR_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_PREDICTOR_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/answer.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/description.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::explain {

class Predictor {
 public:
  // What was asked outlives it.
  Predictor(const Answer& answer, const plugin::Description& kernel);

  // Of rotated heads, q's first: those that are wanted; the others hold
  // anything, unless a bug moves rows.
  void want(std::vector<bool> heads) { wanted_ = std::move(heads); }

  // What an exact kernel with these changes answers, element by element, in
  // binary64: q, then k; cosines, then sines; frequencies; a weight's bits.
  // Empty where it leaves its memory, or the machine has no address space for
  // rows so far apart. `angle_error`: every angle is off by so much of itself.
  // Cost: some 0.3 us for each pair.
  std::vector<double> operator()(
      const std::function<void(wrong::Pipeline&)>& change,
      double angle_error = 0) const;

 private:
  bool is_wanted(const ropeproof_problem& p,
                 const wrong::HeadIndex& index) const;
  std::vector<double> permuted(
      const std::function<void(wrong::Pipeline&)>& change) const;

  const cases::Case* case_;
  std::uint32_t operation_;
  reference::Format table_ = reference::Format::kF32;  // of the claim
  plugin::Description kernel_;
  cases::Case wide_;  // the same problem in binary64
  std::vector<double> inv_freq_, inv_freq_lo_;
  std::vector<bool> wanted_;  // empty: all
  // And drawn together, if rows are far apart: the farthest, or all.
  std::optional<cases::Case> nearer_, near_;
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_PREDICTOR_H_
