#include "conformance/diagnosis/hypotheses.h"

#include "conformance/diagnosis/hypothesis_lists.h"

namespace ropeproof::conformance::diagnosis {

const std::vector<Hypothesis>& hypotheses() {
  static const std::vector<Hypothesis> kAll = [] {
    std::vector<Hypothesis> all;
    for (const auto& list :
         {layout_hypotheses, window_hypotheses, frequency_hypotheses,
          scaling_hypotheses, amplitude_hypotheses, position_hypotheses,
          token_hypotheses, axis_hypotheses, rounding_hypotheses,
          memory_hypotheses, weight_hypotheses}) {
      for (Hypothesis& hypothesis : list()) {
        all.push_back(std::move(hypothesis));
      }
    }
    return all;
  }();
  return kAll;
}

}  // namespace ropeproof::conformance::diagnosis
