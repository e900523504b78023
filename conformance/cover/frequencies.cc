// Base, scaling and amplitude.
#include <algorithm>
#include <cmath>

#include "conformance/cases/families/family.h"
#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/problem.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using cases::Problem;
using reference::Frequencies;

constexpr double kBases[] = {500000, 1e6, 1e7, 150000, 256000, 5e6};
// Neither is a number of f32.
constexpr double kFractionalBases[] = {10000.1, 1234567.3, 333.3, 1e11};
constexpr double kSmallBases[] = {2, 3, 10, 100, 256};
constexpr std::int64_t kLengths[] = {128, 2048, 4096, 8192, 32768, 262144};

std::string read_base(const ropeproof_problem& p) {
  const double b = p.base != 0               ? p.base
                   : p.pair_bases != nullptr ? p.pair_bases[0]
                                             : 0;
  if (b == 10000 || b == 0) return "10000";
  if (b <= 256) return "small";
  return static_cast<double>(static_cast<float>(b)) != b ? "fractional"
                                                         : "other";
}

void draw_base(Drawing& d, BaseClass c) {
  double& base = d.problem.spec.frequencies.base;
  switch (c) {
    case BaseClass::k10000:
      base = 10000;
      break;
    case BaseClass::kOther:
      base = d.draw.from(kBases);
      break;
    case BaseClass::kFractional:
      base = d.draw.from(kFractionalBases);
      break;
    case BaseClass::kSmall:
      base = d.draw.from(kSmallBases);
      break;
  }
}

// Draws the frequencies of a scaling.
class ScalingDraw {
 public:
  // `length`: the largest position + 1.
  ScalingDraw(Draw& draw, std::int64_t pairs, std::int64_t length)
      : draw_(draw), pairs_(pairs), length_(length) {}

