// That the limits do their work on all bytes and no others: a limit that leaves
// work out is none.
#include "conformance/bench/limits.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "conformance/bench/workload.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;
using reference::Pairing;

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

// Tokens each of whose angles is another one of the first octant, where the
// polynomials are right; more than are rotated at a time.
Row octant_row(std::uint32_t operation, Format dtype, Pairing pairing,
               bool is_head_major) {
  Row row = make_row(operation, dtype,
                     reference::leading(kLoopDim, kLoopDim, pairing), 40,
                     is_head_major);
  for (std::int64_t j = 1; j <= kLoopDim / 2; ++j) {
    row.problem.spec.frequencies.inv_freq.push_back(0.02 /
                                                    static_cast<double>(j));
  }
  return row;
}

TEST_CASE("the loops of instructions rotate as they should", "[bench]") {
  if (loops(Format::kF32).rotate_by_rows == nullptr) return;  // narrow vectors
  for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
    for (const Pairing pairing : {Pairing::kInterleaved, Pairing::kHalfSplit}) {
      for (const std::uint32_t operation : {ROPEPROOF_ROTATE, ROPEPROOF_ROPE}) {
        for (const bool is_head_major : {false, true}) {
          CAPTURE(dtype, pairing, operation, is_head_major);
          Workload work(octant_row(operation, dtype, pairing, is_head_major));
          loops(dtype).rotate_by_rows(
              work.problems(plain_description())[0],
              is_head_major ? Prefetch::kYes : Prefetch::kNo);
          CHECK(work.judge(plain_description()).pass());
        }
      }
      CAPTURE(dtype, pairing);
      Row row = octant_row(ROPEPROOF_ROTATE, dtype, pairing, false);
      std::ranges::fill(row.problem.positions, 1);
      std::ranges::fill(row.problem.spec.frequencies.inv_freq, 0.75);
      Workload work(row);
      loops(dtype).rotate_by_one(
          work.rotated(), pairing == Pairing::kInterleaved, std::cos(0.75f),
          std::sin(0.75f), Prefetch::kNo);
      CHECK(work.judge(plain_description()).pass());
    }
  }
}

}  // namespace
}  // namespace ropeproof::conformance::bench
