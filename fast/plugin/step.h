// step.h -- a decode step as engines ask for it, known by one test.
#pragma once

#include <ropeproof_kernel.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "hwy/base.h"

namespace ropeproof::fast {

// Gathers what is expected of numbers and addresses, without a branch.
class Expectations {
 public:
  void zero(std::uint64_t x) { zeros_ |= x; }
  void small(std::uint64_t x) { sizes_ |= x; }  // below 2^20
  // As doubles are aligned, in the lower quarter of the address space.
  void array(const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    addresses_ |= address;
    before_ |= address - 1;
  }
  bool are_met() const {
    return (zeros_ | sizes_ >> 20 | (addresses_ & 7) | before_ >> 62) == 0;
  }

 private:
  std::uint64_t zeros_ = 0, sizes_ = 0, addresses_ = 0, before_ = 0;
};

// Heads one behind the other, in place.
HWY_INLINE void expect_plain(const ropeproof_tensor& t, std::uint64_t head_dim,
                             Expectations& expect) {
  const auto stride = static_cast<std::uint64_t>(t.out_head_stride);
  expect.array(t.out);
  expect.zero(t.in != t.out);
  expect.zero(static_cast<std::uint64_t>(t.in_head_stride) ^ stride);
  expect.small(stride - head_dim);
  expect.small(static_cast<std::uint64_t>(t.heads) - 1);
}

// One token of q, or of q and k, in place, in f32 or 16 bits, interleaved or
// half-split, by a row of f32 or at one integer position, of sizes that
// overflow nowhere. Of the checks in problem.h only check_type() and those of a
// plan's inputs could still refuse it. They take 8 ns, of 90 for 40 heads, this
// one 3.
HWY_INLINE bool is_plain_step(const ropeproof_problem& p) {
  const auto u = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t d = u(p.head_dim), r = u(p.rotary_dim);
  const std::uint64_t offset = u(p.rotary_offset);
  constexpr std::uint32_t kPlainTypes =
      ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  Expectations expect;
  expect.zero((u(p.batch) ^ 1) | (u(p.seq) ^ 1));
  expect.zero((p.direction != 1) & (p.direction != -1));
  expect.zero((p.pairing - ROPEPROOF_INTERLEAVED) >> 1);  // 0 or 1 is left
  expect.zero(u(p.pair_distance));
  expect.zero(p.dtype & ~kPlainTypes);
  expect.small(r - 2);
  expect.zero(r & 1);
  expect.small(offset);
  expect.small(d - r - offset);
  expect_plain(p.q, d, expect);
  if (p.k.heads != 0) {
    expect_plain(p.k, d, expect);
    expect.zero(p.q.out == p.k.out);
  }
  if (p.operation == ROPEPROOF_ROTATE) {
    expect.zero(p.table_dtype ^ ROPEPROOF_F32);
    expect.array(p.cos);
    expect.array(p.sin);
    return expect.are_met();
  }
  expect.zero(p.operation ^ ROPEPROOF_ROPE);
  expect.array(p.inv_freq);
  expect.array(p.inv_freq_lo);
  expect.zero(!(p.base >= 0 && p.base <= DBL_MAX));
  expect.zero(!(std::abs(p.amplitude) <= DBL_MAX));
  expect.zero(p.pair_amplitude != nullptr || p.axis_of_pair != nullptr ||
              p.axis_weights != nullptr || p.real_positions != nullptr);
  expect.array(p.positions);
  constexpr std::uint64_t kFarthest = std::uint64_t{1} << 53;
  return expect.are_met() && u(*p.positions) + kFarthest <= 2 * kFarthest;
}

}  // namespace ropeproof::fast
