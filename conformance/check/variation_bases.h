// variation_bases.h -- the cases whose fields are changed one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// Returns the problems whose fields are changed one at a time: a few tokens and
// heads of `like`, and, where the operation forms angles and no profile is
// asked, the same problem without scaling, with each scaling, and with
// frequencies, axes and amplitudes of its own. Some may be invalid, or outside
// what the kernel offers.
std::vector<cases::Problem> variation_bases(plugin::Kernel& kernel,
                                            std::uint32_t operation,
                                            const cases::Problem& like,
                                            bool is_profile);

// The scaling of this bit, with parameters that leave few frequencies as they
// are.
reference::Scaling plausible_scaling(std::uint32_t bit, std::int64_t pairs,
                                     std::int64_t trained, std::int64_t length);

// Gives every head this many elements, those there are again and again.
void resize_heads(cases::Problem& problem, std::int64_t head_dim);

}  // namespace ropeproof::conformance::check
