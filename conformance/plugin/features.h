// features.h -- the features of a kernel, once: bit, word, which calls need it,
// and what a report says where it is missing.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// What a call needs, as far as descriptions speak of it. A class of calls
// (cover/dimension.h) has what all of its calls need.
struct Needs {
  // Bits of the ABI; 0: no dtype, pairing, map or scaling of its own.
  std::uint32_t dtype = 0, pairing = 0, axis_map = 0, scaling = 0;
  // Whether some tensor is so.
  bool is_in_place = false, is_out_of_place = false, is_strided = false;
  bool is_partial = false;  // rotary_dim < head_dim
  bool has_offset = false, has_pair_distance = false;
  bool has_keys = false, is_adjoint = false, has_special_values = false;
  bool has_exponents = false;  // or bases of each pair
  bool has_inv_freq = false;   // frequencies that no formula gives
  // An amplitude other than 1 that no scaling of the kernel decides.
  bool has_amplitude = false;
  bool has_pair_amplitude = false;  // xPos
  // A scaling's length other than the largest position + 1.
  bool has_length = false;
  bool has_axis_weights = false;
  bool has_negative_positions = false, has_real_positions = false;
  double largest_position = 0;  // the largest |position|
};

// A kernel that lacks a feature without a phrase gets other calls, or is
// refused for another reason. Promises are needed by no operation: the checks
// of the contract show whether the kernel holds to them.
struct Feature {
  std::uint32_t bit;
  std::string_view word;
  std::uint32_t operations;
  bool (*is_needed)(const Needs&);
  const char* phrase;
};

template <bool Needs::*kNeed>
constexpr bool is(const Needs& needs) {
  return needs.*kNeed;
}

// The features in the order of their bits. Where several are missing, a report
// names the first.
inline constexpr Feature kFeatures[] = {
    {ROPEPROOF_OUT_OF_PLACE, "out_of_place", kTensors,
     is<&Needs::is_out_of_place>, nullptr},
    {ROPEPROOF_IN_PLACE, "in_place", kTensors, is<&Needs::is_in_place>,
     "in-place calls"},
    {ROPEPROOF_STRIDED, "strided", kTensors, is<&Needs::is_strided>,
     "strided tensors"},
    {ROPEPROOF_PARTIAL, "partial", kTensors | ROPEPROOF_PERMUTE,
     is<&Needs::is_partial>, "rotary_dim < head_dim"},
    {ROPEPROOF_WINDOW_OFFSET, "window_offset", kTensors | ROPEPROOF_PERMUTE,
     is<&Needs::has_offset>, "rotary_offset > 0"},
    {ROPEPROOF_KEYS, "keys", kTensors, is<&Needs::has_keys>, nullptr},
    {ROPEPROOF_ADJOINT, "adjoint", kTensors, is<&Needs::is_adjoint>, "adjoint"},
    {ROPEPROOF_AMPLITUDE, "amplitude", kAngles, is<&Needs::has_amplitude>,
     "amplitude"},
    {ROPEPROOF_NEGATIVE_POSITIONS, "negative_positions", kAngles,
     is<&Needs::has_negative_positions>, "negative positions"},
    {ROPEPROOF_INV_FREQ, "inv_freq", kAngles,
     [](const Needs& n) {
       return n.has_exponents || n.has_inv_freq || n.scaling != 0;
     },
     nullptr},
    {ROPEPROOF_EXPONENTS, "exponents", kAngles, is<&Needs::has_exponents>,
     nullptr},
    {ROPEPROOF_AXIS_WEIGHTS, "axis_weights", kAngles,
     is<&Needs::has_axis_weights>, "axis_weights"},
    {ROPEPROOF_REAL_POSITIONS, "real_positions", kAngles,
     is<&Needs::has_real_positions>, "real positions"},
    {ROPEPROOF_PAIR_DISTANCE, "pair_distance", kTensors,
     is<&Needs::has_pair_distance>, "pair_distance"},
    {ROPEPROOF_PAIR_AMPLITUDE, "pair_amplitude", kAngles,
     is<&Needs::has_pair_amplitude>, "pair_amplitude"},
    {ROPEPROOF_SPECIAL_VALUES, "special_values", kTensors,
     is<&Needs::has_special_values>, "special values"},
    {ROPEPROOF_VALIDATES, "validates", 0, nullptr, nullptr},
    {ROPEPROOF_DETERMINISTIC, "deterministic", 0, nullptr, nullptr},
    {ROPEPROOF_CONCURRENT, "concurrent", 0, nullptr, nullptr},
    {ROPEPROOF_EXPLICIT_LENGTH, "explicit_length", kAngles,
     is<&Needs::has_length>, "a length beyond the positions"}};

inline constexpr auto kFeatureWords =
    text::columns(kFeatures, &Feature::bit, &Feature::word);

// Returns the features that a call needs of any of these operations, as bits.
std::uint32_t needed_features(std::uint32_t operations, const Needs& needs);

// Returns what a description does not offer of a call, in words; empty if it
// offers everything. This is the only place that knows; the description has the
// operation.
std::string missing(const Description& description, std::uint32_t operation,
                    const Needs& needs);

}  // namespace ropeproof::conformance::plugin
