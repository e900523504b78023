// That the loops of instructions rotate: a limit that leaves work out is none.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/plain_types.h"
#include "reference/format.h"

namespace ropeproof::conformance::bench {
namespace {

constexpr std::int64_t kHeads = 5, kTokens = 3, kDim = 128, kHalf = kDim / 2;
constexpr std::size_t kSize = kTokens * kHeads * kDim;

// Heads of q, and one of k, in place, each token by a row of its own.
template <class E>
struct Rotation {
  std::vector<E> q, k;
  std::vector<float> cos, sin;
  ropeproof_problem problem{};

  Rotation(std::uint32_t dtype, bool is_interleaved, bool is_head_major)
      : q(kSize), k(kTokens * kDim) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = value(i);
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = value(7 * i + 1);
    for (std::int64_t i = 0; i < kTokens * kHalf; ++i) {
      cos.push_back(std::cos(static_cast<float>(i)));
      sin.push_back(std::sin(static_cast<float>(i)));
    }
    problem.operation = ROPEPROOF_ROTATE;
    problem.dtype = dtype;
    problem.pairing =
        is_interleaved ? ROPEPROOF_INTERLEAVED : ROPEPROOF_HALF_SPLIT;
    problem.batch = 1;
    problem.seq = kTokens;
    problem.head_dim = problem.rotary_dim = kDim;
    problem.cos = cos.data();
    problem.sin = sin.data();
    problem.table_token_stride = kHalf;
    problem.q = tensor(q, kHeads, is_head_major);
    problem.k = tensor(k, 1, is_head_major);
  }

  static E value(std::size_t i) {
    return E::narrow(static_cast<float>(i * 37 % 101) / 16 - 3);
  }
  static ropeproof_tensor tensor(std::vector<E>& x, std::int64_t heads,
                                 bool is_head_major) {
    ropeproof_tensor t{};
    t.out = x.data();
    t.heads = heads;
    t.out_token_stride = is_head_major ? kDim : heads * kDim;
    t.out_head_stride = is_head_major ? kTokens * kDim : kDim;
    return t;
  }
};

// By how many steps of the type, or about, the numbers differ at most.
template <class E>
double worst(const std::vector<E>& got, const std::vector<E>& want,
             double ulp) {
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = E::widen(got[i]) - E::widen(want[i]);
    most = std::max(most, std::abs(error) / (ulp * 8));  // of numbers up to 8
  }
  return most;
}

template <class E>
void check_rows(std::uint32_t dtype, double ulp) {
  for (const bool is_interleaved : {false, true}) {
    for (const bool is_head_major : {false, true}) {
      CAPTURE(dtype, is_interleaved, is_head_major);
      Rotation<E> want(dtype, is_interleaved, is_head_major);
      REQUIRE(plain_run(want.problem) == ROPEPROOF_OK);
      for (const Prefetch prefetch : {Prefetch::kNo, Prefetch::kYes}) {
        Rotation<E> got(dtype, is_interleaved, is_head_major);
        rotate_by_rows(got.problem, prefetch);
        CHECK(worst(got.q, want.q, ulp) <= 1);
        CHECK(worst(got.k, want.k, ulp) <= 1);
      }
    }
  }
}

template <class E>
void check_angle(std::uint32_t dtype, reference::Format format, double ulp) {
  for (const bool is_interleaved : {false, true}) {
    CAPTURE(dtype, is_interleaved);
    Rotation<E> want(dtype, is_interleaved, false);
    want.cos.assign(want.cos.size(), 0.6f);
    want.sin.assign(want.sin.size(), 0.8f);
    REQUIRE(plain_run(want.problem) == ROPEPROOF_OK);
    Rotation<E> got(dtype, is_interleaved, false);
    rotate_by_one({got.q.data(), 1, kSize * sizeof(E), kSize * sizeof(E)},
                  format, is_interleaved, 0.6f, 0.8f, Prefetch::kNo);
    CHECK(worst(got.q, want.q, ulp) <= 1);
  }
}

}  // namespace

TEST_CASE("the loops of instructions rotate as plain C++ does", "[bench]") {
  if (!has_loops()) return;  // no vectors of 256 bits
  check_rows<PlainF32>(ROPEPROOF_F32, 0x1p-23);
  check_rows<PlainF16>(ROPEPROOF_F16, 0x1p-10);
  check_rows<PlainBf16>(ROPEPROOF_BF16, 0x1p-7);
  check_angle<PlainF32>(ROPEPROOF_F32, reference::Format::kF32, 0x1p-23);
  check_angle<PlainF16>(ROPEPROOF_F16, reference::Format::kF16, 0x1p-10);
  check_angle<PlainBf16>(ROPEPROOF_BF16, reference::Format::kBF16, 0x1p-7);
}

}  // namespace ropeproof::conformance::bench
