// frequency_findings.h -- what the frequencies of several bases say together.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_FINDINGS_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_FINDINGS_H_

#include <ropeproof_kernel.h>

#include <span>
#include <vector>

#include "conformance/identify/angles.h"
#include "conformance/identify/frequency_words.h"

namespace ropeproof::conformance::identify {

// The plain frequencies of one base.
struct BaseReading {
  cases::Case problem;
  std::vector<PairFrequency> pairs;  // rotated forward
  bool is_reversed = false;
  bool has_offset_of_its_own = false;  // then `pairs` are rough
  std::vector<Recipe> fit;

  // Of each pair: of the recipe that fits, else as measured.
  std::vector<double> theta() const;
};
BaseReading reading_of(const cases::Case& problem, const Speeds& speeds);

// Direction; what departs, of each base; and which recipes fit all bases.
// `angle_is_of_exact`: as AngleReading says.
std::vector<Finding> frequency_findings(std::span<const BaseReading> readings,
                                        const ropeproof_claim& claim,
                                        bool angle_is_of_exact);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_FREQUENCY_FINDINGS_H_
