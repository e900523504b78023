// controls.h -- honest kernels of every kind, which the suite must pass, and
// near which its bounds must be.
#pragma once

#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/report/report.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {

// A kernel and the claim next to its own, in one respect: angle class, table,
// rounding or ulp. Empty: above A0 and one rounding there is only correct
// rounding.
struct Control {
  std::string name;
  plugin::Description description;
  std::function<void(plugin::Description&)> tighten;
  wrong::Pipeline pipeline;
};

// Returns all controls, "f32 direct" and so on; controls in f64 need cases in
// f64.
std::vector<Control> controls();

// The cases that controls are judged on: the corpus, and some in f64 and f16.
// Costs below a second for those.
cases::Corpus control_corpus(const cases::Corpus& corpus);

// A bound is honest if an honest kernel uses between these fractions of it.
inline constexpr double kLeastShare = 0.02, kMostShare = 1;

struct ControlScore {
  std::string name;
  double share = 0;            // of the bound, the largest
  bool passes = false;         // at its claim, within the shares
  bool fails_tighter = false;  // at the claim next to it
  std::string tighter;         // that claim, in words

  bool is_right() const { return passes && fails_tighter; }
};

ControlScore score(const Control& control, const cases::Corpus& corpus);

// Any kernel of class A0: right if it passes and is not always correctly
// rounded.
ControlScore score(plugin::Kernel& kernel, const std::string& name,
                   const cases::Corpus& corpus);

}  // namespace ropeproof::conformance::selftest
