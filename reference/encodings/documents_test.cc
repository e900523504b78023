// What tutorials say of RoPE, held against rope.h: other ways to write it,
// examples with numbers, and the decay of scores. Where they are wrong:
// errata_test.cc.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <vector>

#include "reference/decimal.h"
#include "reference/encodings/test_rotation.h"
#include "reference/permutation.h"

namespace ropeproof::reference::encodings {
namespace {

Wide theta(std::int64_t dim, std::int64_t j) {
  return frequency<Wide>(spec_of(dim, Pairing::kInterleaved), j);
}

Matrix rotation(const Wide& phi) {
  return {{cos(phi), -sin(phi)}, {sin(phi), cos(phi)}};
}

Wide degrees(int n) { return boost::math::constants::pi<Wide>() * n / 180; }

Vector softmax(Vector scores) {
  Wide sum = 0;
  for (Wide& score : scores) sum += score = exp(score);
  for (Wide& score : scores) score /= sum;
  return scores;
}

// To ten digits.
void check_printed(const Vector& got, const std::vector<std::string>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i, want[i]);
    CHECK(abs(Wide(got[i] / Wide(want[i]) - 1)) < Wide(5e-10));
  }
}

TEST_CASE("f(q, m) = q e^(i m theta): a pair is a complex number",
          "[reference][documents][R4]") {
  const Spec spec = spec_of(2, Pairing::kInterleaved);
  const Vector q = {3, -5};
  CHECK(rotated(spec, 0, q) == q);
  const Wide c = cos(Wide(7)), s = sin(Wide(7));
  // (3 - 5i)(c + i s)
  CHECK(distance(rotated(spec, 7, q), {3 * c + 5 * s, 3 * s - 5 * c}) < kTiny);
}

TEST_CASE("q' k' = cos(D) q k + sin(D) (q x k), D = theta_i - theta_j",
          "[reference][documents][R4]") {
  const Vector q = {3, -5}, k = {2, 7};
  for (const auto& [m, n] : {std::pair(3, 10), {10, 3}, {4, 4}, {-2, 9}}) {
    const Spec spec = spec_of(2, Pairing::kInterleaved);
    const Wide d = m - n;
    const Wide cross = q[0] * k[1] - q[1] * k[0];
    const Wide score = dot(rotated(spec, m, q), rotated(spec, n, k));
    CHECK(abs(Wide(score - (cos(d) * dot(q, k) + sin(d) * cross))) < kTiny);
  }
}

TEST_CASE("30 degrees take (1, 0.5) to (0.6160254, 0.9330127)",
          "[reference][documents][R4]") {
  const Wide root = sqrt(Wide(3));
  const Vector y = rotation(degrees(30)) * Vector{1, 0.5};
  CHECK(distance(y, {root / 2 - Wide(0.25), Wide(0.5) + root / 4}) < kTiny);
  CHECK(to_decimal(y[0].convert_to<double>(), 3) == "0.616");
  CHECK(to_decimal(y[1].convert_to<double>(), 3) == "0.933");
}

TEST_CASE("three tokens: q, k, weights and outputs of the demonstration",
          "[reference][documents]") {
  const auto decimal = [](const char* text) { return Wide(text); };
  const Matrix x = {{1, decimal("0.2")},
                    {decimal("0.3"), 1},
                    {decimal("-0.9"), decimal("0.5")}};
  const Matrix w_q = {{1, decimal("0.8")}, {decimal("-0.8"), 1}};
  const Matrix w_k = {{-1, decimal("0.6")}, {decimal("0.6"), 1}};
  Matrix q, k, q_plain, k_plain;
  for (int i = 0; i < 3; ++i) {
    const Vector& token = x[static_cast<std::size_t>(i)];
    q_plain.push_back(w_q * token);
    k_plain.push_back(w_k * token);
    q.push_back(rotation(degrees(10 + 10 * i)) * q_plain.back());
    k.push_back(rotation(degrees(10 + 10 * i)) * k_plain.back());
  }
  check_printed(q_plain[0], {"1.16", "-0.6"});
  check_printed(k_plain[2], {"1.2", "-0.04"});
  const auto weights_of = [&](const Vector& query, const Matrix& keys) {
    Vector scores = keys * query;
    for (Wide& score : scores) score /= sqrt(Wide(2));
    return softmax(scores);
  };
  const std::vector<std::string> rotated_q[] = {
      {"1.2465659", "-0.3894527657"},
      {"0.7737265739", "1.090388549"},
      {"-1.043012702", "0.8065509926"}};
  const std::vector<std::string> rotated_k[] = {
      {"-1.005549365", "0.6350358061"},
      {"-0.1216759829", "1.211443336"},
      {"1.059230485", "0.5653589838"}};
  const std::vector<std::string> weights[] = {
      {"0.1092765387", "0.2032105638", "0.6875128975"},
      {"0.154746891", "0.391422209", "0.4538309"},
      {"0.5172043243", "0.3743899559", "0.1084057198"}};
  const std::vector<std::string> outputs[] = {{"-0.4485218999", "0.5688223203"},
                                              {"-0.1362742562", "0.6492870372"},
                                              {"0.5319561632", "0.5320336806"}};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    check_printed(q[i], rotated_q[i]);
    check_printed(k[i], rotated_k[i]);
    check_printed(weights_of(q[i], k), weights[i]);
    check_printed(transposed(x) * weights_of(q[i], k), outputs[i]);
  }
  check_printed(weights_of(q_plain[0], k_plain),
                {"0.09004180551", "0.2017322825", "0.708225912"});
}

