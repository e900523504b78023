// The bounds of f64 and of 16-bit types.
#include "fast/bounds.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "fast/elements.h"
#include "fast/exact_cos_sin.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"

namespace ropeproof::fast {
namespace {

using reference::Format;

struct Promise {
  Type type;
  Format format;
  const char* name;
  double table, rotate, rope;
};
constexpr Promise kPromises[] = {
    {Type::kF64, Format::kF64, "f64", kTableBound, kRotateBound, kRopeBound},
    {Type::kF16, Format::kF16, "f16", kTableBoundF16, kRotateBoundF16,
     kRopeBoundF16},
    {Type::kBf16, Format::kBF16, "bf16", kTableBoundBf16, kRotateBoundBf16,
     kRopeBoundBf16},
};

const std::vector<std::int64_t> kNear = {
    0, 1, 2, 3, 4, 257, -4095, 4097, 4098, 4099, 4100, 131071, 999983, 1 << 24};
constexpr std::int64_t kDim = 128, kHeads = 16;
constexpr std::size_t kPairs = kDim / 2;

// Elements of a type, as doubles, and their memory.
struct Values {
  Promise promise;
  std::vector<unsigned char> memory;

  Values(const Promise& p, std::size_t count)
      : promise(p), memory(count * bytes_of(p.type)) {}
  double at(std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory.data() + i * bytes_of(promise.type),
                bytes_of(promise.type));
    return reference::decode(promise.format, bits);
  }
  void set(std::size_t i, double value) {
    const std::uint64_t bits = reference::encode(promise.format, value);
    std::memcpy(memory.data() + i * bytes_of(promise.type), &bits,
                bytes_of(promise.type));
  }
};

long double sum(DoubleDouble x) {
  return static_cast<long double>(x.hi) + static_cast<long double>(x.lo);
}

// The exact cosine and sine of row t, pair j, of the plan.
CosSin exact(const Plan& plan, std::size_t t, std::size_t j) {
  return exact_cos_sin({static_cast<double>(kNear[t]), 0},
                       {plan.circles_hi()[j], plan.circles_lo()[j]},
                       plan.amplitude());
}

TEST_CASE("tables of f64 and of 16 bits stay within their stated bounds",
          "[fast][R2]") {
  const Shape shape{1, static_cast<std::int64_t>(kNear.size())};
  const Plan plan = plan_of(10000, kDim, 1.1386294361119891);
  for (const Promise& promise : kPromises) {
    on_every_target([&](const std::string& target) {
      Values cos(promise, kNear.size() * kPairs), sin = cos;
      table(plan, shape, {kNear.data(), 0, 0},
            {cos.memory.data(), sin.memory.data(), 0, kPairs, promise.type});
      double worst = 0;
      const auto compare = [&](double got, DoubleDouble want) {
        const auto error = static_cast<double>(std::abs(got - sum(want)));
        const double ulp = reference::ulp(promise.format, want.hi);
        worst = std::max(worst, error / ulp);
      };
      for (std::size_t i = 0; i < kNear.size() * kPairs; ++i) {
        const CosSin want = exact(plan, i / kPairs, i % kPairs);
        compare(cos.at(i), want.cos);
        compare(sin.at(i), want.sin);
      }
      CAPTURE(target, promise.name);
      CHECK(worst <= promise.table);
      record(std::string("table ") + promise.name, target, "ulp", promise.table,
             worst);
    });
  }
}

// The worst error of one half-split head, in norm-ulp.
template <class CosSinAt>
double worst_of_head(const Promise& promise, const Values& x, const Values& y,
                     std::size_t begin, const CosSinAt& cos_sin_at) {
  double worst = 0;
  for (std::size_t j = 0; j < kPairs; ++j) {
    const auto [c, s] = cos_sin_at(j);
    const std::size_t u = begin + j, v = u + kPairs;
    const auto x_u = static_cast<long double>(x.at(u));
    const auto x_v = static_cast<long double>(x.at(v));
    const auto error = std::max(std::abs(y.at(u) - (x_u * c - x_v * s)),
                                std::abs(y.at(v) - (x_v * c + x_u * s)));
    const auto radius =
        static_cast<double>(std::hypot(x_u, x_v) * std::hypot(c, s));
    worst = std::max(worst, static_cast<double>(error) /
                                reference::ulp(promise.format, radius));
  }
  return worst;
}

TEST_CASE("rotate and rope in f64 and 16 bits stay within their stated bounds",
          "[fast][R5]") {
  const std::size_t tokens = kNear.size();
  const Shape shape{1, static_cast<std::int64_t>(tokens)};
  const Layout layout{kDim, kDim, 0, Pairing::kHalfSplit};
  const Strides strides{0, kHeads * kDim, kDim};
  const Plan plan = plan_of(10000, kDim);
  for (const Promise& promise : kPromises) {
    const bool is_f64 = promise.type == Type::kF64;
    const Promise table_promise =
        is_f64 ? promise : Promise{Type::kF32, Format::kF32, "f32", 0, 0, 0};
    Values x(promise, tokens * kHeads * kDim);
    const std::vector<float> random = samples(tokens * kHeads * kDim, 4);
    for (std::size_t i = 0; i < random.size(); ++i) {
      x.set(i, double{random[i]} + (is_f64 ? 0x1p-40 * random[i] : 0));
    }
    on_every_target([&](const std::string& target) {
      Values cos(table_promise, tokens * kPairs), sin = cos;
      table(plan, shape, {kNear.data(), 0, 0},
            {cos.memory.data(), sin.memory.data(), 0, kPairs,
             table_promise.type});
      Values rotated = x, roped = x;
      const auto in_place = [&](Values& values) {
        return Tensor{values.memory.data(),
                      values.memory.data(),
                      kHeads,
                      strides,
                      strides,
                      promise.type};
      };
      const Tensor r = in_place(rotated), f = in_place(roped);
      rotate(
          layout, Direction::kForward, shape,
          {cos.memory.data(), sin.memory.data(), 0, kPairs, table_promise.type},
          {&r, 1});
      rope(plan, layout, Direction::kForward, shape, {kNear.data(), 0, 0},
           {&f, 1});
      double worst_rotate = 0, worst_rope = 0;
      for (std::size_t h = 0; h < tokens * kHeads; ++h) {
        const std::size_t t = h / kHeads;
        const auto given = [&](std::size_t j) {
          const std::size_t i = t * kPairs + j;
          return std::pair<long double, long double>(cos.at(i), sin.at(i));
        };
        const auto formed = [&](std::size_t j) {
          const CosSin value = exact(plan, t, j);
          return std::pair<long double, long double>(sum(value.cos),
                                                     sum(value.sin));
        };
        const auto begin = h * static_cast<std::size_t>(kDim);
        worst_rotate = std::max(
            worst_rotate, worst_of_head(promise, x, rotated, begin, given));
        worst_rope = std::max(worst_rope,
                              worst_of_head(promise, x, roped, begin, formed));
      }
      CAPTURE(target, promise.name);
      CHECK(worst_rotate <= promise.rotate);
      CHECK(worst_rope <= promise.rope);
      record(std::string("rotate ") + promise.name, target, "norm-ulp",
             promise.rotate, worst_rotate);
      record(std::string("rope ") + promise.name, target, "norm-ulp",
             promise.rope, worst_rope);
    });
  }
}

}  // namespace
}  // namespace ropeproof::fast
