#include "conformance/weights/prove.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <random>

#include "reference/rope.h"

namespace ropeproof::conformance::weights {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Pairing;

constexpr std::size_t kHeads = 160;

// Energies of heads that grow with the wavelength of a channel, each as much
// as it likes.
std::vector<double> energies(Pairing pairing, double most) {
  std::mt19937 random(47);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto layout = reference::leading(32, 32, pairing);
  std::vector<double> result(kHeads * 32);
  for (std::size_t h = 0; h < kHeads; ++h) {
    const double steep = most * uniform(random);
    for (std::int64_t j = 0; j < 16; ++j) {
      const auto pair = reference::pair_of(layout, j);
      for (const std::int64_t c : {pair.u, pair.v}) {
        result[h * 32 + static_cast<std::size_t>(c)] =
            std::exp(steep * static_cast<double>(j) + uniform(random));
      }
    }
  }
  return result;
}

std::string words(Pairing pairing, double most) {
  const auto list = energies(pairing, most);
  return words_of(imprint_of(list, reference::leading(32, 32, pairing)));
}

TEST_CASE("energies show a pairing where there is one", "[weights]") {
  CHECK_THAT(words(Pairing::kHalfSplit, 0.2),
             ContainsSubstring("strong evidence of half_split"));
  CHECK_THAT(words(Pairing::kInterleaved, 0.2),
             ContainsSubstring("strong evidence of interleaved"));
  CHECK_THAT(words(Pairing::kInterleaved, 0),
             ContainsSubstring("nothing that tells"));
  CHECK_THAT(words(Pairing::kHalfSplit, 0),
             ContainsSubstring("nothing that tells"));
}

}  // namespace
}  // namespace ropeproof::conformance::weights
