// The bounds of table, rotate and rope in every type, against the reference.
#include "fast/bounds.h"

// clang-format off
#include <cmath>  // before rope.h, which finds cos and sin of double by it
#include "reference/rope.h"
// clang-format on

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fast/double_double.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

using reference::Format;

struct Bounds {
  Type type;
  Format format;
  std::string name;
  double table, rotate, rope;
};
const Bounds kBounds[] = {
    {Type::kF32, Format::kF32, "f32", kTableBound, kRotateBound, kRopeBound},
    {Type::kF64, Format::kF64, "f64", kTableBound, kRotateBound, kRopeBound},
    {Type::kF16, Format::kF16, "f16", kTableBoundF16, kRotateBoundF16,
     kRopeBoundF16},
    {Type::kBf16, Format::kBF16, "bf16", kTableBoundBf16, kRotateBoundBf16,
     kRopeBoundBf16},
};
const Bounds& bounds_of(Type type) {
  return *std::find_if(std::begin(kBounds), std::end(kBounds),
                       [&](const Bounds& b) { return b.type == type; });
}

std::vector<double> values(const Array& x) {
  std::vector<double> all(x.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = reference::decode(bounds_of(x.type).format, x.bits(i));
  }
  return all;
}

// All of them; for f64's rope, whose bound holds for |phi| <= 2^24, small ones.
std::vector<std::int64_t> positions_for(Type type) {
  if (type != Type::kF64) return {kPositions.begin(), kPositions.end()};
  return {0,    1,    2,    3,    4,      257,    -4095,
          4097, 4098, 4099, 4100, 131071, 999983, 1 << 24};
}

// Cosines and sines of the reference, [tokens, pairs], as unevaluated sums.
struct Want {
  std::vector<DoubleDouble> cos, sin;
  std::size_t pairs;

  Want(std::int64_t rotary_dim, double amplitude,
       std::span<const std::int64_t> positions)
      : pairs(static_cast<std::size_t>(rotary_dim / 2)) {
    reference::Spec spec;
    spec.layout = reference::leading(rotary_dim, rotary_dim,
                                     reference::Pairing::kInterleaved);
    spec.frequencies.base = 10000;
    spec.frequencies.amplitude = amplitude;
    const std::vector<double> exact(positions.begin(), positions.end());
    const auto sum = [](const auto& x) {
      return DoubleDouble{std::bit_cast<double>(x.hi),
                          std::bit_cast<double>(x.lo)};
    };
    for (const auto& entry :
         reference::Goldens(reference::best_oracle(), spec, exact)
             .wide_table()) {
      cos.push_back(sum(entry.cos));
      sin.push_back(sum(entry.sin));
    }
  }
};

// What it says at the positions for `type`, formed once.
const Want& want_for(Type type, std::int64_t rotary_dim, double amplitude) {
  static std::map<std::tuple<bool, std::int64_t, double>, Want> known;
  return known
      .try_emplace({type == Type::kF64, rotary_dim, amplitude}, rotary_dim,
                   amplitude, positions_for(type))
      .first->second;
}

TEST_CASE("cosines and sines stay within their stated bounds", "[fast][R2]") {
  for (const Bounds& bounds : kBounds) {
    const auto positions = positions_for(bounds.type);
    const auto tokens = static_cast<std::int64_t>(positions.size());
    for (const std::int64_t r : kRotaryDims) {
      for (const double amplitude : {1.0, 1.3465735902799727}) {
        const Plan plan = plan_of(10000, r, amplitude);
        const Want& want = want_for(bounds.type, r, amplitude);
        on_every_target([&](const std::string& target) {
          Array cos(bounds.type, want.cos.size()), sin = cos;
          table(plan, {1, tokens}, row_of(positions),
                {cos.data(), sin.data(), 0, r / 2, bounds.type});
          double worst = 0;
          const auto compare = [&](double got, DoubleDouble wanted, double p) {
            const double angle_error =  // theta <= 1, amplitude < 2
                2 * std::abs(p) *
                (kAngleBound + kFrequencyBound * static_cast<double>(r));
            const double error =
                std::abs((got - wanted.hi) - wanted.lo) - angle_error;
            worst = std::max(worst,
                             error / reference::ulp(bounds.format, wanted.hi));
          };
          const auto got_cos = values(cos), got_sin = values(sin);
          for (std::size_t i = 0; i < want.cos.size(); ++i) {
            const auto p = static_cast<double>(positions[i / want.pairs]);
            compare(got_cos[i], want.cos[i], p);
            compare(got_sin[i], want.sin[i], p);
          }
          CAPTURE(target, bounds.name, r, amplitude);
          CHECK(worst <= bounds.table);
          record("table " + bounds.name, target, "ulp", bounds.table, worst);
        });
      }
    }
  }
}

