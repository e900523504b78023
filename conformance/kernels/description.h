// description.h -- what a kernel says of itself: words, ranges, refusals.
#ifndef ROPEPROOF_CONFORMANCE_KERNELS_DESCRIPTION_H_
#define ROPEPROOF_CONFORMANCE_KERNELS_DESCRIPTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/corpus/words.h"
#include "conformance/kernels/kernel.h"

namespace ropeproof::conformance {

// More words of the framed protocol for the numbers of ropeproof_kernel.h.
inline constexpr Words<std::uint32_t, 4> kAbiPairingWords{
    {{ROPEPROOF_INTERLEAVED, "interleaved"},
     {ROPEPROOF_HALF_SPLIT, "half_split"},
     {ROPEPROOF_INTERLEAVED_TO_HALF, "interleaved_to_half"},
     {ROPEPROOF_NESTED_HALF_SPLIT, "nested_half_split"}}};

inline constexpr Words<std::uint32_t, 19> kFeatureWords{
    {{ROPEPROOF_OUT_OF_PLACE, "out_of_place"},
     {ROPEPROOF_IN_PLACE, "in_place"},
     {ROPEPROOF_STRIDED, "strided"},
     {ROPEPROOF_PARTIAL, "partial"},
     {ROPEPROOF_WINDOW_OFFSET, "window_offset"},
     {ROPEPROOF_KEYS, "keys"},
     {ROPEPROOF_ADJOINT, "adjoint"},
     {ROPEPROOF_AMPLITUDE, "amplitude"},
     {ROPEPROOF_NEGATIVE_POSITIONS, "negative_positions"},
     {ROPEPROOF_INV_FREQ, "inv_freq"},
     {ROPEPROOF_AXES, "axes"},
     {ROPEPROOF_AXIS_WEIGHTS, "axis_weights"},
     {ROPEPROOF_REAL_POSITIONS, "real_positions"},
     {ROPEPROOF_PAIR_DISTANCE, "pair_distance"},
     {ROPEPROOF_PAIR_AMPLITUDE, "pair_amplitude"},
     {ROPEPROOF_SPECIAL_VALUES, "special_values"},
     {ROPEPROOF_VALIDATES, "validates"},
     {ROPEPROOF_DETERMINISTIC, "deterministic"},
     {ROPEPROOF_CONCURRENT, "concurrent"}}};

inline constexpr Words<std::uint32_t, 7> kScalingWords{
    {{ROPEPROOF_LINEAR, "linear"},
     {ROPEPROOF_NTK, "ntk"},
     {ROPEPROOF_DYNAMIC_NTK, "dynamic_ntk"},
     {ROPEPROOF_YARN, "yarn"},
     {ROPEPROOF_LONG_ROPE, "long_rope"},
     {ROPEPROOF_LLAMA3, "llama3"},
     {ROPEPROOF_FREQUENCY_FACTORS, "frequency_factors"}}};

inline constexpr Words<std::uint32_t, 2> kPowerWords{
    {{ROPEPROOF_POW, "pow"}, {ROPEPROOF_EXP2, "exp2"}}};

inline constexpr Words<std::uint32_t, 2> kRoundingWords{
    {{ROPEPROOF_ROUND_ONCE, "once"}, {ROPEPROOF_ROUND_EACH, "each"}}};

// `text` on one line, without control characters, at most 300 bytes long.
std::string one_line(std::string_view text);

// Throws KernelError, which begins with `source`, unless `version` is
// ROPEPROOF_ABI_VERSION.
void check_abi_version(std::int64_t version, const std::string& source);

// Throws KernelError, which begins with `source`, unless every field is in its
// range and the description offers something that can be tested.
void check_description(const Description& description,
                       const std::string& source);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_KERNELS_DESCRIPTION_H_
