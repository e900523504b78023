// Errors that tutorials print: each is shown to be one, beside what is right.
#include <boost/math/constants/constants.hpp>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <vector>

#include "reference/encodings/relative.h"
#include "reference/encodings/test_rotation.h"
#include "reference/permutation.h"

namespace ropeproof::reference::encodings {
namespace {

using Ints = std::vector<std::int64_t>;

const Spec kInterleaved8 = spec_of(8, Pairing::kInterleaved);

// The shape of a product of two arrays as NumPy and PyTorch broadcast them.
std::optional<Ints> broadcast(Ints a, Ints b) {
  while (a.size() < b.size()) a.insert(a.begin(), 1);
  while (b.size() < a.size()) b.insert(b.begin(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return std::nullopt;
    a[i] = std::max(a[i], b[i]);
  }
  return a;
}

// "rotary_embedding" of a document: the exponent 2i/(d/2), even and odd
// channels apart, and the two results one behind the other.
Vector faulty_rotary_embedding(const Vector& x, std::int64_t p) {
  Vector first, second;
  const std::size_t half = x.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const Wide phi = p * pow(Wide(10000), -Wide(2 * i) / half);
    first.push_back(x[2 * i] * cos(phi) - x[2 * i + 1] * sin(phi));
    second.push_back(x[2 * i] * sin(phi) + x[2 * i + 1] * cos(phi));
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST_CASE("S1: 10000^(-2i/(d/2)) ends at 1e-7 for d = 16, not at 3.16e-4",
          "[reference][errata][R1]") {
  const Wide printed = pow(Wide(10000), -Wide(2 * 7) / 8);
  const Wide right = frequency<Wide>(spec_of(16, Pairing::kInterleaved), 7);
  CHECK(abs(Wide(printed * Wide("1e7") - 1)) < kTiny);
  CHECK(abs(Wide(right - Wide("3.1622776601683793e-4"))) < 1e-19);
}

TEST_CASE("S2: even and odd concatenated is not the identity at position 0",
          "[reference][errata][R3]") {
  const Vector x = wavy(8, 0.5);
  CHECK(distance(faulty_rotary_embedding(x, 0), x) > 0.1);
  CHECK(rotated(kInterleaved8, 0, x) == x);
  // The encoding is another layout with other frequencies, to the last bit.
  Spec spec = spec_of(8, Pairing::kInterleavedToHalf);
  for (std::int64_t j = 0; j < 4; ++j) {
    spec.frequencies.exponents.push_back({4 * j, 8});
  }
  CHECK(distance(faulty_rotary_embedding(x, 9), rotated(spec, 9, x)) < kTiny);
}

TEST_CASE(
    "S3: positions[:, None] of [batch, seq] does not broadcast, or loses them",
    "[reference][errata]") {
  CHECK_FALSE(broadcast({2, 1, 10}, {256}));
  CHECK(broadcast({2, 10, 1}, {256}) == Ints{2, 10, 256});
  // With seq = d/2 it runs: [2, 1, 256], a row for all tokens.
  CHECK(broadcast({2, 1, 256}, {256}) == Ints{2, 1, 256});
}

TEST_CASE("S4: q' k' is not cos(theta_i - theta_j) q k",
          "[reference][errata][R4]") {
  Spec spec = spec_of(2, Pairing::kInterleaved);
  spec.frequencies.inv_freq = {0.5};
  const Wide score = dot(rotated(spec, 2, {1, 0}), rotated(spec, 1, {0, 1}));
  CHECK(abs(Wide(score - sin(Wide(0.5)))) < kTiny);
  CHECK(abs(score) > 0.47);  // printed: cos(0.5) 0 = 0
}

TEST_CASE("S5: [[0, -1], [1, 0]] rotates counter-clockwise",
          "[reference][errata][R4]") {
  const Matrix quarter = {{0, -1}, {1, 0}};
  CHECK(quarter * Vector{1, 0} == Vector{0, 1});
  CHECK(Matrix{{0, 1}, {-1, 0}} * Vector{1, 0} == Vector{0, -1});
}

TEST_CASE(
    "S8: rotated before the projection, scores depend on the absolute place",
    "[reference][errata]") {
  const Matrix w_q = {{1, 2}, {0.5, -1}}, w_k = {{-1, 3}, {2, 0.25}};
  const Vector x = {1, 0.5}, z = {-2, 1};
  const Spec spec = spec_of(2, Pairing::kInterleaved);
  const auto before = [&](int shift) {
    return dot(w_q * rotated(spec, 3 + shift, x),
               w_k * rotated(spec, 1 + shift, z));
  };
  const auto after = [&](int shift) {
    return dot(rotated(spec, 3 + shift, w_q * x),
               rotated(spec, 1 + shift, w_k * z));
  };
  CHECK(abs(Wide(after(0) - after(5))) < kTiny);
  CHECK(abs(Wide(before(0) - before(5))) > 0.1);
}

TEST_CASE("S9: one angle for all pairs is RoPE for d = 2 alone",
          "[reference][errata][R1]") {
  const auto one_angle = [](const Vector& x) {
    Vector y;
    for (std::size_t i = 0; i < x.size(); i += 2) {
      const Wide c = cos(Wide(3)), s = sin(Wide(3));
      y.insert(y.end(), {x[i] * c - x[i + 1] * s, x[i] * s + x[i + 1] * c});
    }
    return y;
  };
  const Vector two = wavy(2, 1), four = wavy(4, 1);
  CHECK(distance(one_angle(two),
                 rotated(spec_of(2, Pairing::kInterleaved), 3, two)) < kTiny);
  CHECK(distance(one_angle(four),
                 rotated(spec_of(4, Pairing::kInterleaved), 3, four)) > 0.1);
}

TEST_CASE(
    "S10: x theta_x + y theta_y with theta_x = theta_y confuses (1, 2) and (2, "
    "1)",
    "[reference][errata]") {
  const Wide half = 0.5;
  CHECK(1 * half + 2 * half == 2 * half + 1 * half);
  // Axial: a pair follows x, the other y.
  Spec spec = kInterleaved8;
  spec.axes = {2, {0, 1, 0, 1}};
  const std::vector<double> a = {1, 2}, b = {2, 1};
  CHECK(coordinate<Wide>(spec, a, 0) != coordinate<Wide>(spec, b, 0));
  CHECK(coordinate<Wide>(spec, a, 1) != coordinate<Wide>(spec, b, 1));
}

TEST_CASE(
    "S11: Transformer-XL's score is four terms, not U x_i + V x_j beside R",
    "[reference][errata]") {
  const TransformerXl e{2,      1,       10000, {1, 2, 3, -1}, {1, 0.5},
                        {2, 1}, {1, -1}, {0.5}, {-2}};
  const Ints p = {4, 7};
  const Wide q = 2, k = 5;  // x_0 W_q, x_1 W_kE
  const Wide r = sin(Wide(-3)) - cos(Wide(-3));
  const Wide published = (q + 0.5) * k + (q - 2) * r;
  CHECK(abs(Wide(element<Wide>(e, p, 0, 1, 4) - published)) < kTiny);
  // Printed, with U and V as the one projection that there is.
  const Wide printed = q * (k + r) + Wide(0.5) * q - 2 * k;
  CHECK(abs(Wide(printed - published)) > 0.1);
}

// S12, S20 and X3: three documents print this sign.
TEST_CASE("S12, S20, X3: q_m k_n is q R(n - m) k, not q R(m - n) k",
          "[reference][errata][R4]") {
  const Vector q = wavy(8, 1), k = wavy(8, 2);
  const Wide score =
      dot(rotated(kInterleaved8, 2, q), rotated(kInterleaved8, 7, k));
  CHECK(abs(Wide(dot(q, matrix_of(kInterleaved8, 5) * k) - score)) < kTiny);
  CHECK(abs(Wide(dot(q, matrix_of(kInterleaved8, -5) * k) - score)) > 0.1);
}

TEST_CASE(
    "S13: a radius that does not grow does not follow: xPos has c^(m - n) too",
    "[reference][errata][R15]") {
  // r_q(m) = |q| c^m, r_k(n) = |k| c^(-n)
  const auto product = [](int m, int n) {
    return Wide(pow(Wide("1.1"), m) * pow(Wide("1.1"), -n));
  };
  CHECK(abs(Wide(product(3, 1) - Wide("1.21"))) < kTiny);
  CHECK(abs(Wide(product(5, 3) - product(3, 1))) < kTiny);
}

TEST_CASE("S14: sum cos((m - n) theta_i) bounds no score of unit vectors",
          "[reference][errata]") {
  const Spec spec = spec_of(2, Pairing::kInterleaved);
  const Wide printed = element<Wide>(Decay{2}, 3, 0);
  CHECK(printed < -0.98);
  // q at 3, k at 0, and q rotated back by three radians: both unit vectors.
  const Vector k = {1, 0}, q = rotated(spec, -3, k);
  CHECK(abs(Wide(dot(rotated(spec, 3, q), k) - 1)) < kTiny);
}

TEST_CASE("S15: there are d/2 frequencies, the last is theta_(d/2 - 1)",
          "[reference][errata][R1]") {
  // One more, theta_(d/2), would be 1/base and need channels d and d + 1.
  CHECK(abs(Wide(frequency<Wide>(kInterleaved8, 4) * 10000 - 1)) < kTiny);
  CHECK(pair_of(kInterleaved8.layout, 3).v == 7);
  CHECK(pair_of(kInterleaved8.layout, 4).v == 9);
}

TEST_CASE(
    "S16: the pairs are (x_2i, x_2i+1), and both parts of the product stay",
    "[reference][errata][R3]") {
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(pair_of(kInterleaved8.layout, i).u == 2 * i);
    CHECK(pair_of(kInterleaved8.layout, i).v == 2 * i + 1);
  }
  // Pairs (x_i, x_i+1) would share channels. A real part is half of a pair.
  Spec spec = spec_of(2, Pairing::kInterleaved);
  CHECK(abs(rotated(spec, 1, {0, 1})[1]) > 0.5);
}

TEST_CASE("S17: unsqueeze(1) of a cache [1, 1, seq, dim] gives five dimensions",
          "[reference][errata]") {
  const Ints q = {2, 3, 8, 16};
  CHECK(broadcast(q, {1, 1, 1, 8, 16}) == Ints{1, 2, 3, 8, 16});
  CHECK(broadcast(q, {1, 1, 8, 16}) == q);
}

TEST_CASE("S18: the keys' weights are permuted in n_kv_heads, not in n_heads",
          "[reference][errata]") {
  std::vector<std::int64_t> rows(16);
  std::iota(rows.begin(), rows.end(), 0);
  const auto permuted = [&](std::int64_t head_dim, std::size_t heads) {
    return permute_rows<std::int64_t>(
        leading(head_dim, head_dim, Pairing::kInterleaved), heads, 1, rows);
  };
  CHECK(permuted(8, 2) ==
        Ints{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15});
  CHECK(permuted(4, 4) ==  // as if the 16 rows were 4 heads
        Ints{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15});
}

TEST_CASE(
    "S19: a shift of integer or binary positions is not linear: PE(0) = 0",
    "[reference][errata]") {
  for (std::int64_t c = 0; c < 3; ++c) {
    // W 0 = 0 for every W, but PE(0 + 7) is not 0.
    CHECK(element<Wide>(Integer{3}, 0, c) == 0);
    CHECK(element<Wide>(Binary{3}, 0, c) == 0);
    CHECK(element<Wide>(Integer{3}, 7, c) == 7);
    CHECK(element<Wide>(Binary{3}, 7, c) == 1);
  }
}

TEST_CASE("S21, X2: pairs count from 0: the first one rotates by a radian",
          "[reference][errata][R1]") {
  CHECK(frequency<Wide>(kInterleaved8, 0) == 1);
  // i = 1 .. d/2 in the exponent 2i/d would begin at base^(-2/d).
  CHECK(abs(Wide(frequency<Wide>(kInterleaved8, 1) - Wide("0.1"))) < kTiny);
}

TEST_CASE("S22: channels outside the window come out, too",
          "[reference][errata][R5]") {
  const Spec spec{leading(12, 8, Pairing::kHalfSplit), {}};
  const Vector x = wavy(12, 1), y = rotated(spec, 5, x);
  REQUIRE(y.size() == x.size());  // not 8
  CHECK(Vector(y.begin() + 8, y.end()) == Vector(x.begin() + 8, x.end()));
}

TEST_CASE(
    "S24: the last frequency is base^(-(d - 2)/d), and the angle has a "
    "position",
    "[reference][errata][R1]") {
  const Spec spec = spec_of(64, Pairing::kHalfSplit);
  const Wide right = 1 / pow(Wide(10000), Wide(64 - 2) / 64);
  const Wide printed = 1 / pow(Wide(10000), 64 - Wide(2) / 64);  // d - 2/d
  CHECK(abs(Wide(frequency<Wide>(spec, 31) - right)) < kTiny);
  CHECK(printed < Wide("1e-250"));
  // The second half begins at channel d/2; 2/d is none.
  CHECK(pair_of(spec.layout, 0).v == 32);
  CHECK(matrix_of(spec_of(4, Pairing::kHalfSplit), 1) !=
        matrix_of(spec_of(4, Pairing::kHalfSplit), 2));
}

}  // namespace
}  // namespace ropeproof::reference::encodings
