#include "conformance/check/features.h"

#include <algorithm>
#include <cmath>

#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::check {
namespace {

class Offer {
 public:
  explicit Offer(const plugin::Description& description)
      : description_(description) {}

  bool lacks(std::uint32_t feature) const {
    return (description_.features & feature) == 0;
  }

  // q and k: dtype, layout, direction, memory.
  std::string missing_of_tensors(const cases::RopeCase& c,
                                 bool shares_memory) const {
    const reference::Layout& layout = c.spec.layout;
    if ((description_.dtypes & plugin::abi_dtype(c.dtype)) == 0) {
      return "dtype " + text::word(text::kFormatWords, c.dtype);
    }
    if ((description_.pairings & plugin::abi_pairing(layout.pairing)) == 0) {
      return "pairing " + text::word(text::kPairingWords, layout.pairing);
    }
    if (layout.rotary_dim < layout.head_dim && lacks(ROPEPROOF_PARTIAL)) {
      return "rotary_dim < head_dim";
    }
    if (layout.rotary_offset > 0 && lacks(ROPEPROOF_WINDOW_OFFSET)) {
      return "rotary_offset > 0";
    }
    if (layout.pair_distance != 0 && lacks(ROPEPROOF_PAIR_DISTANCE)) {
      return "pair_distance";
    }
    if (c.spec.direction == reference::Direction::kAdjoint &&
        lacks(ROPEPROOF_ADJOINT)) {
      return "adjoint";
    }
    if (c.is_special && lacks(ROPEPROOF_SPECIAL_VALUES)) {
      return "special values";
    }
    if (!shares_memory) return {};
    const bool strided = c.memory == cases::Memory::kStrided ||
                         c.memory == cases::Memory::kStridedInPlace;
    const bool in_place = c.memory == cases::Memory::kInPlace ||
                          c.memory == cases::Memory::kStridedInPlace;
    if (strided && lacks(ROPEPROOF_STRIDED)) return "strided tensors";
    if (in_place && lacks(ROPEPROOF_IN_PLACE)) return "in-place calls";
    return {};
  }

  // Where the frequencies come from: inv_freq serves them all; base alone, or
  // base and a scaling that the kernel knows, serve some.
  std::string missing_of_frequencies(const cases::RopeCase& c,
                                     bool takes_inv_freq) const {
    if (takes_inv_freq && !lacks(ROPEPROOF_INV_FREQ)) return {};
    const reference::Frequencies& f = c.spec.frequencies;
    if (!f.inv_freq.empty() || !f.exponents.empty() || !f.bases.empty()) {
      return "given frequencies";
    }
    const std::uint32_t bit = plugin::scaling_bit(f.scaling);
    if (bit != 0 && (description_.scalings & bit) == 0) {
      return "scaling " + plugin::scaling_word(f.scaling);
    }
    return {};
  }

  std::string missing_of_angles(const cases::RopeCase& c) const {
    if (c.amplitude != 1 && lacks(ROPEPROOF_AMPLITUDE)) return "amplitude";
    if (!c.pair_amplitude.empty() && lacks(ROPEPROOF_PAIR_AMPLITUDE)) {
      return "pair_amplitude";
    }
    if (!c.spec.axes.weights.empty()) {
      if (lacks(ROPEPROOF_AXIS_WEIGHTS)) return "axis_weights";
    } else if (c.spec.axes.count > 1 && lacks(ROPEPROOF_AXES)) {
      return "several position axes";
    }
    if (c.has_real_positions() && lacks(ROPEPROOF_REAL_POSITIONS)) {
      return "real positions";
    }
    const auto limit = static_cast<double>(description_.max_position);
    for (const double p : c.positions) {
      if (p < 0 && lacks(ROPEPROOF_NEGATIVE_POSITIONS)) {
        return "negative positions";
      }
      if (limit > 0 && std::abs(p) > limit) {
        return "positions above " + std::to_string(description_.max_position);
      }
    }
    return {};
  }

 private:
  const plugin::Description& description_;
};

}  // namespace