TEST_CASE(
    "ChatGLM: [seq, batch, heads, dim], doubled table, the tail passed on",
    "[reference][documents][R3][R5]") {
  constexpr std::size_t kSeq = 3, kBatch = 2, kHeads = 2, kDim = 12,
                        kRotary = 8;
  const Spec spec{leading(kDim, kRotary, Pairing::kHalfSplit), {}};
  const Vector x = wavy(kSeq * kBatch * kHeads * kDim, 0.5);
  Vector y = x;
  for (std::size_t s = 0; s < kSeq; ++s) {
    Vector cos_table, sin_table;  // cached as [seq, 1, 1, d], frequencies twice
    for (std::size_t c = 0; c < kRotary; ++c) {
      const auto j = static_cast<std::int64_t>(c % (kRotary / 2));
      cos_table.push_back(cos(Wide(s * theta(kRotary, j))));
      sin_table.push_back(sin(Wide(s * theta(kRotary, j))));
    }
    for (std::size_t row = 0; row < kBatch * kHeads; ++row) {
      const std::size_t o = (s * kBatch * kHeads + row) * kDim;
      for (std::size_t c = 0; c < kRotary; ++c) {
        // neg_half: (-x2, x1)
        const Wide other = c < kRotary / 2 ? Wide(-x[o + c + kRotary / 2])
                                           : x[o + c - kRotary / 2];
        y[o + c] = x[o + c] * cos_table[c] + other * sin_table[c];
      }
      const auto head = x.begin() + static_cast<std::ptrdiff_t>(o);
      CHECK(distance(Vector(y.begin() + static_cast<std::ptrdiff_t>(o),
                            y.begin() + static_cast<std::ptrdiff_t>(o + kDim)),
                     rotated(spec, static_cast<std::int64_t>(s),
                             Vector(head, head + kDim))) < kTiny);
    }
  }
}

TEST_CASE("scores are equal under both layouts, once the weights are permuted",
          "[reference][documents][R3]") {
  const Layout layout = leading(8, 8, Pairing::kInterleaved);
  const auto order = channel_permutation(layout);
  CHECK(order == std::vector<std::size_t>{0, 2, 4, 6, 1, 3, 5, 7});
  const auto permuted = [&](const Vector& x) {
    Vector y;
    for (const std::size_t c : order) y.push_back(x[c]);
    return y;
  };
  const Vector q = wavy(8, 0.5), k = wavy(8, 2);
  const Spec meta = spec_of(8, Pairing::kInterleaved);
  const Spec hf = spec_of(8, Pairing::kHalfSplit);
  const Wide score = dot(rotated(meta, 4, q), rotated(meta, 9, k));
  CHECK(abs(Wide(dot(rotated(hf, 4, permuted(q)), rotated(hf, 9, permuted(k))) -
                 score)) < kTiny);
  CHECK(abs(Wide(dot(rotated(hf, 4, q), rotated(hf, 9, k)) - score)) > 0.01);
}

TEST_CASE("a score is below max |h_(i+1) - h_i| sum |S_(i+1)|: Abel summation",
          "[reference][documents]") {
  constexpr std::int64_t kDim = 16;
  const Spec spec = spec_of(kDim, Pairing::kInterleaved);
  const Vector q = wavy(kDim, 0.75), k = wavy(kDim, 3);
  for (const std::int64_t d : {1, 3, 10, 100, 1000}) {
    // h_i = q_i conj(k_i), h_(dim/2) = 0; S_j = sum_(i<j) e^(i d theta_i)
    Wide most = 0, sums = 0, re = 0, im = 0, h_re = 0, h_im = 0;
    for (std::int64_t i = kDim / 2 - 1; i >= 0; --i) {
      const auto u = static_cast<std::size_t>(2 * i), v = u + 1;
      const Wide now_re = q[u] * k[u] + q[v] * k[v];
      const Wide now_im = q[v] * k[u] - q[u] * k[v];
      most = std::max(most, Wide(hypot(h_re - now_re, h_im - now_im)));
      h_re = now_re, h_im = now_im;
    }
    for (std::int64_t i = 0; i < kDim / 2; ++i) {
      re += cos(Wide(d * theta(kDim, i)));
      im += sin(Wide(d * theta(kDim, i)));
      sums += hypot(re, im);
    }
    CHECK(abs(dot(rotated(spec, d, q), k)) <= most * sums);
  }
}

}  // namespace
}  // namespace ropeproof::reference::encodings
