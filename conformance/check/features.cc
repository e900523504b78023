#include "conformance/check/features.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

using plugin::kAngles;
using plugin::kGivenTable;
using plugin::kTensors;

// A case as a kernel is called with it.
struct Asked {
  const cases::RopeCase& c;
  bool is_strided, is_in_place, is_out_of_place;  // of any tensor
  bool has_scaling;  // that the kernel computes, with its amplitude and length
};

constexpr const char* kPartial = "rotary_dim < head_dim";

// Whether a scaling's length is not that of the positions, largest + 1.
bool has_other_length(const cases::RopeCase& c) {
  const double length =
      c.positions.empty() ? 0 : std::floor(std::ranges::max(c.positions)) + 1;
  return std::visit(
      [&](const auto& scaling) {
        if constexpr (requires { scaling.seq_len; }) {
          return static_cast<double>(scaling.seq_len) != length;
        }
        return false;
      },
      c.spec.frequencies.scaling);
}

bool is_partial(const reference::Layout& layout) {
  return layout.rotary_dim < layout.head_dim;
}

// A feature that depends on the case: the operations and the cases that need
// it, and what a report says where it is missing. A kernel without a feature
// that has no phrase gets other calls, or is refused for another reason.
struct Feature {
  std::uint32_t bit;
  std::uint32_t operations;
  bool (*is_needed)(const Asked&);
  const char* phrase;
};

// Of several that are missing, a report names the first.
constexpr Feature kFeatures[] = {
    {ROPEPROOF_PARTIAL, kTensors,
     [](const Asked& a) { return is_partial(a.c.spec.layout); }, kPartial},
    {ROPEPROOF_WINDOW_OFFSET, kTensors,
     [](const Asked& a) { return a.c.spec.layout.rotary_offset > 0; },
     "rotary_offset > 0"},
    {ROPEPROOF_PAIR_DISTANCE, kTensors,
     [](const Asked& a) { return a.c.spec.layout.pair_distance != 0; },
     "pair_distance"},
    {ROPEPROOF_ADJOINT, kTensors,
     [](const Asked& a) {
       return a.c.spec.direction == reference::Direction::kAdjoint;
     },
     "adjoint"},
    {ROPEPROOF_SPECIAL_VALUES, kTensors,
     [](const Asked& a) { return a.c.is_special; }, "special values"},
    {ROPEPROOF_STRIDED, kTensors, [](const Asked& a) { return a.is_strided; },
     "strided tensors"},
    {ROPEPROOF_IN_PLACE, kTensors, [](const Asked& a) { return a.is_in_place; },
     "in-place calls"},
    {ROPEPROOF_OUT_OF_PLACE, kTensors,
     [](const Asked& a) { return a.is_out_of_place; }, nullptr},
    {ROPEPROOF_KEYS, kTensors, [](const Asked& a) { return a.c.k_heads > 0; },
     nullptr},
    {ROPEPROOF_INV_FREQ, kAngles,
     [](const Asked& a) {
       const reference::Frequencies& f = a.c.spec.frequencies;
       return !plugin::follows_base(f) || plugin::scaling_bit(f.scaling) != 0;
     },
     nullptr},  // missing_frequencies()
    {ROPEPROOF_EXPONENTS, kAngles,
     [](const Asked& a) {
       return plugin::follows_exponents(a.c.spec.frequencies);
     },
     nullptr},  // the same
    {ROPEPROOF_AMPLITUDE, kAngles,
     [](const Asked& a) {  // one that no scaling decides
       return a.c.spec.frequencies.amplitude != 1 ||
              (a.c.amplitude != 1 && !a.has_scaling);
     },
     "amplitude"},
    {ROPEPROOF_EXPLICIT_LENGTH, kAngles,
     [](const Asked& a) { return a.has_scaling && has_other_length(a.c); },
     "a length beyond the positions"},
    {ROPEPROOF_PAIR_AMPLITUDE, kAngles,
     [](const Asked& a) { return !a.c.pair_amplitude.empty(); },
     "pair_amplitude"},
    {ROPEPROOF_AXIS_WEIGHTS, kAngles,
     [](const Asked& a) { return !a.c.spec.axes.weights.empty(); },
     "axis_weights"},
    {ROPEPROOF_REAL_POSITIONS, kAngles,
     [](const Asked& a) { return a.c.has_real_positions(); }, "real positions"},
    {ROPEPROOF_NEGATIVE_POSITIONS, kAngles,
     [](const Asked& a) {
       return std::ranges::any_of(a.c.positions,
                                  [](double p) { return p < 0; });
     },
     "negative positions"}};

// What no case needs: the checks of contract.h show whether it is kept.
constexpr std::uint32_t kPromises =
    ROPEPROOF_VALIDATES | ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;

constexpr bool each_feature_is_in_one_place() {
  std::uint32_t seen = kPromises;
  for (const Feature& feature : kFeatures) {
    if ((seen & feature.bit) != 0) return false;
    seen |= feature.bit;
  }
  for (const auto& [bit, word] : plugin::kFeatureWords) seen ^= bit;
  return seen == 0;
}
static_assert(each_feature_is_in_one_place());

