#include "conformance/cover/offer.h"

#include <algorithm>
#include <cmath>

#include "conformance/cover/class_words.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::cover {
namespace {

// What a declaration says of single classes.
class Offer {
 public:
  Offer(const plugin::Description& description, bool shares_memory)
      : d_(description), shares_memory_(shares_memory) {}

  bool takes(std::string_view dimension, std::string_view word) const {
    if (dimension == "dtype") return takes_dtype(word);
    if (dimension == "pairing") return takes_pairing(word);
    if (dimension == "direction") {
      return word == "forward" || has(ROPEPROOF_ADJOINT);
    }
    if (dimension == "scaling") {
      const auto c = text::find_word(kScalingClasses, word);
      return takes_scaling(c.value_or(ScalingClass::kNone));
    }
    if (dimension == "amplitude") return takes_amplitude(word);
    if (dimension == "axes") return takes_axes(word);
    if (dimension == "numbers") {
      return word == "integer" || has(ROPEPROOF_REAL_POSITIONS);
    }
    if (dimension == "sign") {
      return word == "positive" || has(ROPEPROOF_NEGATIVE_POSITIONS);
    }
    if (dimension == "magnitude") return takes_magnitude(word);
    if (dimension == "window") return takes_window(word);
    if (dimension == "layout" || dimension == "strides" ||
        dimension == "rows") {
      return word == "bshd" || word == "dense" ||
             (shares_memory_ && has(ROPEPROOF_STRIDED));
    }
    if (dimension == "place") return takes_place(word);
    if (dimension == "values") {
      return word != "special" || has(ROPEPROOF_SPECIAL_VALUES);
    }
    if (dimension == "k_heads") return word == "0" || has(ROPEPROOF_KEYS);
    if (dimension == "edge") return shares_memory_ || word == "end";
    return true;
  }

 private:
  bool has(std::uint32_t feature) const { return (d_.features & feature) != 0; }

  bool takes_dtype(std::string_view word) const {
    const auto format = text::find_word(text::kFormatWords, word);
    return format && (d_.dtypes & plugin::abi_dtype(*format)) != 0;
  }

  bool takes_pairing(std::string_view word) const {
    const auto c = text::find_word(kPairingClasses, word);
    if (!c || (d_.pairings & plugin::abi_pairing(c->pairing)) == 0) {
      return false;
    }
    return !c->is_apart ||
           (has(ROPEPROOF_PAIR_DISTANCE) && has(ROPEPROOF_PARTIAL));
  }

  // inv_freq says what any scaling decides, but for its amplitude.
  bool takes_scaling(ScalingClass c) const {
    if (c == ScalingClass::kNone) return true;
    if (c == ScalingClass::kExponents && has(ROPEPROOF_EXPONENTS)) return true;
    const std::uint32_t kind = scaling_of(c);
    return (d_.scalings & kind) != 0 ||
           (has(ROPEPROOF_INV_FREQ) &&
            (!decides_amplitude(kind) || has(ROPEPROOF_AMPLITUDE)));
  }

  bool takes_amplitude(std::string_view word) const {
    if (word == "one") return true;
    if (word == "of_scaling") {
      return std::ranges::any_of(kScalingClasses, [&](const auto& c) {
        return decides_amplitude(scaling_of(c.first)) && takes_scaling(c.first);
      });
    }
    return has(word == "per_pair" ? ROPEPROOF_PAIR_AMPLITUDE
                                  : ROPEPROOF_AMPLITUDE);
  }

