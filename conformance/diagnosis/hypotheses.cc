#include "conformance/diagnosis/hypotheses.h"

#include "conformance/diagnosis/hypothesis_lists.h"

namespace ropeproof::conformance::diagnosis {

Hypotheses joined(std::initializer_list<Hypotheses> lists) {
  Hypotheses all;
  for (const Hypotheses& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

const std::vector<Hypothesis>& hypotheses() {
  static const Hypotheses kAll =
      joined({layout_hypotheses(), window_hypotheses(), frequency_hypotheses(),
              scaling_hypotheses(), amplitude_hypotheses(),
              position_hypotheses(), token_hypotheses(), axis_hypotheses(),
              rounding_hypotheses(), memory_hypotheses(), weight_hypotheses()});
  return kAll;
}

}  // namespace ropeproof::conformance::diagnosis
