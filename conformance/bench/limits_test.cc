// That the limits do their work on all bytes and no others: a limit that leaves
// work out is none.
#include "conformance/bench/limits.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "conformance/bench/plain_types.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;

TEST_CASE("the limits work on the bytes that are rotated and on no others",
          "[bench]") {
  constexpr std::size_t kRow = 48, kLength = 32;  // words
  std::vector<std::uint32_t> before(3 * kRow), words;
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = 0x3c003f80 + static_cast<std::uint32_t>(i);
  }
  // Whether `change` has made of each word inside what `want` says.
  const auto check = [&](const auto& change, const auto& want) {
    words = before;
    change(Bytes{words.data(), 3, kLength * 4, kRow * 4});
    for (std::size_t i = 0; i < words.size(); ++i) {
      CHECK(words[i] == (i % kRow < kLength ? want(before[i]) : before[i]));
    }
  };
  for (const Prefetch p : {Prefetch::kNo, Prefetch::kYes}) {
    check([&](const Bytes& b) { loops(Format::kF32).touch(b, ~0u, p); },
          [](std::uint32_t x) { return ~x; });
    for (const Format format : {Format::kF16, Format::kBF16}) {
      for (const float factor : {1.0f, 1 + 0x1p-6f}) {
        const auto half = [&](std::uint32_t bits) {
          return encode(format, decode(format, bits) * factor);
        };
        check([&](const Bytes& b) { loops(format).scale(b, factor, p); },
              [&](std::uint32_t x) {
                return half(x >> 16) << 16 | half(x & 0xffff);
              });
      }
    }
  }
  for (const auto fills : {loops(Format::kF32).fill, fill_past}) {
    check([&](const Bytes& b) { fills(b, 7); },
          [](std::uint32_t) { return 7u; });
  }
}

constexpr std::int64_t kHeads = 5, kTokens = 3, kHalf = kLoopDim / 2;

// Five heads of q, and one of k, in place; each token has a row of its own, or
// is at position 1, where no angle is beyond the first octant.
template <class E>
struct Rotation {
  std::vector<E> q, k;
  std::vector<float> cos, sin;
  std::vector<std::int64_t> positions = std::vector<std::int64_t>(kTokens, 1);
  std::vector<double> inv_freq;
  ropeproof_problem problem{};

  Rotation(std::uint32_t operation, std::uint32_t dtype, std::uint32_t pairing,
           bool is_head_major)
      : q(kTokens * kHeads * kLoopDim), k(kTokens * kLoopDim) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = value(i);
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = value(7 * i + 1);
    for (std::int64_t i = 0; i < kTokens * kHalf; ++i) {
      cos.push_back(std::cos(static_cast<float>(i)));
      sin.push_back(std::sin(static_cast<float>(i)));
      inv_freq.push_back(0.75 / static_cast<double>(i + 1));
    }
    problem.operation = operation;
    problem.dtype = dtype;
    problem.pairing = pairing;
    problem.batch = 1;
    problem.seq = kTokens;
    problem.head_dim = problem.rotary_dim = kLoopDim;
    problem.positions = positions.data();
    problem.inv_freq = inv_freq.data();
    problem.cos = cos.data();
    problem.sin = sin.data();
    problem.table_token_stride = kHalf;
    problem.q = tensor(q, kHeads, is_head_major);
    problem.k = tensor(k, 1, is_head_major);
  }
  Rotation(const Rotation&) = delete;

  static E value(std::size_t i) {
    return E::narrow(static_cast<float>(i * 37 % 101) / 16 - 3);
  }
  static ropeproof_tensor tensor(std::vector<E>& x, std::int64_t heads,
                                 bool is_head_major) {
    ropeproof_tensor t{};
    t.out = x.data();
    t.heads = heads;
    t.out_token_stride = is_head_major ? kLoopDim : heads * kLoopDim;
    t.out_head_stride = is_head_major ? kTokens * kLoopDim : kLoopDim;
    return t;
  }
};

template <class E>
void check_loops(std::uint32_t dtype, Format format, double ulp) {
  const Loops& of = loops(format);
  const auto same = [&](const std::vector<E>& a, const std::vector<E>& b) {
    return std::ranges::equal(a, b, [&](E x, E y) {  // numbers up to 8
      return std::abs(E::widen(x) - E::widen(y)) <= 8 * ulp;
    });
  };
  for (const std::uint32_t pairing :
       {ROPEPROOF_HALF_SPLIT, ROPEPROOF_INTERLEAVED}) {
    for (const std::uint32_t operation : {ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
      for (const bool is_head_major : {false, true}) {
        CAPTURE(dtype, pairing, operation, is_head_major);
        Rotation<E> want(operation, dtype, pairing, is_head_major),
            got(operation, dtype, pairing, is_head_major);
        plain_run(want.problem);
        of.rotate_by_rows(got.problem,
                          is_head_major ? Prefetch::kYes : Prefetch::kNo);
        CHECK(same(got.q, want.q));
        CHECK(same(got.k, want.k));
      }
    }
    Rotation<E> want(ROPEPROOF_ROTATE, dtype, pairing, false),
        got(ROPEPROOF_ROTATE, dtype, pairing, false);
    std::ranges::fill(want.cos, 0.6f);
    std::ranges::fill(want.sin, 0.8f);
    plain_run(want.problem);
    const std::size_t bytes = got.q.size() * sizeof(E);
    of.rotate_by_one({got.q.data(), 1, bytes, bytes},
                     pairing == ROPEPROOF_INTERLEAVED, 0.6f, 0.8f,
                     Prefetch::kNo);
    CHECK(same(got.q, want.q));
  }
}

TEST_CASE("the loops of instructions rotate as plain C++ does", "[bench]") {
  if (loops(Format::kF32).rotate_by_one == nullptr) return;  // narrow vectors
  check_loops<PlainF32>(ROPEPROOF_F32, Format::kF32, 0x1p-23);
  check_loops<PlainF16>(ROPEPROOF_F16, Format::kF16, 0x1p-10);
  check_loops<PlainBf16>(ROPEPROOF_BF16, Format::kBF16, 0x1p-7);
}

}  // namespace
}  // namespace ropeproof::conformance::bench
