// predictor.h -- what kernels with known bugs answer to a case.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/answer.h"
#include "conformance/judge/output.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/description.h"
#include "conformance/wrong/pipeline.h"
#include "reference/format.h"

namespace ropeproof::conformance::explain {

// The number of an element of an output; for what the buffer held before the
// call a NaN that no arithmetic forms.
double written_number(reference::Format format, std::uint64_t bits);

// The number that written_number() is of memory that nobody wrote; and whether
// one may be so, or is.
double unwritten_number();
bool may_be_unwritten(double number);
bool is_surely_unwritten(double number);

// The distance of two numbers: 0 for two NaNs of the same kind, infinite where
// one alone is a NaN.
double distance(double a, double b);

class Predictor {
 public:
  // The case that was asked outlives it.
  Predictor(const Answer& answer, const plugin::Description& kernel);

  // Says which rotated heads are wanted, q's first; the others hold anything,
  // unless a bug moves rows.
  void want(std::vector<bool> heads) { wanted_ = std::move(heads); }

  // The answer of an exact kernel with these changes, element by element, in
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
  // The answer of a kernel; nothing where it leaves its memory.
  std::optional<judge::Output> answer(wrong::Pipeline pipeline,
                                      const cases::Case& asked,
                                      reference::Format table) const;

  const cases::Case* case_;
  std::uint32_t operation_;
  reference::Format table_ = reference::Format::kF32;  // of the claim
  plugin::Description kernel_;
  cases::Case wide_;  // the same problem in binary64
  std::vector<double> inv_freq_, inv_freq_lo_;
  std::vector<bool> wanted_;  // empty: all
  // Copies of the problem whose far rows have moved close together, so that
  // they fit into memory: the farthest ones alone, and all rows.
  std::optional<cases::Case> nearer_, near_;
};

}  // namespace ropeproof::conformance::explain