// The worst error of the pairs of one head, in norm-ulp, its cosines and sines
// being cos_sin(j). In double, products of f32 are exact and their sum is good
// to 2^-53; f64 takes long double.
template <class Real, class CosSinAt>
double worst_of_head(Format format, const reference::Layout& layout,
                     reference::Direction direction, const double* x,
                     const double* y, const CosSinAt& cos_sin) {
  double worst = 0;
  for (std::int64_t j = 0; j < layout.rotary_dim / 2; ++j) {
    const auto [u, v] = reference::pair_of(layout, j);
    const Real x_u{x[u]}, x_v{x[v]};
    const auto [c, s] = cos_sin(static_cast<std::size_t>(j));
    const auto want = reference::rotate<Real>({c, s}, direction, x_u, x_v);
    const Real error =
        std::max(std::abs(y[u] - want[0]), std::abs(y[v] - want[1]));
    const auto radius = std::sqrt(
        static_cast<double>((x_u * x_u + x_v * x_v) * (c * c + s * s)));
    worst = std::max(
        worst, static_cast<double>(error) / reference::ulp(format, radius));
  }
  return worst;
}

// Rotates heads of every width by rotate and by rope, on every target, and
// checks both bounds; neither may be more than 4 times the worst error.
template <class Real>
void check_rotation(const Bounds& bounds, Pairing pairing, Direction direction,
                    std::int64_t heads) {
  const auto positions = positions_for(bounds.type);
  const Shape shape{1, static_cast<std::int64_t>(positions.size())};
  const Type table_type = compute_type(bounds.type);
  std::map<std::string, std::array<double, 2>> worst;  // of rotate, of rope
  for (const std::int64_t r : kRotaryDims) {
    const Layout layout{r, r, 0, pairing};
    const auto same = reference::leading(r, r,
                                         pairing == Pairing::kInterleaved
                                             ? reference::Pairing::kInterleaved
                                             : reference::Pairing::kHalfSplit);
    const auto d = direction == Direction::kForward
                       ? reference::Direction::kForward
                       : reference::Direction::kAdjoint;
    const double amplitude = r % 3 == 0 ? 1.1386294361119891 : 1;
    const Plan plan = plan_of(10000, r, amplitude);
    const Want& want = want_for(bounds.type, r, amplitude);
    const auto width = static_cast<std::size_t>(r);
    const auto random =
        samples(positions.size() * width * static_cast<std::size_t>(heads),
                static_cast<std::uint32_t>(r));
    Array x(bounds.type, random.size());
    for (std::size_t i = 0; i < random.size(); ++i) {
      const double digits = bounds.type == Type::kF64 ? 0x1p-40 * random[i] : 0;
      x.set_bits(i, reference::encode(bounds.format, random[i] + digits));
    }
    on_every_target([&](const std::string& target) {
      Array cos(table_type, want.cos.size()), sin = cos, rotated = x, roped = x;
      table(plan, shape, row_of(positions),
            {cos.data(), sin.data(), 0, r / 2, table_type});
      const Tensor a = dense(rotated.data(), bounds.type, heads, r);
      const Tensor b = dense(roped.data(), bounds.type, heads, r);
      rotate(layout, direction, shape,
             {cos.data(), sin.data(), 0, r / 2, table_type}, {&a, 1});
      rope(plan, layout, direction, shape, row_of(positions), {&b, 1});
      const auto c = values(cos), s = values(sin), from = values(x);
      const auto by_rotate = values(rotated), by_rope = values(roped);
      auto& [of_rotate, of_rope] = worst[target];
      for (std::size_t begin = 0; begin < x.size(); begin += width) {
        const std::size_t row =
            begin / width / static_cast<std::size_t>(heads) * want.pairs;
        const auto given = [&](std::size_t j) {
          return std::pair<Real, Real>(c[row + j], s[row + j]);
        };
        const auto formed = [&](std::size_t j) {
          const DoubleDouble m_cos = want.cos[row + j];
          const DoubleDouble m_sin = want.sin[row + j];
          return std::pair<Real, Real>(Real{m_cos.hi} + Real{m_cos.lo},
                                       Real{m_sin.hi} + Real{m_sin.lo});
        };
        of_rotate = std::max(
            of_rotate, worst_of_head<Real>(bounds.format, same, d, &from[begin],
                                           &by_rotate[begin], given));
        of_rope = std::max(
            of_rope, worst_of_head<Real>(bounds.format, same, d, &from[begin],
                                         &by_rope[begin], formed));
      }
    });
  }
  const std::string kind =
      pairing == Pairing::kInterleaved ? " interleaved" : " half-split";
  for (const auto& [target, measured] : worst) {
    const auto [of_rotate, of_rope] = measured;
    CAPTURE(target, bounds.name, kind);
    CHECK(of_rotate <= bounds.rotate);
    CHECK(4 * of_rotate >= bounds.rotate);
    CHECK(of_rope <= bounds.rope);
    CHECK(4 * of_rope >= bounds.rope);
    record("rotate " + bounds.name + kind, target, "norm-ulp", bounds.rotate,
           of_rotate);
    record("rope " + bounds.name + kind, target, "norm-ulp", bounds.rope,
           of_rope);
  }
}

TEST_CASE("rotate and rope stay within their stated bounds", "[fast][R5]") {
  for (const Bounds& bounds : kBounds) {
    for (const Pairing pairing : kPairings) {
      for (const auto direction : {Direction::kForward, Direction::kAdjoint}) {
        if (bounds.type == Type::kF64) {
          check_rotation<long double>(bounds, pairing, direction, 2);
        } else {
          check_rotation<double>(bounds, pairing, direction, 8);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ropeproof::fast