  void draw(ScalingClass c, bool has_xpos, Frequencies& f) {
    const std::int64_t n = length_;
    reference::Yarn y = yarn();
    switch (c) {
      case ScalingClass::kNone:
        break;
      case ScalingClass::kLinear:
        f.scaling = reference::Linear{draw_.real(1, 16)};
        break;
      case ScalingClass::kNtk:
        f.scaling = reference::Ntk{draw_.real(1, 16)};
        break;
      case ScalingClass::kDynamicNtk:
        f.scaling = dynamic(n / draw_.between(2, 5));
        break;
      case ScalingClass::kDynamicNtkShort:
        f.scaling = dynamic(n + draw_.between(1, n));
        break;
      case ScalingClass::kDynamicNtkTrained:
        f.scaling = dynamic(n);
        break;
      case ScalingClass::kYarn:
        f.scaling = y;
        break;
      case ScalingClass::kYarnUntruncated:
        y.truncate = false;
        f.scaling = y;
        break;
      case ScalingClass::kYarnMscale:
        y.mscale = draw_.real(0.5, 1.5);
        y.mscale_all_dim = draw_.real(0.5, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kYarnAttention:
        y.attention_factor = draw_.one_in(4) ? 1 : draw_.real(0.75, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kLongRope:
        f.scaling = long_rope(n / draw_.between(2, 5));
        break;
      case ScalingClass::kLongRopeShort:
        f.scaling = long_rope(draw_.one_in(2) ? n : n + draw_.between(1, n));
        break;
      case ScalingClass::kLlama3:
        f.scaling = llama3();
        break;
      case ScalingClass::kFrequencyFactors:
        f.scaling = reference::FrequencyFactors{list(1, draw_.real(0, 2))};
        break;
      case ScalingClass::kInvFreq:
        f.inv_freq = list(draw_.real(0, 0.0625), 0x1p-8);
        // One that does not rotate, beside others that do.
        if (pairs_ > 1 && draw_.one_in(2)) {
          f.inv_freq[draw_.one_in(2) ? 0 : f.inv_freq.size() / 3] = 0;
        }
        break;
      case ScalingClass::kExponents:  // counted against more channels
        for (std::int64_t j = 0; j < pairs_; ++j) {
          f.exponents.push_back({2 * j, 2 * pairs_ + 6});
        }
        // Some models leave the last pairs where they are; not with xPos.
        if (pairs_ > 3 && !has_xpos && draw_.one_in(2)) {
          f.exponents.back() = {0, 0};
        }
        break;
    }
  }

 private:
  std::vector<double> list(double first, double step) {
    std::vector<double> list;
    for (std::int64_t j = 0; j < pairs_; ++j) {
      list.push_back(first +
                     step * (static_cast<double>(j) + draw_.real(0, 0.5)));
    }
    return list;
  }

  // YaRN's ramp runs forward for every number of channels d if L / (2 pi
  // beta_slow) > 1 and L / (2 pi beta_fast) < b^(2(d-1)/d), which is b or more:
  // so L > 2 pi 4, and b > 32768 / (2 pi 16) = 326.
  reference::Yarn yarn() {
    reference::Yarn s;
    s.factor = factor(48);
    s.original_length = draw_.from(kLengths);
    s.beta_fast = draw_.real(16, 40);
    s.beta_slow = draw_.real(1, 4);
    return s;
  }

  // Of one time in eight 1, which scales nothing.
  double factor(double most) {
    return draw_.one_in(8) ? 1 : draw_.real(1, most);
  }

  // Where both factors are equal the band between them is empty.
  reference::Llama3 llama3() {
    const double low = draw_.real(0.5, 2);
    return {factor(40), low, draw_.one_in(4) ? low : draw_.real(2, 8),
            draw_.from(kLengths)};
  }

  reference::LongRope long_rope(std::int64_t trained) {
    reference::LongRope s;
    s.short_factor = list(1, 0.125);
    s.long_factor = list(1.5, 3.25);
    s.factor = factor(32);
    s.seq_len = length_;
    s.original_length = std::max<std::int64_t>(trained, 2);
    return s;
  }

  reference::DynamicNtk dynamic(std::int64_t trained) {
    return {factor(8), std::max<std::int64_t>(trained, 1), length_};
  }

  Draw& draw_;
  std::int64_t pairs_, length_;
};

// The frequencies of a scaling, as an example.
Frequencies frequencies_of(ScalingClass c) {
  constexpr std::int64_t kPairs = 2, kLength = 4096;
  Draw draw(0);
  Frequencies frequencies;
  ScalingDraw(draw, kPairs, kLength).draw(c, false, frequencies);
  return frequencies;
}

// Frequencies that are given say what any scaling decides, but for its
// amplitude.
bool offers_scaling(const Offer& offer, ScalingClass c) {
  const Frequencies f = frequencies_of(c);
  const std::uint32_t scaling = plugin::scaling_bit(f.scaling);
  return offer.takes(
      {.scaling = scaling,
       .has_exponents = plugin::follows_exponents(f),
       .has_inv_freq = !f.inv_freq.empty(),
       .has_amplitude = reference::decides_amplitude(f.scaling) &&
                        (offer.kernel.scalings & scaling) == 0});
}

// The exponents begin anew with each axis; of frequencies alone nothing says
// how many axes.
bool is_grid(const ropeproof_problem& p) {
  if (p.exponent_numerators == nullptr) return false;
  for (const std::int64_t axes : {2, 3}) {
    const std::int64_t pairs = p.rotary_dim / 2;
    if (pairs % axes == 0 && p.exponent_numerators[pairs / axes] == 0) {
      return true;
    }
  }
  return false;
}

std::string read_scaling(const ropeproof_problem& p) {
  if (p.scaling == nullptr) {
    if (p.base != 0 || is_grid(p)) return "none";
    return p.exponent_numerators != nullptr ? "exponents" : "inv_freq";
  }
  const ropeproof_scaling& s = *p.scaling;
  switch (s.kind) {
    case ROPEPROOF_DYNAMIC_NTK:
      return s.seq_len > s.original_length   ? "dynamic_ntk"
             : s.seq_len < s.original_length ? "dynamic_ntk_short"
                                             : "dynamic_ntk_trained";
    case ROPEPROOF_YARN:
      return s.attention_factor != 0 ? "yarn_attention"
             : s.mscale != 0         ? "yarn_mscale"
             : s.truncate != 0       ? "yarn"
                                     : "yarn_untruncated";
    case ROPEPROOF_LONG_ROPE:
      return s.seq_len > s.original_length ? "long_rope" : "long_rope_short";
    default:  // one class, of the scaling's own word
      return text::word(plugin::kScalingWords, s.kind);
  }
}

void draw_scaling(Drawing& d, ScalingClass c) {
  const std::int64_t length =
      std::max<std::int64_t>(cases::length_of(d.problem.positions), 1);
  const bool has_xpos =
      d.recipe.class_of(kAmplitude) == AmplitudeClass::kPerPair;
  ScalingDraw(d.draw, d.problem.pairs(), length)
      .draw(c, has_xpos, d.problem.spec.frequencies);
}

bool offers_amplitude(const Offer& offer, AmplitudeClass c) {
  switch (c) {
    case AmplitudeClass::kOne:
      return true;
    case AmplitudeClass::kOfScaling:
      return std::ranges::any_of(kScaling.words, [&](const auto& scaling) {
        return reference::decides_amplitude(scaling_of(scaling.first)) &&
               offers_scaling(offer, scaling.first);
      });
    case AmplitudeClass::kPerPair:
      return offer.takes({.has_pair_amplitude = true});
    default:
      return offer.takes({.has_amplitude = true});
  }
}

std::string read_amplitude(const ropeproof_problem& p) {
  if (p.scaling != nullptr &&
      reference::decides_amplitude(plugin::scaling_named(
          text::word(plugin::kScalingWords, p.scaling->kind)))) {
    return "of_scaling";
  }
  if (p.pair_amplitude != nullptr) return "per_pair";
  const double m = p.amplitude;
  return m == 1   ? "one"
         : m > 1  ? "large"
         : m > 0  ? "small"
         : m == 0 ? "zero"
                  : "negative";
}

// A power of two, half of the time 1. In f16 at most 2^5: results of 2^9
// times 2^6 are numbers of it.
double spread(Drawing& d) {
  const int most = d.problem.dtype == reference::Format::kF16 ? 5 : 10;
  return d.draw.one_in(2)
             ? 1
             : std::ldexp(1, static_cast<int>(d.draw.between(1, most)));
}

void draw_amplitude(Drawing& d, AmplitudeClass c) {
  Frequencies& f = d.problem.spec.frequencies;
  switch (c) {
    case AmplitudeClass::kOne:
    case AmplitudeClass::kOfScaling:
      break;
    case AmplitudeClass::kLarge:
      f.amplitude = d.draw.real(1.0625, 2) * spread(d);
      break;
    case AmplitudeClass::kSmall:
      f.amplitude = d.draw.real(0.25, 0.9375) / spread(d);
      break;
    case AmplitudeClass::kZero:
      f.amplitude = 0;
      break;
    case AmplitudeClass::kNegative:
      f.amplitude = d.draw.one_in(4) ? -1 : -d.draw.real(0.5, 1.5) * spread(d);
      break;
    case AmplitudeClass::kPerPair: {
      // 448^(distance / scale_base), at most 22: binary16 holds the results.
      double reach = 1;
      for (const double p : d.problem.positions)
        reach = std::max(reach, std::abs(p));
      f.xpos = reference::XPos{reach / d.draw.real(0.0625, 0.25),
                               std::floor(reach * d.draw.real(0, 1)),
                               d.draw.one_in(2)};
      break;
    }
  }
}

}  // namespace

reference::Scaling scaling_of(ScalingClass c) {
  return frequencies_of(c).scaling;
}

std::vector<KnownDimension> frequency_dimensions() {
  using plugin::kAngles;
  constexpr std::uint32_t kFormulas = kAngles | ROPEPROOF_FREQUENCIES;
  std::vector<KnownDimension> rows = {
      dimension(kBase, kFormulas, By::kModel, nullptr, read_base, draw_base),
      dimension(kScaling, kFormulas, By::kModel, offers_scaling, read_scaling,
                draw_scaling),
      dimension(kAmplitude, kAngles, By::kModel, offers_amplitude,
                read_amplitude, draw_amplitude)};
  // Frequencies are not given where they are asked for.
  rows[1].without.emplace_back(ROPEPROOF_FREQUENCIES, "inv_freq");
  return rows;
}

}  // namespace ropeproof::conformance::cover
