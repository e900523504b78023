#include "conformance/check/offered.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

using plugin::kAngles;
using plugin::kGivenTable;
using plugin::kTensors;
using plugin::Needs;

// Whether a scaling's length is not that of the positions, largest + 1.
bool has_other_length(const cases::Problem& p) {
  const std::int64_t length =
      p.positions.empty() ? 0 : cases::length_of(p.positions);
  return std::visit(
      [&](const auto& scaling) {
        if constexpr (requires { scaling.seq_len; }) {
          return scaling.seq_len != length;
        }
        return false;
      },
      p.spec.frequencies.scaling);
}

// A case as a kernel is called with it.
Needs needs_of(const cases::Problem& p, const plugin::Description& description,
               bool shares_memory) {
  const cases::Storage& storage = p.storage;
  const bool is_in_only = (description.features & ROPEPROOF_OUT_OF_PLACE) == 0;
  const bool is_in_place = is_in_only || storage.any_in_place(p.k_heads);
  const bool is_out_of_place =
      !is_in_only && storage.any_out_of_place(p.k_heads);
  const bool has_scaling =
      (description.scalings &
       plugin::scaling_bit(p.spec.frequencies.scaling)) != 0;
  return {.spec = p.spec,
          .is_in_place = shares_memory && is_in_place,
          .is_out_of_place = !shares_memory || is_out_of_place,
          .is_strided = shares_memory && !storage.is_dense(),
          .has_keys = p.k_heads > 0,
          .has_special_values = p.is_special,
          .has_amplitude = p.spec.frequencies.amplitude != 1 ||
                           (!has_scaling && cases::amplitude_of(p) != 1),
          .has_pair_amplitude = p.spec.frequencies.xpos.has_value(),
          .has_length = has_scaling && has_other_length(p),
          .has_negative_positions =
              std::ranges::any_of(p.positions, [](double x) { return x < 0; }),
          .has_real_positions = p.has_real_positions()};
}

// Of the features that all of `operations` may need.
const char* first_missing(const plugin::Description& description,
                          std::uint32_t operations, const Needs& n) {
  for (const plugin::Feature& feature : plugin::kFeatures) {
    if (feature.phrase != nullptr &&
        (feature.operations & operations) == operations &&
        (description.features & feature.bit) == 0 && feature.is_needed(n)) {
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

std::uint32_t needed_features(std::uint32_t operation, const cases::Problem& p,
                              const plugin::Description& description,
                              bool shares_memory) {
  const Needs n = needs_of(p, description, shares_memory);
  std::uint32_t bits = 0;
  for (const plugin::Feature& feature : plugin::kFeatures) {
    if ((feature.operations & operation) != 0 && feature.is_needed(n)) {
      bits |= feature.bit;
    }
  }
  return bits;
}

std::string missing_feature(const plugin::Description& description,
                            std::uint32_t operation, const cases::Problem& p,
                            bool shares_memory) {
  if ((description.operations & operation) == 0) {
    return "operation " + text::word(plugin::kOperationWords, operation);
  }
  if (operation == ROPEPROOF_PERMUTE) {
    const reference::Spec spec{.layout = p.spec.layout, .frequencies = {}};
    return first_missing(description, ROPEPROOF_PERMUTE, {.spec = spec});
  }
  const Needs n = needs_of(p, description, shares_memory);
  const bool has_tensors = (operation & kTensors) != 0;
  const bool has_angles = (operation & kAngles) != 0;
  const reference::Pairing pairing = p.spec.layout.pairing;
  std::string missing = missing_dtype(description, operation, p.dtype);
  if (missing.empty() && has_tensors) {
    missing = (description.pairings & plugin::abi_pairing(pairing)) == 0
                  ? "pairing " + text::word(text::kPairingWords, pairing)
                  : first_missing(description, kTensors, n);
  }
  if (missing.empty() && (operation & kGivenTable) == 0) {
    missing = missing_frequencies(description, operation, p.spec.frequencies);
  }
  if (missing.empty() && has_angles) {
    missing = first_missing(description, kAngles, n);
  }
  if (missing.empty() && has_angles) {
    missing = missing_axes(description, p.spec);
  }
  const auto limit = static_cast<double>(description.max_position);
  if (missing.empty() && has_angles && limit > 0 &&
      std::ranges::any_of(p.positions,
                          [&](double x) { return std::abs(x) > limit; })) {
    missing = "positions above " + std::to_string(description.max_position);
  }
  return missing;
}

std::vector<std::uint32_t> offered_operations(
    const plugin::Description& description, const cases::Problem& p,
    bool shares_memory) {
  std::vector<std::uint32_t> offered;
  const auto add = [&](std::uint32_t operation) {
    if (missing_feature(description, operation, p, shares_memory).empty()) {
      offered.push_back(operation);
    }
  };
  if (p.task == cases::Task::kPermute) {
    add(ROPEPROOF_PERMUTE);
  } else {
    std::ranges::for_each(kRopeOperations, add);
  }
  return offered;
}

}  // namespace ropeproof::conformance::check
