#include "reference/bound/scaling_roundings.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <variant>

#include "reference/bound/log_bound.h"
#include "reference/rope.h"
#include "reference/sweep/kept_frequencies.h"

namespace ropeproof::reference::bound {
namespace {

// |ln x| from below (log_bound.h says by how much the bound exceeds it).
double abs_ln_below(double x) {
  return std::max(0.0, (abs_ln_bound(x) - 0.06) * (1 - 0x1p-19));
}

// A blend of theta and theta/s with g of the latter; `keep` is the error of
// 1 - g, in units of u.
double blend(double g, double s, double keep) {
  const double divided = g / s, kept = 1 - g;
  return (3 * divided + kept + keep * (1 - 1 / s)) / (divided + kept) + 1;
}

double yarn(const Claim& claim, const Yarn& scaling, const Ramp& ramp, double j,
            const Spec& spec) {
  const bool is_outside = j <= ramp.low || j >= ramp.high;
  if (scaling.truncate && is_outside) return 1;
  const double width = ramp.high - ramp.low;
  const double g = std::clamp((j - ramp.low) / width, 0.0, 1.0);
  const auto edge = [&](double x) {
    const double d = static_cast<double>(spec.layout.rotary_dim);
    return (2 + 4 * claim.power_ulp) * x +
           3 * d / (2 * abs_ln_below(spec.frequencies.base));
  };
  const double edges =
      scaling.truncate
          ? 0
          : ((1 - g) * edge(ramp.low) + g * edge(ramp.high)) / width;
  return blend(g, scaling.factor, 3 * g + edges + (1 - g));
}

double llama3(const Llama3& scaling, double theta, double k) {
  constexpr double kTwoPi = 6.283185307179586;
  constexpr double kEdge = 0x1p-12;  // wider than any f32 can miss it by
  const double low = scaling.low_freq_factor, high = scaling.high_freq_factor;
  const double t =
      static_cast<double>(scaling.original_length) * theta / kTwoPi;
  const bool is_blended = t > low * (1 - kEdge) && t < high * (1 + kEdge);
  if (!is_blended || high <= low) return 1;
  const double keep = std::clamp((t - low) / (high - low), 0.0, 1.0);
  return blend(1 - keep, scaling.factor, (k + 3) * t / (high - low) + 3 * keep);
}

// In units of u: of the base, before the power that turns it into theta'.
double ntk(const Claim& claim, double alpha, double alpha_error, double d) {
  if (d <= 2) return 0;
  const double power = 2.0 * claim.power_ulp;
  const double logarithm = claim.power == Power::kExp2 ? 2 + power : 1;
  return (alpha_error + logarithm * abs_ln_bound(alpha)) * d / (d - 2) + power +
         1;
}

double dynamic_ntk(const Claim& claim, const DynamicNtk& s, double d) {
  if (s.seq_len <= s.max_position) return 0;
  const double stretched = s.factor * static_cast<double>(s.seq_len) /
                           static_cast<double>(s.max_position);
  const double alpha = stretched - s.factor + 1;
  return ntk(claim, alpha, (2 * stretched + s.factor - 1) / alpha + 1, d);
}

// theta_j before the scaling.
std::vector<double> plain_frequencies(const Spec& spec) {
  Spec plain = spec;
  plain.frequencies.scaling = Default{};
  plain.frequencies.pair_factors.clear();
  std::vector<double> thetas;
  const auto kept = sweep::kept_frequencies(best_oracle(), plain);
  for (const auto& golden : kept->frequencies()) {
    thetas.push_back(std::bit_cast<double>(golden.hi));
  }
  return thetas;
}

// How much of the base's error reaches theta': the pair's exponent.
double exponent(const Spec& spec, std::int64_t j) {
  const Exponent e = exponent_of(spec, j);
  if (e.denominator == 0) return 0;
  return static_cast<double>(e.numerator) / static_cast<double>(e.denominator);
}

}  // namespace

std::vector<double> scaling_roundings(const Claim& claim, const Spec& spec) {
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  std::vector<double> k(static_cast<std::size_t>(pairs), 0);
  const auto fill = [&](const auto& of_pair) {
    for (std::int64_t j = 0; j < pairs; ++j) at(k, j) = of_pair(j);
  };
  const auto d = static_cast<double>(spec.layout.rotary_dim);
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Default>) {
          return;
        } else if constexpr (std::is_same_v<S, Yarn>) {
          const auto kept = sweep::kept_frequencies(best_oracle(), spec);
          const std::vector<Ramp>& ramps = kept->prover().resolution().ramps;
          fill([&](std::int64_t j) {
            const std::int64_t n = exponent_of(spec, j).numerator;
            return yarn(claim, s, at(ramps, j), static_cast<double>(n) / 2,
                        spec);
          });
        } else if constexpr (std::is_same_v<S, Llama3>) {
          const std::vector<double> thetas = plain_frequencies(spec);
          fill([&](std::int64_t j) {
            PairAngle pair{j, spec.layout.rotary_dim, at(thetas, j)};
            pair.base_in = formats_that_hold(spec.frequencies.base);
            return llama3(s, pair.inv_freq, frequency_roundings(claim, pair));
          });
        } else if constexpr (std::is_same_v<S, Ntk>) {
          const double base = ntk(claim, s.alpha, 1, d);
          fill([&](std::int64_t j) { return exponent(spec, j) * base; });
        } else if constexpr (std::is_same_v<S, DynamicNtk>) {
          const double base = dynamic_ntk(claim, s, d);
          fill([&](std::int64_t j) { return exponent(spec, j) * base; });
        } else {
          static_assert(std::is_same_v<S, Linear> ||
                            std::is_same_v<S, LongRope> ||
                            std::is_same_v<S, FrequencyFactors>,
                        "a scaling without its roundings");
          fill([](std::int64_t) { return 1.0; });
        }
      },
      spec.frequencies.scaling);
  if (spec.frequencies.pair_factors.empty()) return k;
  fill([&](std::int64_t j) {
    const double factor = at(spec.frequencies.pair_factors, j);
    return at(k, j) + 2 + angle_row(claim).exponent * abs_ln_bound(factor);
  });
  return k;
}

}  // namespace ropeproof::reference::bound
