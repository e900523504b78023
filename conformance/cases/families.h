// families.h -- which cases exist: their inputs, without their goldens.
//
// A family is a way of choosing inputs that catches a group of bugs; shapes are
// unequal, positions irregular and odd, next to powers of two, because round
// numbers hide errors (positions 300, 512, 4096 are exact in bf16; 257 is not).
#ifndef ROPEPROOF_CONFORMANCE_CASES_FAMILIES_H_
#define ROPEPROOF_CONFORMANCE_CASES_FAMILIES_H_

#include <string>
#include <vector>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::cases {

// The smoke tier: 64 cases in six groups.
std::vector<Group> smoke_families();

// The core tier: features in combinations; scalings, position schemes, layouts.
Group contract_family();
Group scaling_family();
Group position_family();
Group layout_family();

// Weight and bias permutation, LLaMA <-> Hugging Face.
Group permute_family();

// The worked example of a document, with the decimals that it prints, as read
// from vectors/sources/worked_example.json. Throws VectorError.
Group worked_example(const std::string& source_text, const std::string& file);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_FAMILIES_H_
