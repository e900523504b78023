// diagnoses_text.h -- what, where and why, in three lines a fault.
#pragma once

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
