// contrast.h -- problems that have little in common.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/check/contract.h"

namespace ropeproof::conformance::check {

// Chooses at most `count` small problems that the kernel takes, under
// operations that it offers. Each has, of all that are left, most facts
// (facts.h) that none before it has: another dtype, pairing, scaling or
// direction first, then other sizes. Of equals the first by id.
std::vector<Subject> contrasting_subjects(
    plugin::Kernel& kernel,
    const std::map<std::string, const cases::Case*>& cases_by_id,
    std::size_t count);

}  // namespace ropeproof::conformance::check
