// offered.h -- what a case asks of a kernel, and what a kernel offers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/problem.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

inline constexpr std::uint32_t kRopeOperations[] = {
    ROPEPROOF_FREQUENCIES, ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_ROPE,
    ROPEPROOF_LOOKUP};

// What a description does not offer of a call, in words; empty if it offers
// everything.
std::string missing_feature(const plugin::Description& description,
                            std::uint32_t operation, const cases::Problem& p,
                            bool shares_memory);

// The operations of a case of which nothing is missing.
std::vector<std::uint32_t> offered_operations(
    const plugin::Description& description, const cases::Problem& p,
    bool shares_memory);

std::uint32_t needed_features(std::uint32_t operation, const cases::Problem& p,
                              const plugin::Description& description,
                              bool shares_memory);

}  // namespace ropeproof::conformance::check
