// features.h -- what a case asks of a kernel, and what a kernel offers.
#ifndef ROPEPROOF_CONFORMANCE_VERDICT_FEATURES_H_
#define ROPEPROOF_CONFORMANCE_VERDICT_FEATURES_H_

#include <cstdint>
#include <string>

#include "conformance/corpus/case.h"
#include "conformance/kernels/kernel.h"

namespace ropeproof::conformance {

// What a description does not offer of a call, in words; empty if it offers
// everything.
std::string missing_feature(const Description& description,
                            std::uint32_t operation, const RopeCase& c,
                            bool shares_memory);
std::string missing_feature(const Description& description,
                            const PermuteCase& c);

// The features that a call needs, as bits.
std::uint32_t needed_features(std::uint32_t operation, const RopeCase& c,
                              const Description& description,
                              bool shares_memory);

// The ABI's bit and the word of a scaling; 0 and "" for none.
std::uint32_t scaling_bit(const reference::Scaling& scaling);
std::string scaling_word(const reference::Scaling& scaling);

// A case in one line: dtype, pairing, shape, base, scaling.
std::string summary(const RopeCase& c);
std::string summary(const PermuteCase& c);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_VERDICT_FEATURES_H_
