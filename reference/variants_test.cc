// Any scaling goes with any position scheme and any layout: both oracles say
// the same of each.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <iterator>
#include <random>
#include <set>
#include <variant>
#include <vector>

#include "reference/golden.h"
#include "reference/test_oracle.h"
#include "reference/test_variants.h"

namespace ropeproof::reference {
namespace {

// Zeros and numbers of few bits, of bf16, f16, f32 and f64: subnormal, small
// and huge ones.
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
  CHECK(variants.size() == 840);
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

}  // namespace
}  // namespace ropeproof::reference
