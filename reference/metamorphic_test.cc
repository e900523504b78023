// Different specifications of the same real numbers have the same goldens, bit
// for bit; and properties that need no golden hold within derived bounds.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "reference/golden.h"
#include "reference/permutation.h"
#include "reference/rope.h"
#include "reference/test_oracle.h"
#include "reference/test_variants.h"

namespace ropeproof::reference {
namespace {

using Ints = std::vector<std::int64_t>;
using Vector = std::vector<double>;

Vector wavy(std::int64_t n, double phase) {
  Vector x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::cos(phase + 1.7 * static_cast<double>(i));
  }
  return x;
}

// Goldens as doubles, of [tokens, 1 head] at [axes, tokens] positions.
Vector rotated(const Spec& spec, const Vector& positions, const Vector& x) {
  Vector y;
  for (const Golden& golden : rope_of(best_oracle(), spec, 1, positions, x)) {
    y.push_back(std::bit_cast<double>(golden.bits));
  }
  return y;
}

Vector rotated(const Spec& spec, const Vector& positions) {
  const auto tokens =
      static_cast<std::int64_t>(positions.size()) / spec.axes.count;
  return rotated(spec, positions, wavy(tokens * spec.layout.head_dim, 0.3));
}

// The same positions on every axis, as text has them in a multi-axis model.
Vector equal_positions(std::int64_t axes, const Vector& positions) {
  Vector result;
  for (std::int64_t k = 0; k < axes; ++k) {
    result.insert(result.end(), positions.begin(), positions.end());
  }
  return result;
}

// 16 channels, six pairs of base 10000.
Spec plain() { return {leading(16, 12, Pairing::kHalfSplit), {}}; }

Spec scaled_by(const Scaling& scaling) {
  Spec spec = plain();
  spec.frequencies.scaling = scaling;
  return spec;
}

const Vector kPositions = {0, 1, -7, 0.25, 131071};

TEST_CASE("a scaling by one is no scaling", "[reference][metamorphic]") {
  const Vector want = rotated(plain(), kPositions);
  const Vector ones(6, 1);
  Yarn untruncated{1, 4096};
  untruncated.truncate = false;
  const Named<Scaling> scalings = {
      {"linear", Linear{1}},
      {"ntk", Ntk{1}},
      {"dynamic ntk, s = 1 within M", DynamicNtk{1, 2048, 2048}},
      {"dynamic ntk, s = 3 within M", DynamicNtk{3, 2048, 100}},
      {"yarn", Yarn{1, 4096}},
      {"yarn, not truncated", untruncated},
      {"longrope, short", LongRope{ones, Vector(6, 2), 4096, 1, 1}},
      {"longrope, long", LongRope{Vector(6, 2), ones, 4096, 5000, 1}},
      {"llama3", Llama3{1, 1, 4, 64}},
      {"factors", FrequencyFactors{ones}}};
  for (const auto& [name, scaling] : scalings) {
    CAPTURE(name);
    CHECK(rotated(scaled_by(scaling), kPositions) == want);
  }
}

TEST_CASE("scalings that divide all frequencies alike are the same",
          "[reference][metamorphic]") {
  const Vector want = rotated(scaled_by(Linear{4}), {0, 4, -28, 1, 524284});
  CHECK(want == rotated(plain(), kPositions));  // p = 4p/4
  const Vector fours(6, 4);
  const Vector four = rotated(scaled_by(Linear{4}), kPositions);
  CHECK(rotated(scaled_by(FrequencyFactors{fours}), kPositions) == four);
  LongRope longrope{fours, fours, 4096, 1};
  longrope.attention_factor = 1;
  CHECK(rotated(scaled_by(longrope), kPositions) == four);
  // All pairs are slow beside 1/1000 of a rotation in 2 positions, or fast.
  CHECK(rotated(scaled_by(Llama3{4, 1, 2, 2}), kPositions) == four);
  CHECK(rotated(scaled_by(Llama3{4, 1e-9, 1e-8, 2}), kPositions) ==
        rotated(plain(), kPositions));
  // Dynamic NTK is NTK with its alpha: 2 * 6144/2048 - 1 = 5.
  CHECK(rotated(scaled_by(DynamicNtk{2, 2048, 6144}), kPositions) ==
        rotated(scaled_by(Ntk{5}), kPositions));
}

TEST_CASE("equal positions on all axes are a position on one",
          "[reference][metamorphic]") {
  const Vector want = rotated(plain(), kPositions);
  for (const Axes& axes :
       {contiguous_sections(Ints{1, 2, 3}), interleaved_sections(Ints{2, 2, 2}),
        interleaved_sections_ggml(Ints{2, 1, 1, 2}),
        round_robin_sections(Ints{1, 2, 3}), ernie_sections(Ints{2, 2, 2}),
        contiguous_sections(Ints{1, 1, 2, 2})}) {
    Spec spec = plain();
    spec.axes = axes;
    CHECK(rotated(spec, equal_positions(axes.count, kPositions)) == want);
    spec.axes = weighted(axes, 6, 1);  // the same, as a dense W
    CHECK(rotated(spec, equal_positions(axes.count, kPositions)) == want);
  }
}

TEST_CASE("a weight is a factor of the position", "[reference][metamorphic]") {
  Spec spec = plain();
  spec.axes = weighted({}, 6, 0.25);
  CHECK(rotated(spec, {0, 4, -28, 1, 524284}) == rotated(plain(), kPositions));
  // W = (1, -1): the difference of two positions.
  spec.axes = mixed_axes(2, Vector{1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1});
  CHECK(rotated(spec, {5, 6, 1, 0.5, 131072, 5, 5, 8, 0.25, 1}) ==
        rotated(plain(), kPositions));
}

TEST_CASE("2-D schemes are 1-D ones with the pairs elsewhere",
          "[reference][metamorphic]") {
  // Shared: both blocks are a RoPE of six channels.
  Spec spec = plain();
  const Scheme shared = axial_2d(6, 0, Spectrum::kShared);
  spec.axes = shared.axes, spec.frequencies.exponents = shared.exponents;
  spec.layout = {12, 12, 0, Pairing::kNestedHalfSplit, 2};
  const Spec block{leading(6, 6, Pairing::kHalfSplit), {}};
  const Vector x = wavy(12, 0.3);
  const Vector y = rotated(spec, {7, 11}, x);
  const Vector first = rotated(block, {7}, Vector(x.begin(), x.begin() + 6));
  const Vector second = rotated(block, {11}, Vector(x.begin() + 6, x.end()));
  CHECK(Vector(y.begin(), y.begin() + 6) == first);
  CHECK(Vector(y.begin() + 6, y.end()) == second);

  // Even and odd: frequencies 0, 2, 4 and 1, 3, 5 of the 1-D ones.
  const Scheme pixtral = axial_2d(6, 0, Spectrum::kEvenOdd);
  Spec odd = plain();
  odd.axes = pixtral.axes, odd.frequencies.exponents = pixtral.exponents;
  const auto got = golden_frequencies(best_oracle(), odd);
  const auto want = golden_frequencies(best_oracle(), plain());
  for (const std::size_t j : {0u, 1u, 2u, 3u, 4u, 5u}) {
    CHECK(got[j].hi == want[2 * (j % 3) + j / 3].hi);
  }
}

TEST_CASE("an offset is a shift of the ids; packing is sequence by sequence",
          "[reference][metamorphic]") {
  const Vector x = wavy(5 * 16, 0.3);
  const Vector ids = rotated(plain(), {1000, 1001, 1002, 1003, 1004}, x);
  CHECK(rotated(plain(), consecutive_positions(5, 1000), x) == ids);

  const Vector packed = rotated(plain(), packed_positions(Ints{0, 2, 5}), x);
  const Vector head(x.begin(), x.begin() + 32), tail(x.begin() + 32, x.end());
  Vector apart = rotated(plain(), consecutive_positions(2), head);
  const Vector later = rotated(plain(), consecutive_positions(3), tail);
  apart.insert(apart.end(), later.begin(), later.end());
  CHECK(packed == apart);
}

TEST_CASE("layouts that coincide are the same", "[reference][metamorphic]") {
  const auto with = [](const Layout& layout) {
    Spec spec = plain();
    spec.layout = layout;
    return rotated(spec, kPositions);
  };
  const Vector half = with(leading(16, 16, Pairing::kHalfSplit));
  CHECK(with(trailing(16, 16, Pairing::kHalfSplit)) == half);
  CHECK(with({16, 16, 0, Pairing::kNestedHalfSplit, 1}) == half);
  CHECK(with({16, 16, 0, Pairing::kHalfSplit, 1, 8}) == half);
  CHECK(with(proportional_layout(16, 8)) == half);
  const Vector interleaved = with(leading(16, 16, Pairing::kInterleaved));
  CHECK(with({16, 16, 0, Pairing::kNestedHalfSplit, 8}) == interleaved);
}

TEST_CASE("interleaved in, half-split out is a permutation of the output",
          "[reference][metamorphic]") {
  Spec spec = plain();
  spec.layout.pairing = Pairing::kInterleaved;
  const Vector y = rotated(spec, {77});
  spec.layout.pairing = Pairing::kInterleavedToHalf;
  const Vector z = rotated(spec, {77});
  for (std::size_t j = 0; j < 6; ++j) {
    CHECK(z[j] == y[2 * j]);
    CHECK(z[j + 6] == y[2 * j + 1]);
  }
  CHECK(std::equal(y.begin() + 12, y.end(), z.begin() + 12));
}

TEST_CASE("the adjoint rotates backwards where nothing stretches",
          "[reference][metamorphic]") {
  Spec adjoint = plain();
  adjoint.direction = Direction::kAdjoint;
  CHECK(rotated(adjoint, {0, -1, 7, -0.25, -131071}) ==
        rotated(plain(), kPositions));
}

TEST_CASE("xPos does nothing at its centre, and powers of 2/7 at the origin",
          "[reference][metamorphic][exact][R15]") {
  Spec spec = plain();
  spec.frequencies.xpos = XPos{512, 77, false};
  CHECK(rotated(spec, {77}) == rotated(plain(), {77}));
  // zeta = (5j + r)/(3.5 r): 2/7 for pair 0; 1/2 for pair 3 of r = 20.
  spec.layout = leading(20, 20, Pairing::kInterleaved);
  spec.frequencies.xpos = XPos{512, 1024, false};
  Vector x(20);
  x[0] = 4, x[1] = 8, x[6] = 5, x[7] = 0.1;
  Vector y = rotated(spec, {0}, x);
  CHECK(y[0] == 49);  // 3.5^2 * 4
  CHECK(y[1] == 98);
  CHECK(y[6] == 20);
  CHECK(y[7] == 0.4);
  spec.frequencies.xpos->is_key = true;
  x[0] = 49, x[1] = 3 * 49;
  y = rotated(spec, {0}, x);
  CHECK(y[0] == 4);
  CHECK(y[1] == 12);
  CHECK(y[7] == 0.025);
}

// Properties ------------------------------------------------------------------
//
// A golden y^ of a pair y is rounded to odd, each component by less than an
// ulp: |y^ - y| < u |y| as vectors, u = 2^-52; and |y| = |m| |x|. A property
// with n goldens in it therefore holds within n u of its size, and what this
// file computes in double adds at most 16 roundings, 8 u.
constexpr double kU = 0x1p-52;
constexpr double kEvaluation = 8 * kU;

struct PairOf {
  double u, v;
  double length() const { return std::hypot(u, v); }
};

PairOf in_pair(const Pair& pair, const Vector& x) {
  return {x[static_cast<std::size_t>(pair.u)],
          x[static_cast<std::size_t>(pair.v)]};
}

// Dyadic, so that sums are exact.
Vector coordinates(const Spec& spec, double shift) {
  Vector position = {1031, -3.5, 77, 0.25};
  position.resize(static_cast<std::size_t>(spec.axes.count));
  for (double& p : position) p += shift;
  return position;
}

// check(spec, m, j) for every pair of every variant without xPos.
void for_all_variants(
    const std::function<void(const Spec&, double, const Vector&)>& check) {
  for (const auto& [name, spec] : all_variants()) {
    if (spec.frequencies.xpos) continue;
    CAPTURE(name);
    check(spec, golden_resolution(best_oracle(), spec).amplitude,
          wavy(kVariantHeadDim, 0.3));
  }
}

TEST_CASE("every pair keeps its length, times the amplitude",
          "[reference][metamorphic][property]") {
  double worst = 0;
  for_all_variants([&](const Spec& spec, double m, const Vector& x) {
    const Vector y = rotated(spec, coordinates(spec, 0), x);
    for (std::int64_t j = 0; j < kVariantPairs; ++j) {
      const double want = m * in_pair(source_pair(spec, j), x).length();
      const double got = in_pair(target_pair(spec, j), y).length();
      worst = std::max(worst, std::abs(got - want) / want / kU);
      CHECK(std::abs(got - want) <= (kU + kEvaluation) * want);
    }
  });
  INFO("worst: " << worst << " u");
  CHECK(worst > 0);
}

// The score of each pair, of a query spec and a key spec.
void check_relative(const Spec& query, const Spec& key, double size_of_pair) {
  const Vector q = wavy(kVariantHeadDim, 0.1), k = wavy(kVariantHeadDim, 2.9);
  const auto scores = [&](double shift) {
    Vector result;
    const Vector a = rotated(query, coordinates(query, shift), q);
    const Vector b = rotated(key, coordinates(key, shift + 16), k);
    for (std::int64_t j = 0; j < kVariantPairs; ++j) {
      const PairOf x = in_pair(target_pair(query, j), a);
      const PairOf y = in_pair(target_pair(key, j), b);
      result.push_back(x.u * y.u + x.v * y.v);
    }
    return result;
  };
  const Vector here = scores(0), there = scores(4096);
  for (std::int64_t j = 0; j < kVariantPairs; ++j) {
    const double size = size_of_pair *
                        in_pair(source_pair(query, j), q).length() *
                        in_pair(source_pair(key, j), k).length();
    const auto at = static_cast<std::size_t>(j);
    CHECK(std::abs(here[at] - there[at]) <= (4 * kU + kEvaluation) * size);
  }
}

TEST_CASE("scores depend on the difference of positions, in every variant",
          "[reference][metamorphic][property]") {
  for_all_variants([&](const Spec& spec, double m, const Vector&) {
    check_relative(spec, spec, m * m);
  });
}

TEST_CASE("scores of xPos depend on the difference of positions",
          "[reference][metamorphic][property][R15]") {
  Spec query = plain(), key = query;
  query.frequencies.xpos = XPos{512, 100, false};
  key.frequencies.xpos = XPos{512, 100, true};
  // Keys are 16 further: zeta^(-16/512) at most, 1.04.
  check_relative(query, key, 1.04);
}

}  // namespace
}  // namespace ropeproof::reference
