#include "conformance/cases/special_rules.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "conformance/cases/families/family.h"
#include "conformance/cases/prove.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Format;
using reference::leading;
using reference::Pairing;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

// One pair at one position, and what the rules expect of it.
Case one_pair(float x_u, float x_v, double position,
              reference::Direction direction) {
  Case c;
  c.problem = make_problem(Format::kF32, leading(2, 2, Pairing::kInterleaved),
                           1e4, 1, 1, 1, 0, {position});
  c.problem.spec.direction = direction;
  c.problem.is_special = true;
  c.problem.q = {std::bit_cast<std::uint32_t>(x_u),
                 std::bit_cast<std::uint32_t>(x_v)};
  Group group;
  group.rope_cases = {c};
  prove(reference::Oracle::kBinFloat, group);
  return group.rope_cases[0];
}

bool is_as_wanted(float got, std::uint64_t want) {
  if (want == kMustBeNan) return std::isnan(got);
  if (want == kMustNotBeFinite) return !std::isfinite(got);
  const double golden = std::bit_cast<double>(want);
  if (std::isinf(golden)) return static_cast<double>(got) == golden;
  return std::isfinite(got);
}

using Rotate =
    std::function<std::complex<float>(float, float, float c, float s)>;

struct NamedRotate {
  const char* name;
  Rotate rotate;
};

// Kernels that are honest, each in its own way.
std::vector<NamedRotate> honest() {
  const auto narrow = [](double x) { return static_cast<float>(x); };
  return {
      {"two roundings",
       [](float u, float v, float c, float s) {
         return std::complex<float>(u * c - v * s, u * s + v * c);
       }},
      {"fma of the first product",
       [](float u, float v, float c, float s) {
         return std::complex<float>(std::fma(u, c, -(v * s)),
                                    std::fma(u, s, v * c));
       }},
      {"fma of the second product",
       [](float u, float v, float c, float s) {
         return std::complex<float>(std::fma(-v, s, u * c),
                                    std::fma(v, c, u * s));
       }},
      {"binary64",
       [=](float u, float v, float c, float s) {
         const double a = u, b = v;
         return std::complex<float>(narrow(a * c - b * s),
                                    narrow(a * s + b * c));
       }},
      {"C's complex multiplication",
       [](float u, float v, float c, float s) {
         return std::complex<float>(u, v) * std::complex<float>(c, s);
       }},
      {"table in bf16",
       [=](float u, float v, float c, float s) {
         const auto bf16 = [&](float x) {
           return narrow(decode(Format::kBF16,
                                encode(Format::kBF16, static_cast<double>(x))));
         };
         return std::complex<float>(u * bf16(c) - v * bf16(s),
                                    u * bf16(s) + v * bf16(c));
       }},
      {"angle off by a tenth", [](float u, float v, float c, float s) {
         const float phi = std::atan2(s, c), off = phi * 1.0125f;
         return std::complex<float>(u * std::cos(off) - v * std::sin(off),
                                    u * std::sin(off) + v * std::cos(off));
       }}};
}

const float kValues[] = {kNan,  kInf, -kInf,  0.0f,
                         -0.0f, 1.5f, -0.75f, 0x1p-140f};
// Signs of cosine and sine in all four combinations; 11 has a cosine near 0,
// 131071 no sure sign.
const double kPositions[] = {0, 1, 2, 4, 6, 7, 11, -3, 131071};

// Counts the outputs of `rotate` that break a rule.
int broken_rules(const Rotate& rotate) {
  int broken = 0;
  for (const auto direction :
       {reference::Direction::kForward, reference::Direction::kAdjoint}) {
    for (const double position : kPositions) {
      for (const float u : kValues) {
        for (const float v : kValues) {
          const Case c = one_pair(u, v, position, direction);
          const auto phi = static_cast<float>(
              position * static_cast<double>(static_cast<int>(direction)));
          const auto y = rotate(u, v, std::cos(phi), std::sin(phi));
          broken += is_as_wanted(y.real(), c.golden.q[0]) ? 0 : 1;
          broken += is_as_wanted(y.imag(), c.golden.q[1]) ? 0 : 1;
        }
      }
    }
  }
  return broken;
}

TEST_CASE("every honest kernel keeps the rules for NaN and infinity",
          "[conformance][special]") {
  for (const NamedRotate& kernel : honest()) {
    CAPTURE(kernel.name);
    CHECK(broken_rules(kernel.rotate) == 0);
  }
}

