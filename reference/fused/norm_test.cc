#include "reference/fused/norm.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace ropeproof::reference::fused {
namespace {

using Numbers = std::vector<double>;

// Orders in which kernels add squares.
enum class Order { kForward, kBackward, kPairwise };

float sum_of_squares(const std::vector<float>& x, std::size_t first,
                     std::size_t count, Order order) {
  if (order == Order::kPairwise && count > 1) {
    return sum_of_squares(x, first, count / 2, order) +
           sum_of_squares(x, first + count / 2, count - count / 2, order);
  }
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float v = x[order == Order::kBackward ? count - 1 - i : first + i];
    sum += v * v;
  }
  return sum;
}

// As kernels compute it in f32, with roundings to `format` on the way.
std::vector<float> f32_norm(const Norm& norm, const Numbers& given,
                            Format format, Order order) {
  std::vector<float> x(given.begin(), given.end());
  const float mean = sum_of_squares(x, 0, x.size(), order) *
                     (1.0f / static_cast<float>(x.size()));
  const float r = 1.0f / std::sqrt(mean + static_cast<float>(norm.epsilon));
  const auto rounded = [&](float v, int needed) {
    return norm.roundings < needed ? v
                                   : static_cast<float>(round_to(format, v));
  };
  for (std::size_t c = 0; c < x.size(); ++c) {
    x[c] = rounded(x[c] * r, 1);
    if (norm.weight.empty()) continue;
    const float w =
        static_cast<float>(norm.weight[c]) + static_cast<float>(norm.offset);
    x[c] = rounded(x[c] * w, 2);
  }
  return x;
}

// The largest error of an f32 norm over what `claimed` admits, of random heads.
double largest_ratio(const Norm& computed, const Norm& claimed, Format format,
                     std::size_t head_dim, Order order) {
  const NormError error =
      norm_error(claimed, format, static_cast<std::int64_t>(head_dim));
  std::mt19937_64 random(11);
  std::normal_distribution<double> numbers(0, 1);
  std::uniform_int_distribution<int> exponents(-12, 12);
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    const double size = std::ldexp(1, exponents(random));
    Numbers x;
    for (std::size_t c = 0; c < head_dim; ++c) {
      x.push_back(round_to(format, size * numbers(random)));
    }
    const std::vector<float> got = f32_norm(computed, x, format, order);
    normed(claimed, x);
    for (std::size_t c = 0; c < head_dim; ++c) {
      const double bound = error.relative * std::abs(x[c]) + error.underflow;
      worst = std::max(worst, std::abs(got[c] - x[c]) / bound);
    }
  }
  return worst;
}

Numbers weights(std::size_t head_dim) {
  Numbers w;
  for (std::size_t c = 0; c < head_dim; ++c) {
    w.push_back(static_cast<double>(c * 37 % 23) / 16 - 0.5);
  }
  return w;
}

TEST_CASE("an RMSNorm in f32 is within its bound in every order of its sum",
          "[reference][fused]") {
  for (const Format format : {Format::kF32, Format::kBF16, Format::kF16}) {
    for (const std::size_t head_dim : {2u, 64u, 128u, 256u}) {
      const Numbers w = weights(head_dim);
      for (const Order order :
           {Order::kForward, Order::kBackward, Order::kPairwise}) {
        for (const int roundings : {0, 1, 2}) {
          if (format == Format::kF32 && roundings > 0) continue;
          const Norm norm{1e-6, 1, w, roundings};
          const double ratio =
              largest_ratio(norm, norm, format, head_dim, order);
          CAPTURE(format, head_dim, roundings, ratio);
          CHECK(ratio <= 1);
        }
      }
    }
  }
}

TEST_CASE("the bound of a norm is near what roundings to 16 bits cost",
          "[reference][fused]") {
  const Numbers w = weights(64);
  for (const int roundings : {1, 2}) {
    const Norm norm{1e-6, 1, w, roundings};
    CHECK(largest_ratio(norm, norm, Format::kBF16, 64, Order::kForward) > 0.4);
  }
}

TEST_CASE("a norm that rounds to 16 bits more often than it says is beyond",
          "[reference][fused]") {
  const Numbers w = weights(64);
  const Norm once{1e-6, 1, w, 1}, twice{1e-6, 1, w, 2}, never{1e-6, 1, w, 0};
  for (const Format format : {Format::kBF16, Format::kF16}) {
    CHECK(largest_ratio(twice, once, format, 64, Order::kForward) > 1);
    CHECK(largest_ratio(once, never, format, 64, Order::kForward) > 10);
  }
}

TEST_CASE("a norm that truncates may be off by twice as much",
          "[reference][fused]") {
  const Norm nearest{1e-6, 0, {}, 1}, truncated{1e-6, 0, {}, 1, true};
  const auto u = [](const Norm& norm) {
    return norm_error(norm, Format::kBF16, 64).relative;
  };
  CHECK(u(truncated) - u(nearest) > 0.99 * 0x1p-8);
}

TEST_CASE("the relative error of a norm of 128 channels, counted by hand",
          "[reference][fused]") {
  // (128 + 3) / 2 + 7 roundings, and the same of binary64.
  const double error = norm_error({1e-6, 0, {}, 0}, Format::kF32, 128).relative;
  CHECK(std::abs(error / (72.5 * 0x1p-24) - 1) < 1e-5);
}

TEST_CASE("heads whose squares f32 cannot hold have no bound",
          "[reference][fused]") {
  const Norm plain{1e-6, 0, {}, 0}, without_epsilon{0, 0, {}, 0};
  const Numbers ordinary = {3, 4}, huge = {1e19, 1}, zeros = {0, 0};
  CHECK(is_normable(plain, Format::kF32, ordinary));
  CHECK(is_normable(plain, Format::kF32, zeros));
  CHECK(!is_normable(plain, Format::kF32, huge));
  CHECK(!is_normable(without_epsilon, Format::kF32, zeros));
  CHECK(is_normable(plain, Format::kF64, huge));
}

}  // namespace
}  // namespace ropeproof::reference::fused
