// Any scaling goes with any position scheme and any layout: both oracles, and a
// third engine, say the same of each.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <iterator>
#include <numbers>
#include <random>
#include <set>
#include <variant>
#include <vector>

#include "reference/golden.h"
#include "reference/test_oracle.h"
#include "reference/test_variants.h"

namespace ropeproof::reference {
namespace {

// Zeros and numbers of few bits, of bf16, f16, f32 and f64: subnormal, small and
// huge ones.
std::vector<double> inputs(std::size_t count, std::mt19937_64& random) {
  constexpr int kBits[] = {1, 4, 8, 11, 24, 53};
  constexpr int kExponents[] = {-1022, 0, 0, 2, 4, 33, 1024};
  std::vector<double> x;
  while (x.size() < count) {
    const int bits = kBits[random() % std::size(kBits)];
    const auto n = static_cast<double>(random() >> (64 - bits));
    const int exponent = kExponents[random() % std::size(kExponents)];
    x.push_back(std::ldexp(random() % 2 == 0 ? n : -n, exponent - bits));
  }
  return x;
}

TEST_CASE("every scaling is among the variants", "[reference][variants]") {
  std::set<std::size_t> scalings;
  for (const auto& [name, frequencies] : all_frequencies()) {
    scalings.insert(frequencies.scaling.index());
  }
  CHECK(scalings.size() == std::variant_size_v<Scaling>);
}

TEST_CASE("any scaling goes with any scheme and any layout",
          "[reference][variants][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  std::mt19937_64 random(210409864);
  std::size_t outputs = 0;
  const auto variants = all_variants();
  CHECK(variants.size() == 780);
  for (const auto& [name, any] : variants) {
    CAPTURE(name);
    Spec spec = any;
    const auto positions = variant_positions(spec);
    const auto axes = static_cast<std::size_t>(spec.axes.count);
    const auto x = inputs(positions.size() / axes * kVariantHeadDim, random);
    for (const Direction direction :
         {Direction::kForward, Direction::kAdjoint}) {
      spec.direction = direction;
      const auto proof = rope_of(Oracle::kMpfi, spec, 1, positions, x);
      const auto opinion = rope_of(Oracle::kBinFloat, spec, 1, positions, x);
      std::size_t different = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        different += proof[i].bits != opinion[i].bits;
        outputs += proof[i].precision_bits > 0;
      }
      CHECK(different == 0);
    }
  }
  CHECK(outputs > 100'000);
}

TEST_CASE("frequencies of any scaling and scheme are certified",
          "[reference][variants][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  for (const auto& [name, spec] : all_variants()) {
    if (spec.layout.pairing != Pairing::kInterleaved) continue;
    CAPTURE(name);
    const auto proof = golden_frequencies(Oracle::kMpfi, spec);
    const auto opinion = golden_frequencies(Oracle::kBinFloat, spec);
    for (std::size_t j = 0; j < proof.size(); ++j) {
      CAPTURE(j);
      CHECK(proof[j].hi == opinion[j].hi);
      CHECK(proof[j].lo == opinion[j].lo);
    }
  }
}

// A pair of a model's RoPE at position 131071 or as given, applied to (1.5,
// -0.625): theta as hi + lo, and the output rounded to odd. Computed by mpmath
// 1.3 at 600 bits without GMP, from the formulas as papers print them, e.g.
//     t = mpf(1e4)**(-mpf(32)/64); g = mpf(6)/13
//     theta = (1-g)*t + g*t/40                          # DeepSeek-V3, pair 16
struct VariantRow {
  std::string model;
  std::int64_t r, j;
  Frequencies frequencies;
  double position;
  std::uint64_t hi, lo, y_u, y_v;
};

std::vector<VariantRow> rows() {
  const auto with = [](double base, const Scaling& scaling) {
    Frequencies frequencies;
    frequencies.base = base;
    frequencies.scaling = scaling;
    return frequencies;
  };
  Yarn gpt_oss{32, 4096};
  gpt_oss.truncate = false;
  const std::vector<double> ones(48, 1), factors(48, 2.7);
  Frequencies gemma = with(1e6, Default{}), query, key;
  gemma.exponents = proportional_exponents(512, 64);
  query.xpos = XPos{512, 512, false};
  key.xpos = XPos{512, 512, true};
  Yarn deepseek{40, 4096};
  deepseek.mscale = deepseek.mscale_all_dim = 1;
  return {
      {"DeepSeek-V3", 64, 16, with(1e4, deepseek), 131071, 0x3f76872b020c49ba,
       0x3c178d4fdf3b645a, 0xbfe8ebd6021e7e47, 0xbff6d1cfb1455bdd},
      {"gpt-oss", 64, 12, with(1.5e5, gpt_oss), 131071, 0x3f7bd5080c93a3a2,
       0xbbdb21d68fde0c2d, 0xbfec2dd99cc3df8b, 0xc000067df892a1bf},
      {"Llama 3.1", 128, 31, with(5e5, Llama3{8, 1, 4, 8192}), 131071,
       0x3f4c12f3a64f3002, 0x3bec7fabed68b828, 0x3fe2fe9d3aee7a3f,
       0xbff8340dc14a886f},
      {"dynamic NTK", 128, 37, with(1e4, DynamicNtk{2, 2048, 8192}), 131071,
       0x3f5971c55e41a8ea, 0x3bdf6305f342ad0f, 0xbfea1eccebbd3e3d,
       0x3ff67b58a6242faf},
      {"Phi-3", 96, 20, with(1e4, LongRope{ones, factors, 4096, 131072, 32}),
       131071, 0x3f80577f4b1cdc43, 0xbc174f561abf41be, 0xbff816022ae03f67,
       0x3ff36e219d4e6001},
      {"Gemma 4", 128, 50, gemma, 131071, 0x3fb13bb07db5ea6e,
       0xbc572cf8a785a4e8, 0x3fd959d3977f9c95, 0x3ff9373a68129b0b},
      {"xPos, query", 64, 5, query, 1000, 0x3fce5a84719edcd2,
       0x3c6453f46cc4a250, 0xbfd2ad67dab0efbf, 0xbfe372c4ba1198c3},
      {"xPos, key", 64, 5, key, 1000, 0x3fce5a84719edcd2, 0x3c6453f46cc4a250,
       0xbffb2057e6e7db8d, 0xc00c3efc6d8d6633}};
}

TEST_CASE("goldens of scaled models agree with a third engine",
          "[reference][variants][certificate]") {
  const Oracle oracle = any_oracle();
  for (const VariantRow& row : rows()) {
    CAPTURE(row.model);
    const Spec spec{leading(row.r, row.r, Pairing::kInterleaved),
                    row.frequencies};
    const auto theta = golden_frequencies(oracle, spec);
    CHECK(theta[static_cast<std::size_t>(row.j)].hi == row.hi);
    CHECK(theta[static_cast<std::size_t>(row.j)].lo == row.lo);
    std::vector<double> x(static_cast<std::size_t>(row.r));
    const auto u = static_cast<std::size_t>(2 * row.j);
    x[u] = 1.5, x[u + 1] = -0.625;
    const double position[] = {row.position};
    const auto y = rope_of(oracle, spec, 1, position, x);
    CHECK(y[u].bits == row.y_u);
    CHECK(y[u + 1].bits == row.y_v);
  }
}

// phi = 100^(-10/32) * 2 pi * 0.3, and 0.1 * 13 - 0.7 * 0.5, all binary64.
TEST_CASE("goldens of two axes and real coordinates agree with a third engine",
          "[reference][variants][certificate]") {
  const Oracle oracle = any_oracle();
  Spec dino{leading(64, 64, Pairing::kHalfSplit), {100}};
  const Scheme scheme = axial_2d(32, 0, Spectrum::kShared);
  dino.axes = weighted(scheme.axes, 32, 2 * std::numbers::pi);
  dino.frequencies.exponents = scheme.exponents;
  std::vector<double> x(64);
  x[16 + 5] = 1.5, x[32 + 16 + 5] = -0.625;
  const double coordinates[] = {-0.9, 0.3};
  const auto y = rope_of(oracle, dino, 1, coordinates, x);
  CHECK(y[16 + 5].bits == 0x3ff9f6eed8c3ac85);
  CHECK(y[32 + 16 + 5].bits == 0x3fb5b4cf910d7027);

  Spec mixed{leading(2, 2, Pairing::kInterleaved), {1}};
  mixed.axes = mixed_axes(2, std::array{0.1, -0.7});
  const double position[] = {13, 0.5};
  const auto z = rope_of(oracle, mixed, 1, position, std::array{1.5, -0.625});
  CHECK(z[0].bits == 0x3ff61834604480fb);
  CHECK(z[1].bits == 0x3feb690845208d83);
}

}  // namespace
}  // namespace ropeproof::reference