TEST_CASE("a kernel that hides a NaN or an infinity breaks a rule",
          "[conformance][special]") {
  const Rotate plain = honest()[0].rotate;
  CHECK(broken_rules([&](float u, float v, float c, float s) {
          return plain(std::isnan(u) ? 0 : u, std::isnan(v) ? 0 : v, c, s);
        }) > 0);
  CHECK(broken_rules([&](float u, float v, float c, float s) {
          return plain(std::clamp(u, -kMax, kMax), std::clamp(v, -kMax, kMax),
                       c, s);
        }) > 0);
  CHECK(broken_rules([&](float u, float v, float c, float s) {
          return plain(u, v, c, -s);
        }) > 0);
  CHECK(broken_rules([&](float u, float v, float c, float s) {
          const auto y = plain(u, v, c, s);
          return std::isnan(y.imag()) ? std::complex<float>(y.real(), kInf) : y;
        }) > 0);
}

TEST_CASE("a pair of NaNs or infinities leaves no other pair a golden",
          "[conformance][special]") {
  Case c;
  c.problem = make_problem(Format::kF32, leading(6, 4, Pairing::kHalfSplit),
                           1e4, 1, 1, 1, 0, {1});
  c.golden.inv_freq_hi = {std::bit_cast<std::uint64_t>(1.0),
                          std::bit_cast<std::uint64_t>(0.01)};
  c.golden.cos = {std::bit_cast<std::uint64_t>(0.5403),
                  std::bit_cast<std::uint64_t>(0.99995)};
  c.golden.sin = {std::bit_cast<std::uint64_t>(0.8415),
                  std::bit_cast<std::uint64_t>(0.01)};
  const std::uint64_t one = 0x3f800000, inf = 0x7f800000, nan = 0x7fc00000;
  c.problem.q = {one, inf, one, one, nan, inf};
  CHECK(provable_part(c.problem, c.problem.q, 1) == Bits{one, 0, one, 0, 0, 0});
  c.golden.q = {11, 12, 13, 14, 15, 16};
  c.golden.q_lo = {1, 2, 3, 4, 5, 6};
  apply_special_rules(c.problem, c.golden);
  CHECK(c.golden.q == Bits{11, kMustBePlusInfinity, 13, kMustNotBeFinite,
                           kMustBeNan, kMustBePlusInfinity});
  CHECK(c.golden.q_lo == Bits{1, 0, 3, 0, 0, 0});
}

TEST_CASE("a sign is sure only where the coarsest claim cannot change it",
          "[conformance][special]") {
  Case c;
  c.problem = make_problem(Format::kF32, leading(4, 4, Pairing::kInterleaved),
                           1e4, 1, 2, 1, 0, {4, 400});
  c.problem.is_special = true;
  const std::uint64_t one = 0x3f800000, inf = 0x7f800000;
  c.problem.q = {inf, one, one, one, one, one, inf, one};
  Group group;
  group.rope_cases = {c};
  prove(reference::Oracle::kBinFloat, group);
  const Bits& y = group.rope_cases[0].golden.q;
  // Both angles are 4: of pair 0, whose frequency is exact, and of pair 1,
  // whose frequency an angle in bf16 may miss by far.
  CHECK(y[0] == kMustBeMinusInfinity);
  CHECK(y[1] == kMustBeMinusInfinity);
  CHECK(y[6] == kMustNotBeFinite);
  CHECK(y[7] == kMustNotBeFinite);
}

TEST_CASE("a result far beyond the largest number is the infinity",
          "[conformance][special]") {
  const auto forward = reference::Direction::kForward;
  // cos 4 = -0.65, sin 4 = -0.76: sums of 0.10 and -1.41 times the largest.
  const Case c = one_pair(kMax, kMax, 4, forward);
  CHECK(std::isfinite(std::bit_cast<double>(c.golden.q[0])));
  CHECK(c.golden.q[1] == kMustBeMinusInfinity);
  for (const NamedRotate& kernel : honest()) {
    CAPTURE(kernel.name);
    const auto y = kernel.rotate(kMax, kMax, std::cos(4.0f), std::sin(4.0f));
    CHECK(is_as_wanted(y.real(), c.golden.q[0]));
    CHECK(is_as_wanted(y.imag(), c.golden.q[1]));
  }
  // At the origin nothing is rounded: the largest number itself.
  CHECK(one_pair(kMax, -kMax, 0, forward).golden.q[0] ==
        std::bit_cast<std::uint64_t>(static_cast<double>(kMax)));
  CHECK_THROWS_AS(one_pair(kMax, 0, 6, forward), std::logic_error);
}

}  // namespace
}  // namespace ropeproof::conformance::cases
