// problem.h -- a ropeproof_problem, as far as a specification says what it is.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>

#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// Whether no formula says what the frequencies are: they are given, or have
// factors of their own, which the ABI has no words for.
bool are_given(const reference::Frequencies& frequencies);
// Whether base and scaling alone say what the frequencies are.
bool follows_base(const reference::Frequencies& frequencies);
// Whether bases and exponents of each pair say so.
bool follows_exponents(const reference::Frequencies& frequencies);

// The scaling that a kernel is told: none where factors come on top of it.
reference::Scaling told_scaling(const reference::Frequencies& frequencies);

// Returns kind and numbers of a scaling; its lists are null. Kind 0 is none.
ropeproof_scaling abi_scaling(const reference::Scaling& scaling);

// Returns a problem with all fields that are neither buffers nor their strides,
// amplitude 1 and no scaling. frequencies and table know neither dtype nor
// layout nor direction.
ropeproof_problem problem_of(std::uint32_t operation,
                             const reference::Spec& spec,
                             reference::Format dtype, std::int64_t batch,
                             std::int64_t seq);

}  // namespace ropeproof::conformance::plugin
