// problem.h -- where a ropeproof_problem begins: what a specification says of it.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_PROBLEM_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_PROBLEM_H_

#include <ropeproof_kernel.h>

#include <cstdint>

#include "reference/format.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// Whether base and scaling alone say what the frequencies are.
bool follows_base(const reference::Frequencies& frequencies);
// Or bases and exponents of each pair.
bool follows_exponents(const reference::Frequencies& frequencies);

// Kind and numbers; the lists are null. Kind 0 for none.
ropeproof_scaling abi_scaling(const reference::Scaling& scaling);

// All fields that neither hold buffers nor say where these lie; amplitude 1 and
// no scaling. frequencies and table know neither dtype nor layout nor direction.
ropeproof_problem problem_of(std::uint32_t operation,
                             const reference::Spec& spec,
                             reference::Format dtype, std::int64_t batch,
                             std::int64_t seq);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_PROBLEM_H_
