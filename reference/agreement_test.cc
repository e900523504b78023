// The certificate and the oracle without MPFR: MPFI intervals and balls of
// cpp_bin_float share the text of rope.h, and no arithmetic.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "reference/golden.h"

namespace ropeproof::reference {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  template <class T, std::size_t kSize>
  T one_of(const T (&choices)[kSize]) {
    return choices[below(kSize)];
  }
  // In (-1, 1), with so many bits.
  double fraction(int bits) {
    const auto n = static_cast<double>(below(std::int64_t{1} << bits));
    return (below(2) == 0 ? 1 : -1) * std::ldexp(n, -bits);
  }

 private:
  std::mt19937_64 random_;
};

Spec any_spec(Dice& dice) {
  Spec spec;
  Layout& layout = spec.layout;
  layout.head_dim = dice.one_of<std::int64_t>({2, 4, 7, 16, 20, 64, 80, 128});
  layout.rotary_dim = 2 + 2 * dice.below(layout.head_dim / 2);
  layout.rotary_offset = dice.below(layout.head_dim - layout.rotary_dim + 1);
  layout.pairing = dice.one_of({Pairing::kInterleaved, Pairing::kHalfSplit});
  spec.direction = dice.one_of(
      {Direction::kForward, Direction::kForward, Direction::kAdjoint});
  spec.frequencies.base = dice.one_of(
      {1e4, 5e5, 1e6, 1e7, 1e4 * dice.fraction(20) + 1e4 + 1, 65536.0});
  spec.frequencies.amplitude =
      dice.one_of({1.0, 1.0, 1.5, 1.2079441541679836, -dice.fraction(53)});
  if (dice.below(8) == 0) {
    for (std::int64_t j = 0; j < layout.rotary_dim / 2; ++j) {
      spec.frequencies.inv_freq.push_back(
          dice.below(9) == 0 ? 0 : static_cast<float>(dice.fraction(30)));
    }
  }
  return spec;
}

std::int64_t any_position(Dice& dice) {
  const std::int64_t corners[] = {0,
                                  1,
                                  2,
                                  3,
                                  4095,
                                  8191,
                                  131071,
                                  1048575,
                                  16777215,
                                  16777217,
                                  2147483647,
                                  2147483648,
                                  4294967297,
                                  -1,
                                  kMaxPosition,
                                  kMaxPosition - 1};
  const std::int64_t position =
      dice.below(3) == 0 ? dice.one_of(corners)
                         : dice.below(std::int64_t{1} << dice.below(54));
  return dice.below(3) == 0 ? -position : position;
}

double any_value(Dice& dice) {
  switch (dice.below(10)) {
    case 0:
      return 0;
    case 1:
      return static_cast<double>(dice.below(19) - 9);
    case 2:
      return std::ldexp(dice.fraction(53), -1022);  // subnormal
    case 3:
      return std::ldexp(dice.fraction(53), 1024);  // huge
    case 4:
      return 4 * dice.fraction(8);  // bf16
    case 5:
      return 4 * dice.fraction(11);  // f16
    case 6:
      return 4 * dice.fraction(24);  // f32
    default:
      return std::ldexp(dice.fraction(53), static_cast<int>(dice.below(40)));
  }
}

TEST_CASE("two arithmetics agree on 100,000 outputs",
          "[reference][golden][certificate]") {
  if (!available(Oracle::kMpfi)) SKIP("built without MPFI");
  Dice dice(2104'09864);
  std::size_t outputs = 0, different = 0, climbed = 0;
  while (outputs < 100'000) {
    const Spec spec = any_spec(dice);
    const Shape shape{1 + dice.below(2), 1 + dice.below(6), 1 + dice.below(4)};
    std::vector<std::int64_t> positions;
    for (std::int64_t i = 0; i < shape.batch * shape.seq; ++i) {
      positions.push_back(any_position(dice));
    }
    const auto tokens = static_cast<std::int64_t>(positions.size());
    std::vector<double> x;
    for (std::int64_t i = 0; i < tokens * shape.heads * spec.layout.head_dim;
         ++i) {
      x.push_back(any_value(dice));
    }
    const auto proof = golden_rope(Oracle::kMpfi, spec, shape, positions, x);
    const auto opinion =
        golden_rope(Oracle::kBinFloat, spec, shape, positions, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      different += proof[i].bits != opinion[i].bits;
      outputs += proof[i].precision_bits > 0;
      climbed += proof[i].precision_bits > 128;
    }
  }
  INFO(outputs << " outputs, " << climbed << " beyond the first rung");
  CHECK(different == 0);
}

}  // namespace
}  // namespace ropeproof::reference
