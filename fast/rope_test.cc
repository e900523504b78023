#include <omp.h>

// clang-format off
#include <cmath>  // before rope.h, which finds cos and sin of double by it
#include "reference/rope.h"
// clang-format on

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "fast/bounds.h"
#include "fast/rope_fast.h"
#include "fast/testing.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::fast {
namespace {

using reference::Oracle;

const Oracle kOracle =
    reference::available(Oracle::kMpfi) ? Oracle::kMpfi : Oracle::kBinFloat;

constexpr Pairing kPairings[] = {Pairing::kInterleaved, Pairing::kHalfSplit};
const Shape kShape{1, kPositions.size()};

struct Case {
  Layout layout;
  Direction direction;
  double base, amplitude;
};

reference::Spec spec_of(const Case& c) {
  reference::Spec spec;
  spec.layout = {c.layout.head_dim, c.layout.rotary_dim, c.layout.rotary_offset,
                 c.layout.pairing == Pairing::kInterleaved
                     ? reference::Pairing::kInterleaved
                     : reference::Pairing::kHalfSplit};
  spec.frequencies.base = c.base;
  spec.frequencies.amplitude = c.amplitude;
  if (c.direction == Direction::kAdjoint) {
    spec.direction = reference::Direction::kAdjoint;
  }
  return spec;
}

// Every pairing and rotary_dim, with the other choices alternating.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Pairing pairing : kPairings) {
    for (const std::int64_t r : kRotaryDims) {
      const auto n = static_cast<std::int64_t>(all.size());
      const std::int64_t before = n % 4, after = n % 3;
      all.push_back({{before + r + after, r, before, pairing},
                     n % 2 == 0 ? Direction::kForward : Direction::kAdjoint,
                     n % 5 == 0 ? 500000.0 : 10000.0,
                     n % 3 == 0 ? 1.1386294361119891 : 1.0});
    }
  }
  return all;
}

// One tensor, its input and what the oracle says of it.
struct Subject {
  Buffer x;
  std::vector<float> in;
  std::vector<reference::Golden> want;

  Subject(const Case& c, std::int64_t heads, std::uint32_t seed)
      : x(kShape, heads, c.layout.head_dim, 3) {
    const auto d = static_cast<std::size_t>(c.layout.head_dim);
    in = samples(kPositions.size() * static_cast<std::size_t>(heads) * d, seed);
    want = reference::golden_rope(kOracle, spec_of(c),
                                  {kShape.batch, kShape.seq, heads}, kPositions,
                                  std::vector<double>(in.begin(), in.end()));
  }

  void reset(std::int64_t head_dim) {
    auto next = in.begin();
    for_each_head(kShape, x.heads, [&](auto b, auto s, auto h) {
      std::copy_n(next, head_dim, x.head(b, s, h));
      next += head_dim;
    });
  }
};

// The worst error of a pair in norm-ulp; every channel outside the window is as
// it was.
double worst_norm_ulp(const Case& c, Subject& subject) {
  const std::int64_t d = c.layout.head_dim;
  const reference::Layout layout = spec_of(c).layout;
  double worst = 0;
  std::size_t at = 0;
  for_each_head(kShape, subject.x.heads, [&](auto b, auto s, auto h) {
    const float* got = subject.x.head(b, s, h);
    const float* in = subject.in.data() + at;
    const auto want = [&](std::int64_t t) {
      return std::bit_cast<double>(
          subject.want[at + static_cast<std::size_t>(t)].bits);
    };
    for (std::int64_t j = 0; j < c.layout.rotary_dim / 2; ++j) {
      const auto [u, v] = reference::pair_of(layout, j);
      const double error =
          std::max(std::abs(got[u] - want(u)), std::abs(got[v] - want(v)));
      const double radius = std::hypot(double{in[u]}, in[v]) * c.amplitude;
      worst = std::max(worst,
                       error / reference::ulp(reference::Format::kF32, radius));
    }
    const std::int64_t end = c.layout.rotary_offset + c.layout.rotary_dim;
    for (std::int64_t t = 0; t < d; ++t) {
      if (t >= c.layout.rotary_offset && t < end) continue;
      CHECK(same_bits({got + t, 1}, {in + t, 1}));
    }
    at += static_cast<std::size_t>(d);
  });
  return worst;
}

TEST_CASE("the fused rope of q and k stays within its stated bound",
          "[fast][R5]") {
  for (const Case& c : cases()) {
    Subject q(c, 16, 1), k(c, 4, 2);
    const Plan plan = plan_of(c.base, c.layout.rotary_dim, c.amplitude);
    on_every_target([&](const std::string& target) {
      q.reset(c.layout.head_dim);
      k.reset(c.layout.head_dim);
      const Tensor both[] = {in_place(q.x), in_place(k.x)};
      rope(plan, c.layout, c.direction, kShape, {kPositions.data(), 0, 0},
           both);
      for (Subject* subject : {&q, &k}) {
        const double worst = worst_norm_ulp(c, *subject);
        CAPTURE(target, c.layout.rotary_dim, c.amplitude);
        CHECK(worst <= kRopeBound);
        record(c.layout.pairing == Pairing::kInterleaved ? "rope interleaved"
                                                         : "rope half-split",
               target, "norm-ulp", kRopeBound, worst);
      }
    });
  }
}

TEST_CASE("rope's bound is no more than 4 times its worst error",
          "[fast][R5]") {
  const Case c{
      {128, 128, 0, Pairing::kHalfSplit}, Direction::kForward, 10000, 1};
  Subject q(c, 8, 3);
  on_every_target([&](const std::string& target) {
    q.reset(128);
    const Tensor tensor = in_place(q.x);
    rope(plan_of(10000, 128), c.layout, c.direction, kShape,
         {kPositions.data(), 0, 0}, {&tensor, 1});
    CAPTURE(target);
    CHECK(4 * worst_norm_ulp(c, q) >= kRopeBound);
  });
}

