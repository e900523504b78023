#include "conformance/plugin/features.h"

#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::plugin {
namespace {

// The first of the features that all of `operations` may need.
const char* first_missing(const Description& description,
                          std::uint32_t operations, const Needs& needs) {
  for (const Feature& feature : kFeatures) {
    if (feature.phrase != nullptr &&
        (feature.operations & operations) == operations &&
        (description.features & feature.bit) == 0 && feature.is_needed(needs)) {
      return feature.phrase;
    }
  }
  return "";
}

// Where the frequencies come from: inv_freq serves them all; base alone, or
// base and a scaling that the kernel knows, serve some.
std::string missing_frequencies(const Description& description,
                                std::uint32_t operation, const Needs& needs) {
  if (operation != ROPEPROOF_FREQUENCIES &&
      (description.features & ROPEPROOF_INV_FREQ) != 0) {
    return {};
  }
  if (needs.has_inv_freq ||
      (needs.has_exponents &&
       (description.features & ROPEPROOF_EXPONENTS) == 0)) {
    return "given frequencies";
  }
  if ((needs.scaling & ~description.scalings) == 0) return {};
  return "scaling " + text::word(kScalingWords, needs.scaling);
}

std::string missing_axes(const Description& description, const Needs& needs) {
  if (needs.axis_map == 0 ||
      (description.axis_maps & (needs.axis_map | ROPEPROOF_AXES_ANY)) != 0) {
    return {};
  }
  return description.axis_maps == 0
             ? "several position axes"
             : "axis map " + text::word(kAxisMapWords, needs.axis_map);
}

std::string missing_dtype(const Description& description,
                          std::uint32_t operation, std::uint32_t dtype) {
  if ((dtype & ~description.dtypes) == 0) return {};
  // Tables and frequencies of an f64 case are f64 arithmetic too.
  const bool is_of_tensors = (operation & kTensors) != 0 ||
                             dtype == ROPEPROOF_F64 ||
                             (operation == ROPEPROOF_TABLE &&
                              description.claim(dtype).table_dtype == 0);
  return is_of_tensors ? "dtype " + text::word(kDtypeWords, dtype) : "";
}

std::string missing_tensors(const Description& description,
                            const Needs& needs) {
  if ((needs.pairing & ~description.pairings) != 0) {
    return "pairing " + text::word(kAbiPairingWords, needs.pairing);
  }
  return first_missing(description, kTensors, needs);
}

std::string missing_angles(const Description& description, const Needs& needs) {
  std::string missing = first_missing(description, kAngles, needs);
  if (missing.empty()) missing = missing_axes(description, needs);
  const std::int64_t limit = description.max_position;
  if (missing.empty() && limit > 0 &&
      needs.largest_position > static_cast<double>(limit)) {
    missing = "positions above " + std::to_string(limit);
  }
  return missing;
}

}  // namespace

std::uint32_t needed_features(std::uint32_t operations, const Needs& needs) {
  std::uint32_t bits = 0;
  for (const Feature& feature : kFeatures) {
    if ((feature.operations & operations) != 0 && feature.is_needed(needs)) {
      bits |= feature.bit;
    }
  }
  return bits;
}

std::string missing(const Description& description, std::uint32_t operation,
                    const Needs& needs) {
  if (operation == ROPEPROOF_PERMUTE) {
    return first_missing(description, operation, needs);
  }
  std::string missing = missing_dtype(description, operation, needs.dtype);
  if (missing.empty() && (operation & kTensors) != 0) {
    missing = missing_tensors(description, needs);
  }
  if (missing.empty() && (operation & kGivenTable) == 0) {
    missing = missing_frequencies(description, operation, needs);
  }
  if (missing.empty() && (operation & kAngles) != 0) {
    missing = missing_angles(description, needs);
  }
  return missing;
}

}  // namespace ropeproof::conformance::plugin