std::uint32_t needed_features(std::uint32_t operation, const cases::RopeCase& c,
                              const plugin::Description& description,
                              bool shares_memory) {
  std::uint32_t bits = 0;
  const auto need = [&bits](bool is_needed, std::uint32_t feature) {
    if (is_needed) bits |= feature;
  };
  const reference::Layout& layout = c.spec.layout;
  if (operation == ROPEPROOF_ROTATE || operation == ROPEPROOF_ROPE) {
    const bool in_place =
        shares_memory && (c.memory == cases::Memory::kInPlace ||
                          c.memory == cases::Memory::kStridedInPlace ||
                          (description.features & ROPEPROOF_OUT_OF_PLACE) == 0);
    need(in_place, ROPEPROOF_IN_PLACE);
    need(!in_place, ROPEPROOF_OUT_OF_PLACE);
    need(shares_memory && (c.memory == cases::Memory::kStrided ||
                           c.memory == cases::Memory::kStridedInPlace),
         ROPEPROOF_STRIDED);
    need(layout.rotary_dim < layout.head_dim, ROPEPROOF_PARTIAL);
    need(layout.rotary_offset > 0, ROPEPROOF_WINDOW_OFFSET);
    need(layout.pair_distance != 0, ROPEPROOF_PAIR_DISTANCE);
    need(c.k_heads > 0, ROPEPROOF_KEYS);
    need(c.spec.direction == reference::Direction::kAdjoint, ROPEPROOF_ADJOINT);
    need(c.is_special, ROPEPROOF_SPECIAL_VALUES);
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROPE) {
    const reference::Frequencies& f = c.spec.frequencies;
    need(c.amplitude != 1, ROPEPROOF_AMPLITUDE);
    need(!c.pair_amplitude.empty(), ROPEPROOF_PAIR_AMPLITUDE);
    need(!c.spec.axes.weights.empty(), ROPEPROOF_AXIS_WEIGHTS);
    need(c.spec.axes.weights.empty() && c.spec.axes.count > 1, ROPEPROOF_AXES);
    need(c.has_real_positions(), ROPEPROOF_REAL_POSITIONS);
    need(std::any_of(c.positions.begin(), c.positions.end(),
                     [](double p) { return p < 0; }),
         ROPEPROOF_NEGATIVE_POSITIONS);
    need(!f.inv_freq.empty() || !f.exponents.empty() || !f.bases.empty() ||
             plugin::scaling_bit(f.scaling) != 0,
         ROPEPROOF_INV_FREQ);
  }
  return bits;
}

std::string missing_feature(const plugin::Description& description,
                            std::uint32_t operation, const cases::RopeCase& c,
                            bool shares_memory) {
  const Offer offer(description);
  if ((description.operations & operation) == 0) {
    return "operation " + text::word(plugin::kOperationWords, operation);
  }
  const bool has_tensors =
      operation == ROPEPROOF_ROTATE || operation == ROPEPROOF_ROPE;
  const bool has_angles =
      operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROPE;
  // Its table and frequencies are f64 arithmetic too.
  const bool is_f64 = c.dtype == reference::Format::kF64;
  if (is_f64 && (description.dtypes & ROPEPROOF_F64) == 0) return "dtype f64";
  std::string missing;
  if (has_tensors) missing = offer.missing_of_tensors(c, shares_memory);
  if (operation == ROPEPROOF_TABLE && description.table_dtype == 0 &&
      (description.dtypes & plugin::abi_dtype(c.dtype)) == 0) {
    return "dtype " + text::word(text::kFormatWords, c.dtype);
  }
  if (missing.empty() && operation != ROPEPROOF_ROTATE) {
    missing = offer.missing_of_frequencies(c, has_angles);
  }
  if (missing.empty() && has_angles) missing = offer.missing_of_angles(c);
  return missing;
}

std::string missing_feature(const plugin::Description& description,
                            const cases::PermuteCase& c) {
  if ((description.operations & ROPEPROOF_PERMUTE) == 0) {
    return "operation permute";
  }
  if (c.layout.rotary_dim < c.layout.head_dim &&
      (description.features & ROPEPROOF_PARTIAL) == 0) {
    return "rotary_dim < head_dim";
  }
  return {};
}

}  // namespace ropeproof::conformance::check