Asked asked(const cases::RopeCase& c, const plugin::Description& description,
            bool shares_memory) {
  const cases::Storage& storage = c.storage;
  const bool is_in_only = (description.features & ROPEPROOF_OUT_OF_PLACE) == 0;
  const bool is_in_place = is_in_only || storage.any_in_place(c.k_heads);
  const bool is_out_of_place =
      !is_in_only && storage.any_out_of_place(c.k_heads);
  const std::uint32_t scaling = plugin::scaling_bit(c.spec.frequencies.scaling);
  return {c, shares_memory && !storage.is_dense(), shares_memory && is_in_place,
          !shares_memory || is_out_of_place,
          (description.scalings & scaling) != 0};
}

const char* first_missing(const plugin::Description& description,
                          std::uint32_t operations, const Asked& a) {
  for (const Feature& feature : kFeatures) {
    if (feature.phrase != nullptr && feature.operations == operations &&
        (description.features & feature.bit) == 0 && feature.is_needed(a)) {
      return feature.phrase;
    }
  }
  return "";
}

// Where the frequencies come from: inv_freq serves them all; base alone, or
// base and a scaling that the kernel knows, serve some.
std::string missing_frequencies(const plugin::Description& description,
                                std::uint32_t operation,
                                const reference::Frequencies& f) {
  if (operation != ROPEPROOF_FREQUENCIES &&
      (description.features & ROPEPROOF_INV_FREQ) != 0) {
    return {};
  }
  const bool has_exponents = (description.features & ROPEPROOF_EXPONENTS) != 0;
  if (!plugin::follows_base(f) &&
      !(has_exponents && plugin::follows_exponents(f))) {
    return "given frequencies";
  }
  const std::uint32_t bit = plugin::scaling_bit(f.scaling);
  if (bit == 0 || (description.scalings & bit) != 0) return {};
  return "scaling " + plugin::scaling_word(f.scaling);
}

std::string missing_axes(const plugin::Description& description,
                         const reference::Spec& spec) {
  const std::uint32_t map = plugin::axis_map_of(spec);
  if (map == 0 || (description.axis_maps & (map | ROPEPROOF_AXES_ANY)) != 0) {
    return {};
  }
  return description.axis_maps == 0
             ? "several position axes"
             : "axis map " + text::word(plugin::kAxisMapWords, map);
}

std::string missing_dtype(const plugin::Description& description,
                          std::uint32_t operation, reference::Format dtype) {
  // Tables and frequencies of an f64 case are f64 arithmetic too.
  const bool is_of_tensors =
      (operation & kTensors) != 0 || dtype == reference::Format::kF64 ||
      (operation == ROPEPROOF_TABLE &&
       description.claim(plugin::abi_dtype(dtype)).table_dtype == 0);
  if (!is_of_tensors || (description.dtypes & plugin::abi_dtype(dtype)) != 0) {
    return {};
  }
  return "dtype " + text::word(text::kFormatWords, dtype);
}

}  // namespace

std::uint32_t needed_features(std::uint32_t operation, const cases::RopeCase& c,
                              const plugin::Description& description,
                              bool shares_memory) {
  const Asked a = asked(c, description, shares_memory);
  std::uint32_t bits = 0;
  for (const Feature& feature : kFeatures) {
    if ((feature.operations & operation) != 0 && feature.is_needed(a)) {
      bits |= feature.bit;
    }
  }
  return bits;
}

std::string missing_feature(const plugin::Description& description,
                            std::uint32_t operation, const cases::RopeCase& c,
                            bool shares_memory) {
  if ((description.operations & operation) == 0) {
    return "operation " + text::word(plugin::kOperationWords, operation);
  }
  const Asked a = asked(c, description, shares_memory);
  const bool has_tensors = (operation & kTensors) != 0;
  const bool has_angles = (operation & kAngles) != 0;
  const reference::Pairing pairing = c.spec.layout.pairing;
  std::string missing = missing_dtype(description, operation, c.dtype);
  if (missing.empty() && has_tensors) {
    missing = (description.pairings & plugin::abi_pairing(pairing)) == 0
                  ? "pairing " + text::word(text::kPairingWords, pairing)
                  : first_missing(description, kTensors, a);
  }
  if (missing.empty() && (operation & kGivenTable) == 0) {
    missing = missing_frequencies(description, operation, c.spec.frequencies);
  }
  if (missing.empty() && has_angles) {
    missing = first_missing(description, kAngles, a);
  }
  if (missing.empty() && has_angles) {
    missing = missing_axes(description, c.spec);
  }
  const auto limit = static_cast<double>(description.max_position);
  if (missing.empty() && has_angles && limit > 0 &&
      std::ranges::any_of(c.positions,
                          [&](double p) { return std::abs(p) > limit; })) {
    missing = "positions above " + std::to_string(description.max_position);
  }
  return missing;
}

std::string missing_feature(const plugin::Description& description,
                            const cases::PermuteCase& c) {
  if ((description.operations & ROPEPROOF_PERMUTE) == 0) {
    return "operation permute";
  }
  const bool is_missing = (description.features & ROPEPROOF_PARTIAL) == 0;
  return is_missing && is_partial(c.layout) ? kPartial : "";
}

std::vector<std::uint32_t> offered_operations(
    const plugin::Description& description, const cases::RopeCase& c,
    bool shares_memory) {
  std::vector<std::uint32_t> offered;
  for (const std::uint32_t operation : kRopeOperations) {
    if (missing_feature(description, operation, c, shares_memory).empty()) {
      offered.push_back(operation);
    }
  }
  return offered;
}

}  // namespace ropeproof::conformance::check
