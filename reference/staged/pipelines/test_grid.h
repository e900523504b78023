// test_grid.h -- the grid that staged tests walk: exact results, how far a
// pipeline is from them, and how far a claim lets it be.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/bound/bound.h"
#include "reference/format.h"
#include "reference/golden.h"
#include "reference/spec.h"
#include "reference/staged/pipelines/engine.h"
#include "reference/test_oracle.h"

namespace ropeproof::reference::staged {

inline constexpr std::array<std::int64_t, 6> kDims{64, 80, 96, 128, 160, 256};
inline constexpr std::array<double, 2> kBases{1e4, 5e5};
inline constexpr std::array<std::int64_t, 9> kPositions{
    1, 1000, 4095, 8191, 32767, 131071, 1048575, (1 << 24) + 1, 2147483647};

// The pipeline of this name, which there is.
inline const Pipeline& pipeline_of(std::string_view name) {
  return *std::ranges::find(pipelines(), name, &Pipeline::name);
}

inline Spec interleaved(std::int64_t d, double base) {
  Spec spec;
  spec.layout = leading(d, d, Pairing::kInterleaved);
  spec.frequencies.base = base;
  return spec;
}

// Numbers of `format` with 1/16 <= |x| <= 1, every bit random.
inline std::vector<double> random_numbers(Format format, std::size_t count,
                                          std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x;
  while (x.size() < count) {
    const std::uint64_t bits = random();
    const double fraction =
        std::bit_cast<double>((bits >> 12) | 0x3ff0000000000000u);
    const double value = fraction / static_cast<double>(2 << (bits & 3));
    x.push_back(((bits & 4) != 0 ? -1 : 1) * round_to(format, value));
  }
  return x;
}

// `heads` random heads at every position: x and the exact y, rounded to odd.
struct Grid {
  Parameters parameters;
  std::int64_t heads;
  std::vector<std::int64_t> positions;
  std::vector<double> x, y, theta;

  // x is scaled by `scale`, a power of two, and rounded again.
  Grid(Format format, std::int64_t d, double base, std::int64_t heads_,
       std::vector<std::int64_t> positions_, double amplitude = 1,
       double scale = 1)
      : parameters{base, d, amplitude},
        heads(heads_),
        positions(std::move(positions_)) {
    Spec spec = interleaved(d, base);
    spec.frequencies.amplitude = amplitude;
    const auto tokens = static_cast<std::int64_t>(positions.size());
    x = random_numbers(format, static_cast<std::size_t>(tokens * heads * d),
                       static_cast<std::uint64_t>(d) + 1);
    for (double& value : x) value = round_to(format, value * scale);
    for (const Golden& golden :
         rope_of(Oracle::kMpfi, spec, heads, positions, x)) {
      y.push_back(std::bit_cast<double>(golden.bits));
    }
    for (const auto& golden : golden_frequencies(Oracle::kMpfi, spec)) {
      theta.push_back(std::bit_cast<double>(golden.hi));
    }
  }

  Grid(Format format, std::int64_t d, double base, std::int64_t heads_)
      : Grid(format, d, base, heads_, {kPositions.begin(), kPositions.end()}) {}

  std::int64_t pairs() const { return parameters.rotary_dim / 2; }

  // Where pair j of a head begins in x and y.
  std::size_t at(std::size_t token, std::int64_t head, std::int64_t j) const {
    return static_cast<std::size_t>(
        (static_cast<std::int64_t>(token) * heads + head) *
            parameters.rotary_dim +
        2 * j);
  }
};

// The bound of one pair at one position, put together as the judge does.
struct Limit {
  bound::Claim claim;
  double amplitude, angle;
  bound::LocalError local;

  Limit(const bound::Claim& claim_, const Grid& grid, std::int64_t position,
        std::int64_t j)
      : claim(claim_), amplitude(std::abs(grid.parameters.amplitude)) {
    const auto p = static_cast<double>(position);
    angle = angle_error(
        claim, {.j = j,
                .rotary_dim = grid.parameters.rotary_dim,
                .inv_freq = grid.theta[std::size_t(j)],
                .position = std::abs(p),
                .exact_in = bound::formats_that_hold(p),
                .base_in = bound::formats_that_hold(grid.parameters.base)});
    local = output_error(claim, false, amplitude != 1);
  }

  // The bound without eta of the output whose exact value is `y`.
  double relative(double x_u, double x_v, double y) const {
    return amplitude * std::hypot(x_u, x_v) * local.with_angle(angle) +
           local.result * std::abs(y);
  }
  double output(double x_u, double x_v, double y) const {
    return relative(x_u, x_v, y) +
           underflow_error(claim, std::abs(x_u) + std::abs(x_v));
  }
};

// What a grid shows of a pipeline and a claim, over both outputs in every form.
struct Measured {
  // Max of |y^ - y| / bound, where the bound is not vacuous; and of these where
  // most of the bound is angle, or most of it is local.
  double ratio = 0, angle_ratio = 0, local_ratio = 0;
  std::size_t outputs = 0, vacuous = 0, violations = 0;

  void add(double got, double want, const Limit& limit, double x_u,
           double x_v) {
    const double allowed = limit.output(x_u, x_v, want);
    const double difference = std::abs(got - want), now = difference / allowed;
    const double local = limit.local.length + limit.local.result;
    ++outputs;
    violations += !(difference <= allowed);
    if (limit.angle >= bound::kVacuous) {
      ++vacuous;
      return;
    }
    ratio = std::max(ratio, now);
    if (limit.angle > 8 * local) angle_ratio = std::max(angle_ratio, now);
    if (local > 8 * limit.angle) local_ratio = std::max(local_ratio, now);
  }

  void add(const Measured& other) {
    ratio = std::max(ratio, other.ratio);
    angle_ratio = std::max(angle_ratio, other.angle_ratio);
    local_ratio = std::max(local_ratio, other.local_ratio);
    outputs += other.outputs;
    vacuous += other.vacuous;
    violations += other.violations;
  }
};

// Runs a pipeline, in every form, and judges it as `claim` says.
inline Measured measure(const Pipeline& pipeline, const bound::Claim& claim,
                        const Grid& grid) {
  const Engine engine(pipeline, claim.output, grid.parameters);
  const std::int64_t pairs = grid.pairs();
  const auto count = static_cast<std::int64_t>(grid.positions.size()) * pairs;
  std::vector<Measured> parts(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t i = 0; i < count; ++i) {
    const auto token = static_cast<std::size_t>(i / pairs);
    const std::int64_t j = i % pairs, p = grid.positions[token];
    const CosSin cos_sin = engine.cos_sin(p, j);
    const Limit limit(claim, grid, p, j);
    for (std::int64_t head = 0; head < grid.heads; ++head) {
      const std::size_t at = grid.at(token, head, j);
      const double x_u = grid.x[at], x_v = grid.x[at + 1];
      for (const Output output : {Output::kYu, Output::kYv}) {
        const double want = grid.y[at + (output == Output::kYv)];
        for (const Fused fused : {Fused::kNone, Fused::kXu, Fused::kXv}) {
          const double got = engine.rotate(output, fused, cos_sin, x_u, x_v);
          parts[static_cast<std::size_t>(i)].add(got, want, limit, x_u, x_v);
        }
      }
    }
  }
  Measured all;
  for (const Measured& part : parts) all.add(part);
  return all;
}

}  // namespace ropeproof::reference::staged
