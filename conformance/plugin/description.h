// description.h -- what a kernel may say of itself: ranges and refusals.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// The most that power_ulp and trig_ulp of a claim may be.
inline constexpr std::uint32_t kMaxUlp = 4;

// Throws KernelError, which begins with `source`, unless `version` is
// ROPEPROOF_ABI_VERSION.
void check_abi_version(std::int64_t version, const std::string& source);

// Returns the description that a library has filled in, whose strings are
// elsewhere. Claims that are all zeros count only before others.
Description description_of(const ropeproof_description& d, std::string name,
                           std::string version);

// Describes a kernel that offers all that the ABI has, in the strictest class.
Description everything(std::string name);

// Throws KernelError, which begins with `source`, unless every field is in its
// range and the description offers something that can be tested.
void check_description(const Description& description,
                       const std::string& source);

}  // namespace ropeproof::conformance::plugin
