// features.h -- the features of a kernel, once: bit, word, which calls need it,
// and what a report says where it is missing.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_FEATURES_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_FEATURES_H_

#include <ropeproof_kernel.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// A call, as far as features depend on it.
struct Needs {
  const reference::Spec& spec;
  // Whether some tensor is so.
  bool is_in_place = false, is_out_of_place = false, is_strided = false;
  bool has_keys = false, has_special_values = false;
  // An amplitude other than 1 that no scaling of the kernel decides.
  bool has_amplitude = false;
  bool has_pair_amplitude = false;  // xPos
  // A scaling's length other than the largest position + 1.
  bool has_length = false;
  bool has_negative_positions = false, has_real_positions = false;
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

// The features in the order of their bits. Where several are missing, a report
// names the first.
inline constexpr Feature kFeatures[] = {
    {ROPEPROOF_OUT_OF_PLACE, "out_of_place", kTensors,
     [](const Needs& n) { return n.is_out_of_place; }, nullptr},
    {ROPEPROOF_IN_PLACE, "in_place", kTensors,
     [](const Needs& n) { return n.is_in_place; }, "in-place calls"},
    {ROPEPROOF_STRIDED, "strided", kTensors,
     [](const Needs& n) { return n.is_strided; }, "strided tensors"},
    {ROPEPROOF_PARTIAL, "partial", kTensors | ROPEPROOF_PERMUTE,
     [](const Needs& n) {
       return n.spec.layout.rotary_dim < n.spec.layout.head_dim;
     },
     "rotary_dim < head_dim"},
    {ROPEPROOF_WINDOW_OFFSET, "window_offset", kTensors,
     [](const Needs& n) { return n.spec.layout.rotary_offset > 0; },
     "rotary_offset > 0"},
    {ROPEPROOF_KEYS, "keys", kTensors,
     [](const Needs& n) { return n.has_keys; }, nullptr},
    {ROPEPROOF_ADJOINT, "adjoint", kTensors,
     [](const Needs& n) {
       return n.spec.direction == reference::Direction::kAdjoint;
     },
     "adjoint"},
    {ROPEPROOF_AMPLITUDE, "amplitude", kAngles,
     [](const Needs& n) { return n.has_amplitude; }, "amplitude"},
    {ROPEPROOF_NEGATIVE_POSITIONS, "negative_positions", kAngles,
     [](const Needs& n) { return n.has_negative_positions; },
     "negative positions"},
    {ROPEPROOF_INV_FREQ, "inv_freq", kAngles,
     [](const Needs& n) {
       const reference::Frequencies& f = n.spec.frequencies;
       return !follows_base(f) || scaling_bit(f.scaling) != 0;
     },
     nullptr},
    {ROPEPROOF_EXPONENTS, "exponents", kAngles,
     [](const Needs& n) { return follows_exponents(n.spec.frequencies); },
     nullptr},
    {ROPEPROOF_AXIS_WEIGHTS, "axis_weights", kAngles,
     [](const Needs& n) { return !n.spec.axes.weights.empty(); },
     "axis_weights"},
    {ROPEPROOF_REAL_POSITIONS, "real_positions", kAngles,
     [](const Needs& n) { return n.has_real_positions; }, "real positions"},
    {ROPEPROOF_PAIR_DISTANCE, "pair_distance", kTensors,
     [](const Needs& n) { return n.spec.layout.pair_distance != 0; },
     "pair_distance"},
    {ROPEPROOF_PAIR_AMPLITUDE, "pair_amplitude", kAngles,
     [](const Needs& n) { return n.has_pair_amplitude; }, "pair_amplitude"},
    {ROPEPROOF_SPECIAL_VALUES, "special_values", kTensors,
     [](const Needs& n) { return n.has_special_values; }, "special values"},
    {ROPEPROOF_VALIDATES, "validates", 0, nullptr, nullptr},
    {ROPEPROOF_DETERMINISTIC, "deterministic", 0, nullptr, nullptr},
    {ROPEPROOF_CONCURRENT, "concurrent", 0, nullptr, nullptr},
    {ROPEPROOF_EXPLICIT_LENGTH, "explicit_length", kAngles,
     [](const Needs& n) { return n.has_length; },
     "a length beyond the positions"}};

inline constexpr auto kFeatureWords = [] {
  text::Words<std::uint32_t, std::size(kFeatures)> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = {kFeatures[i].bit, kFeatures[i].word};
  }
  return words;
}();

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_FEATURES_H_
