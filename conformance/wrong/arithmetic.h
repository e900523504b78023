// arithmetic.h -- how a pipeline rounds: what it makes of numbers on their way
// from the tensor and the table to the result.
#pragma once

#include "conformance/wrong/pipeline.h"
#include "reference/format.h"

namespace ropeproof::conformance::wrong {

class Arithmetic {
 public:
  // Takes tensors of `dtype`. The pipeline outlives this.
  Arithmetic(const Pipeline& pipeline, reference::Format dtype);

  double element(double x) const;  // as it is read
  double entry(double x) const;    // of a table that is formed
  double sum(double a, double b, double c, double d) const;  // a b + c d
  double result(double sum) const;  // before it is stored in `dtype`

 private:
  double flushed(Flush what, reference::Format format, double x) const;
  double product(double a, double b) const;
  double fused(double a, double b, double product) const;

  const Pipeline& pipeline_;
  // The type of results, of steps on the way to them, and that in which a
  // product is subnormal.
  reference::Format narrow_, step_, products_;
};

}  // namespace ropeproof::conformance::wrong