  bool takes_axes(std::string_view word) const {
    const auto maps = [&](std::uint32_t map) {
      return (d_.axis_maps & (map | ROPEPROOF_AXES_ANY)) != 0;
    };
    if (word == "one") return true;
    if (word.starts_with("weights")) return has(ROPEPROOF_AXIS_WEIGHTS);
    if (word == "interleaved") return maps(ROPEPROOF_AXES_INTERLEAVED);
    if (word == "any") return maps(0);
    if (word == "sections_inside" &&
        !(shares_memory_ && has(ROPEPROOF_STRIDED))) {
      return false;
    }
    if (word.starts_with("grid")) {
      return maps(ROPEPROOF_AXES_GRID) &&
             (has(ROPEPROOF_INV_FREQ) || has(ROPEPROOF_EXPONENTS));
    }
    return maps(ROPEPROOF_AXES_SECTIONS);
  }

  bool takes_place(std::string_view word) const {
    if (!shares_memory_) return word == "out";
    if (word == "out") return has(ROPEPROOF_OUT_OF_PLACE);
    if (word == "in") return has(ROPEPROOF_IN_PLACE);
    return has(ROPEPROOF_IN_PLACE) && has(ROPEPROOF_OUT_OF_PLACE);
  }

  bool takes_magnitude(std::string_view word) const {
    if (d_.max_position == 0) return true;
    double least = 0;  // the power of two before this class's
    for (const auto& [power, known] : kMagnitudeClasses) {
      if (known == word) break;
      least = std::ldexp(1, power);
    }
    return least <= static_cast<double>(d_.max_position);
  }

  bool takes_window(std::string_view word) const {
    if (word == "full") return true;
    if (!has(ROPEPROOF_PARTIAL)) return false;
    return word.starts_with("leading") || has(ROPEPROOF_WINDOW_OFFSET);
  }

  const plugin::Description& d_;
  bool shares_memory_;
};

}  // namespace

Masks seen_by(const Model& model, std::uint32_t operation) {
  Masks masks = model.everything();
  for (std::size_t d = 0; d < model.size(); ++d) {
    const std::string& name = model.dimensions()[d].name;
    const auto leave_out = [&](std::string_view word) {
      masks[d] &= ~(std::uint64_t{1} << model.at(d, word));
    };
    if ((find_dimension(name)->operations & operation) == 0) masks[d] = 0;
    // Frequencies are not given where they are asked for.
    if (operation == ROPEPROOF_FREQUENCIES && name == "scaling") {
      leave_out("inv_freq");
    }
    // Weights are trained for one of two pairings.
    if (operation == ROPEPROOF_PERMUTE && name == "pairing") {
      for (const auto& [pairing, word] : kPairingClasses) {
        if (word != "half_split" && word != "interleaved") leave_out(word);
      }
    }
  }
  return masks;
}

Masks fixed(const Model& model, Masks masks, std::int64_t pairs) {
  for (const char* name :
       {"dtype", "pairing", "direction", "scaling", "amplitude", "base", "axes",
        "numbers", "sign", "window"}) {
    masks[model.at(name)] = 1;
  }
  const std::size_t d = model.at("pairs");
  const auto& ranges = model.dimensions()[d].ranges;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    if (pairs >= ranges[c].low) masks[d] = std::uint64_t{1} << c;
  }
  return masks;
}

Masks offered(const Model& model, const plugin::Description& description,
              bool shares_memory) {
  const Offer offer(description, shares_memory);
  Masks seen(model.size(), 0);
  for (const auto& [operation, word] : plugin::kOperationWords) {
    if ((description.operations & operation) == 0) continue;
    const Masks one = seen_by(model, operation);
    for (std::size_t d = 0; d < model.size(); ++d) seen[d] |= one[d];
  }
  Masks masks;
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& dimension = model.dimensions()[d];
    std::uint64_t mask = 0;
    for (std::size_t c = 0; c < dimension.classes.size(); ++c) {
      if (seen[d] == 0
              ? c == 0
              : (seen[d] >> c & 1) != 0 &&
                    offer.takes(dimension.name, dimension.classes[c])) {
        mask |= std::uint64_t{1} << c;
      }
    }
    masks.push_back(mask == 0 ? 1 : mask);
  }
  return masks;
}

}  // namespace ropeproof::conformance::cover