TEST_CASE("rope's bound notices an angle rounded to f32", "[fast][R2]") {
  const Case c{{64, 64, 0, Pairing::kHalfSplit}, Direction::kForward, 10000, 1};
  Subject q(c, 1, 1);
  OwnTable f32_angles(kPositions.size(), 32);
  for (std::size_t i = 0; i < f32_angles.cos.size(); ++i) {
    const double j = static_cast<double>(i % 32);
    const auto theta = static_cast<float>(std::pow(10000.0, -2 * j / 64));
    const double phi = static_cast<float>(kPositions[i / 32]) * theta;
    f32_angles.cos[i] = static_cast<float>(std::cos(phi));
    f32_angles.sin[i] = static_cast<float>(std::sin(phi));
  }
  q.reset(64);
  const Tensor tensor = in_place(q.x);
  rotate(c.layout, c.direction, kShape, f32_angles.given(), {&tensor, 1});
  CHECK(worst_norm_ulp(c, q) > 4 * kRopeBound);
}

TEST_CASE("rope is table, then rotate, to the bit", "[fast][R5]") {
  const std::int64_t heads = 2;
  std::vector<std::int64_t> r_and_more(kRotaryDims.begin(), kRotaryDims.end());
  r_and_more.push_back(1060);  // its pairs do not fit on the stack at once
  for (const std::int64_t r : r_and_more) {
    const Plan plan = plan_of(10000, r, 1.25);
    on_every_target([&](const std::string& target) {
      for (const Pairing pairing : kPairings) {
        const Layout layout{r, r, 0, pairing};
        OwnTable given(kPositions.size(), r / 2);
        table(plan, kShape, {kPositions.data(), 0, 0}, given.out());
        Buffer fused(kShape, heads, r, 0);
        fused.memory = samples(fused.memory.size(), 4);
        Buffer staged = fused;
        const Tensor f = in_place(fused), s = in_place(staged);
        rope(plan, layout, Direction::kAdjoint, kShape,
             {kPositions.data(), 0, 0}, {&f, 1});
        rotate(layout, Direction::kAdjoint, kShape, given.given(), {&s, 1});
        CAPTURE(target, r);
        CHECK(same_bits(fused.memory, staged.memory));
      }
    });
  }
}

TEST_CASE("position 0 with amplitude 1 is the identity", "[fast][R5]") {
  const std::int64_t position = 0, r = 80;
  on_every_target([&](const std::string& target) {
    for (const Pairing pairing : kPairings) {
      std::vector<float> x = samples(r, 9);
      const std::vector<float> before = x;
      const Tensor tensor{x.data(), x.data(), 1, {}, {}};
      rope(plan_of(10000, r), {r, r, 0, pairing}, Direction::kForward, {1, 1},
           {&position, 0, 0}, {&tensor, 1});
      CAPTURE(target);
      CHECK(same_bits(x, before));
    }
  });
}

TEST_CASE("rope does not depend on the number of threads", "[fast]") {
  const Shape shape{3, 100};
  const std::vector<std::int64_t> positions(300, 77);
  Buffer one(shape, 8, 96, 1);
  one.memory = samples(one.memory.size(), 8);
  Buffer two = one;
  const int threads = omp_get_max_threads();
  for (Buffer* x : {&one, &two}) {
    omp_set_num_threads(x == &one ? 1 : 2);
    const Tensor tensor = in_place(*x);
    rope(plan_of(10000, 96), {96, 96, 0, Pairing::kInterleaved},
         Direction::kForward, shape, {positions.data(), 0, 100}, {&tensor, 1});
  }
  omp_set_num_threads(threads);
  CHECK(same_bits(one.memory, two.memory));
}

TEST_CASE("q and k in one call, or in a call each: the same bits",
          "[fast][R5]") {
  const std::int64_t r = 24, q_heads = 5, k_heads = 2, tokens = 150, batch = 2;
  const std::int64_t row = (q_heads + k_heads) * r;  // q's and k's side by side
  const Shape shape{batch, tokens};
  const Layout layout{r, r, 0, Pairing::kHalfSplit};
  const Plan plan = plan_of(10000, r);
  std::vector<std::int64_t> positions;
  for (std::int64_t t = 0; t < batch * tokens; ++t) positions.push_back(7 * t);
  const Positions given{positions.data(), 0, tokens};
  OwnTable cos_sin(positions.size(), r / 2);
  table(plan, {1, batch * tokens}, {positions.data(), 0, 0}, cos_sin.out());
  const Table<const void> all{cos_sin.given().cos, cos_sin.given().sin,
                              tokens * r / 2, r / 2};
  const auto tensors = [&](std::vector<float>& x) {
    const Strides strides{tokens * row, row, r};
    float* k = x.data() + q_heads * r;
    return std::array{Tensor{x.data(), x.data(), q_heads, strides, strides},
                      Tensor{k, k, k_heads, strides, strides}};
  };
  const std::vector<float> x =
      samples(static_cast<std::size_t>(batch * tokens * row), 3);
  std::vector<float> together = x, apart = x, rotated = x;
  rope(plan, layout, Direction::kForward, shape, given, tensors(together));
  rotate(layout, Direction::kForward, shape, all, tensors(rotated));
  for (const Tensor& tensor : tensors(apart)) {
    rope(plan, layout, Direction::kForward, shape, given, {&tensor, 1});
  }
  CHECK(same_bits(together, apart));
  CHECK(same_bits(rotated, apart));
  CHECK_FALSE(same_bits(apart, x));
}

}  // namespace
}  // namespace ropeproof::fast
