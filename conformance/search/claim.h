// claim.h -- the strictest claims that a kernel's results hold to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::search {

struct FoundClaims {
  std::vector<ropeproof_claim> claims;  // dtypes with equal claims share one
  std::uint32_t none = 0;               // dtypes for which no claim holds
  std::uint32_t unasked = 0;            // dtypes that no case asked for
  std::int64_t calls = 0;
  // Calls without a result to judge, and the first: a crash, a refusal, a write
  // outside the outputs.
  std::int64_t spoiled = 0;
  std::string first_spoiled;
};

// Calls the kernel once for each case and operation of `selection` that it
// offers, those that are formed for it among them, then tries the claims, the
// one first that allows the smallest error at the largest of their positions:
// of the angle (A0, A1 in f64, by pow, by exp2, A2), the type of cos and sin,
// the rounding, the ulps of power and of sin and cos. The type of tables is
// varied only where nobody is given one or gives one out. Angles of 16 bits
// (A3), and cos and sin in a narrower type than that of the tensors, are tried
// with `has_coarse` alone: who computes so should say so. Nothing but values is
// looked at. Memory: all results. Throws as check::run_suite() does.
FoundClaims find_claims(plugin::Kernel& kernel, const cases::Corpus& corpus,
                        const check::Selection& selection = {},
                        bool has_coarse = false);

// The claims in words, and to paste into C and Python.
std::string claims_text(const FoundClaims& found);

// For programs: JSON with `claims` as a description has them, the dtypes `none`
// and `unasked`, the numbers `calls` and `spoiled`, and `first_spoiled`.
std::string claims_json(const FoundClaims& found);

}  // namespace ropeproof::conformance::search
