// diagnoses_text.h -- what, where and why, in three lines a fault.
#ifndef ROPEPROOF_CONFORMANCE_REPORT_DIAGNOSES_TEXT_H_
#define ROPEPROOF_CONFORMANCE_REPORT_DIAGNOSES_TEXT_H_

#include <string>
#include <vector>

#include "conformance/explain/diagnosis.h"

namespace ropeproof::conformance::report {

struct DiagnosisWords {
  std::string what, where, why;  // `why` may be empty
};

// The words of each fault. Details: a bug of the same class in some engine.
std::vector<DiagnosisWords> diagnosis_words(
    const std::vector<explain::Diagnosis>& diagnoses, bool has_details);

// Returns "" without a diagnosis. Details: a bug of the same class in some
// engine.
std::string diagnoses_text(const std::vector<explain::Diagnosis>& diagnoses,
                           bool has_details);

}  // namespace ropeproof::conformance::report

#endif  // ROPEPROOF_CONFORMANCE_REPORT_DIAGNOSES_TEXT_H_
