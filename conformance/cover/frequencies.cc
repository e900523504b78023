// Base and amplitude.
#include <algorithm>
#include <cmath>

#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::cover {
namespace {

using reference::Frequencies;

constexpr double kBases[] = {500000, 1e6, 1e7, 150000, 256000, 5e6, 8e6};
// Neither is a number of f32.
constexpr double kFractionalBases[] = {10000.1, 1234567.3, 3333.3, 1e11};
constexpr double kSmallBases[] = {2, 3, 10, 100, 256};

BaseClass class_of_base(double b) {
  using enum BaseClass;
  if (b == 10000 || b == 0) return k10000;
  if (b <= 256) return kSmall;
  return static_cast<double>(static_cast<float>(b)) != b ? kFractional : kOther;
}

BaseClass read_base(const ropeproof_problem& p) {
  return class_of_base(p.base != 0               ? p.base
                       : p.pair_bases != nullptr ? p.pair_bases[0]
                                                 : 0);
}

bool offers_base(const Offer& offer, BaseClass c) {
  const double own = offer.kernel.base;
  return own == 0 || c == class_of_base(own);
}

void draw_base(Drawing& d, BaseClass c) {
  double& base = d.problem.spec.frequencies.base;
  if (d.recipe.base != 0) {
    base = d.recipe.base;
    return;
  }
  switch (c) {
    case BaseClass::k10000:
      base = 10000;
      break;
    case BaseClass::kOther:
      // Any whole number of f32 above what YaRN needs is another.
      base = d.draw.one_in(3)
                 ? static_cast<double>(d.draw.any_size(10001, 1 << 24))
                 : d.draw.from(kBases);
      break;
    case BaseClass::kFractional:
      base = d.draw.from(kFractionalBases);
      break;
    case BaseClass::kSmall:
      base = d.draw.from(kSmallBases);
      break;
  }
}

bool offers_amplitude(const Offer& offer, AmplitudeClass c) {
  switch (c) {
    case AmplitudeClass::kOne:
      return true;
    case AmplitudeClass::kOfScaling:
      return std::ranges::any_of(scaling_examples(), [&](const Frequencies& f) {
        return reference::decides_amplitude(f.scaling) &&
               offers_scaling(offer, f);
      });
    case AmplitudeClass::kPerPair:
      return offer.takes({.has_pair_amplitude = true});
    default:
      return offer.takes({.has_amplitude = true});
  }
}

AmplitudeClass read_amplitude(const ropeproof_problem& p) {
  using enum AmplitudeClass;
  if (p.scaling != nullptr &&
      reference::decides_amplitude(plugin::scaling_of(p.scaling->kind))) {
    return kOfScaling;
  }
  if (p.pair_amplitude != nullptr) return kPerPair;
  const double m = p.amplitude;
  return m == 1   ? kOne
         : m > 1  ? kLarge
         : m > 0  ? kSmall
         : m == 0 ? kZero
                  : kNegative;
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

std::vector<Dimension> frequency_dimensions() {
  using plugin::kAngles;
  return {dimension(kBase, kAngles | ROPEPROOF_FREQUENCIES, By::kModel,
                    offers_base, read_base, draw_base),
          scaling_dimension(),
          dimension(kAmplitude, kAngles, By::kModel, offers_amplitude,
                    read_amplitude, draw_amplitude)};
}

}  // namespace ropeproof::conformance::cover
