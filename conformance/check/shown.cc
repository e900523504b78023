#include "conformance/check/shown.h"

#include <cmath>

#include "conformance/text/format.h"

namespace ropeproof::conformance::check {
namespace {

// The number that `pattern` writes; infinity as it is.
double rounded(const char* pattern, double x) {
  return std::isfinite(x) ? std::stod(text::format(pattern, x)) : x;
}

}  // namespace

void Shown::round() {
  for (auto& [size, row] : spread.by_pair) {
    for (double& ratio : row) ratio = rounded("%.3g", ratio);
  }
  if (!specimen) return;
  for (explain::SpecimenPair& p : specimen->pairs) {
    for (double* x :
         {&p.theta, &p.ratio, &p.cos, &p.sin, &p.due_cos, &p.due_sin}) {
      *x = rounded("%.9g", *x);
    }
  }
}

}  // namespace ropeproof::conformance::check
