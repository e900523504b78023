// said.h -- whether a diagnosis says what a fault is.
#pragma once

#include <span>

#include "conformance/explain/diagnosis.h"
#include "conformance/selftest/strangers/program.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::selftest::strangers {

enum class Said {
  kExactly,  // a bug of its area, and a rule that reads what the condition does
  kByKind,   // a bug of its area
  kVaguely,  // no name, and such a rule; or a family of bugs with one of these
  kFalsely,  // names of other areas alone
  kNothing
};
inline constexpr text::Words<Said, 5> kSaidWords{{{Said::kExactly, "exactly"},
                                                  {Said::kByKind, "by kind"},
                                                  {Said::kVaguely, "vaguely"},
                                                  {Said::kFalsely, "falsely"},
                                                  {Said::kNothing, "not"}}};

// What is said of a kernel with this fault alone. It compares areas of bugs and
// what rules are about, so it is kind to a diagnosis.
Said said_of(const Fault& fault, std::span<const explain::Diagnosis> diagnoses);

}  // namespace ropeproof::conformance::selftest::strangers
