// runs-inl.h -- rows of cosines and sines at consecutive positions, per SIMD
// target, by addition of angles. As in angles-inl.h, every result is rounded
// correctly.
#if defined(ROPEPROOF_FAST_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_RUNS_INL_H_
#undef ROPEPROOF_FAST_RUNS_INL_H_
#else
#define ROPEPROOF_FAST_RUNS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "fast/packed-inl.h"
#include "fast/plan.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Consecutive positions by addition of angles. A run begins at p; its blocks of
// kBlock rows begin at p + a. The middle of a block lies between two rows, and
// from it, the anchor, rows are formed two by two, one up and one down. With
// e(q) the cosine and sine of position q's angle, and their product that of the
// sum of the angles:
//
//     anchor = e(p + middle) e(a),     middle = kHalfBlock - 1/2
//     e(p + a + middle +- r) = anchor e(+-r),   r = 1/2, 3/2, ..., middle
//
// with the same products of cosines and sines for both rows.
//
// Error, u = 2^-53, m = 1. e(p + middle) is off by 8.9u, e(a) and e(r) by 7.9u.
// As a vector a product is off by what its factors are, 2^-100 aside, and 3u
// for its two roundings and its sum without FMA:
//     8.9 + 7.9 + 3 + 7.9 + 3 = 30.7u < 31u
// for the cosine and the sine, absolutely; the 0.3u left hold twice the angle's
// error, 2^-102 of at most 2^43 rad.
//
// So where |cos| and |sin| are at least 31 * 2^-16, 31u are at most 2^-37 of
// them: no more than 2^16 ulp.
//
// Small angles are off by less. Let p >= 0 and phi, the angle of the position
// p + a + kBlock after the block, be less than 2 pi/16. All angles above lie in
// [0, phi), not reduced, so that all factors are positive. The cosines exceed
// 0.92: what is off by at most 31u, is by 34u of itself. In
//
//     sin(anchor +- r) = sin(anchor) cos(r) +- cos(anchor) sin(r)
//
// either product is off by less than 45u of itself, so that the sine, up or
// down, is off by less than 45u (sin(anchor) cos(r) + cos(anchor) sin(r)) <
// 45u phi; and 45 * 2 pi < 31 * 16. Hence 31u times min(1, 16 phi / (2 pi))
// bounds the error of a sine at any angle if p >= 0, and sines at least 2^-16
// that bound's 2^53 u fold are good. A position of 1 or more always is: its
// sine is at least 1/(kBlock + 1) of phi's. At position 0, where the sine is
// what roundings leave, it never is.
//
// Elsewhere, about one value in 1,200, the angle is formed directly. The last
// bits of kCancelled are for the roundings to f32 of what it is compared with.
constexpr std::uint64_t kRunHalfWidth = 1 << 16;
constexpr double kCancelled = 0x1.f0002p-12;

#if HWY_TARGET != HWY_SCALAR

// Pairs whose run is formed at once.
constexpr std::size_t kRunPairs = 256;

// The middle of kBlock rows: cos and sin; and what |cos| and |sin| must be at
// least.
struct Anchors {
  HWY_ALIGN double cos[kRunPairs], sin[kRunPairs];
  HWY_ALIGN float least[kRunPairs];
};

// The anchor of a block: the first one's, `from`, times e(kBlock * block).
template <class D>
HWY_INLINE void FormAnchor(D d64, const Plan& plan, std::size_t pair,
                           std::size_t block, const Anchors& from,
                           std::size_t i, Anchors& to) {
  const std::size_t at = block * plan.pairs() + pair;
  const auto c_p = hn::LoadU(d64, from.cos + i);
  const auto s_p = hn::LoadU(d64, from.sin + i);
  const auto c_a = hn::LoadU(d64, plan.block_cos() + at);
  const auto s_a = hn::LoadU(d64, plan.block_sin() + at);
  hn::StoreU(hn::MulSub(c_p, c_a, hn::Mul(s_p, s_a)), d64, to.cos + i);
  hn::StoreU(hn::MulAdd(s_p, c_a, hn::Mul(c_p, s_a)), d64, to.sin + i);
}

// The lesser of |x| and |y|.
template <class V>
HWY_INLINE V LesserMagnitude(V x, V y) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    constexpr int kMinOfMagnitudes = 2, kPositive = 2 << 2;
    return V{_mm512_range_ps(x.raw, y.raw, kMinOfMagnitudes | kPositive)};
  }
#endif
  return hn::Min(hn::Abs(x), hn::Abs(y));
}

// Two vectors of doubles each, rounded; `least` as in Anchors. What cannot be
// relied on is formed again, pairs from `pair` on at position p.
template <class D, class V, class F>
HWY_INLINE void RoundSums(D, const Plan& plan, std::size_t pair, double p,
                          V c_0, V c_1, V s_0, V s_1, const float* least, F& c,
                          F& s) {
  using Both = Packed<D>;
  const typename Both::F32 d32;
  const typename Both::U32 u32;
  c = Both::Floats(c_0, c_1);
  s = Both::Floats(s_0, s_1);
  const auto are_large =
      hn::RebindMask(u32, hn::Ge(LesserMagnitude(c, s), hn::LoadU(d32, least)));
  if (HWY_UNLIKELY(!Both::template AllAreFarFromTies<kRunHalfWidth>(
          are_large, c_0, c_1, s_0, s_1))) {
    HWY_ALIGN float buffer[2 * hn::MaxLanes(d32)];
    float* again = buffer + hn::MaxLanes(d32);
    FormRow(plan, pair, hn::Lanes(d32), p, plan.amplitudes() + pair, buffer,
            again);
    c = hn::Load(d32, buffer);
    s = hn::Load(d32, again);
  }
}

// Cosine and sine of the sum of two angles, and of their difference.
template <class V>
HWY_INLINE void AddAndSubtractAngle(V c, V s, V c_r, V s_r, V& up_cos,
                                    V& up_sin, V& down_cos, V& down_sin) {
  const V sines = hn::Mul(s, s_r), mixed = hn::Mul(c, s_r);
  up_cos = hn::MulSub(c, c_r, sines);
  down_cos = hn::MulAdd(c, c_r, sines);
  up_sin = hn::MulAdd(s, c_r, mixed);
  down_sin = hn::MulSub(s, c_r, mixed);
}

// Copies rows of n numbers, n a multiple of Lanes(d), past the caches.
template <class D>
HWY_INLINE void StreamRows(D d, const float* from, std::size_t rows,
                           std::size_t n, float* to, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
      hn::Stream(hn::Load(d, from + r * n + i), d, to + r * stride + i);
    }
  }
}

// Pairs [pair, pair + n), n <= kRunPairs and a multiple of 2 Lanes(d64), at
// positions p, p + 1, ..., p + rows - 1; rows are `stride` apart.
template <bool kIsStreamed, class D>
HWY_INLINE void FormRunPairs(D d64, const Plan& plan, std::size_t pair,
                             std::size_t n, double p, std::size_t rows,
                             std::size_t stride, float* cos, float* sin) {
  using V = hn::Vec<D>;
  const hn::Repartition<float, D> d32;
  const hn::Rebind<float, D> half;
  using F = hn::Vec<decltype(d32)>;
  // Past the caches go whole lines: a vector that is one at once; of narrower
  // ones a block is gathered first, then goes row after row. Zen 3, 131,072
  // rows of 64 pairs: half lines of four rows in turn take 2.1 to 3.3 times as
  // long, gathered row by row 1.3.
  constexpr bool kGathers =
      kIsStreamed && sizeof(float) * hn::MaxLanes(d32) < 64;
  HWY_ALIGN float gathered[kGathers ? 2 * Plan::kBlock * kRunPairs : 1];
  const std::size_t lanes = hn::Lanes(d64);
  const double* HWY_RESTRICT hi = plan.circles_hi() + pair;
  const double* HWY_RESTRICT lo = plan.circles_lo() + pair;
  const V m = hn::Set(d64, plan.amplitude());
  Anchors first, anchors;
  for (std::size_t i = 0; i < n; i += lanes) {
    V c, s;
    CosSinOfAngle<false>(d64, hn::Set(d64, p + (Plan::kHalfBlock - 0.5)),
                         hn::LoadU(d64, hi + i), hn::LoadU(d64, lo + i), c, s);
    hn::StoreU(hn::Mul(c, m), d64, first.cos + i);
    hn::StoreU(hn::Mul(s, m), d64, first.sin + i);
  }
  const V one = hn::Set(d64, 1.0);
  const V limit = hn::Set(d64, kCancelled * plan.amplitude());
  for (std::size_t begin = 0; begin < rows; begin += Plan::kBlock) {
    const V end = hn::Set(d64, p + static_cast<double>(begin + Plan::kBlock));
    for (std::size_t i = 0; i < n; i += lanes) {
      FormAnchor(d64, plan, pair + i, begin / Plan::kBlock, first, i, anchors);
      const V sixteenths =
          hn::Mul(hn::Mul(hn::LoadU(d64, hi + i), end), hn::Set(d64, 16.0));
      const V portion = p >= 0 ? hn::Min(one, sixteenths) : one;
      hn::StoreU(hn::DemoteTo(half, hn::Mul(limit, portion)), half,
                 anchors.least + i);
    }
    const std::size_t in_block = std::min(Plan::kBlock, rows - begin);
    float* const block_cos = kGathers ? gathered : cos + begin * stride;
    float* const block_sin =
        kGathers ? gathered + Plan::kBlock * n : sin + begin * stride;
    const std::size_t block_stride = kGathers ? n : stride;
    const auto store = [&](F x, float* to) ROPEPROOF_FAST_LAMBDA {
      if constexpr (kIsStreamed && !kGathers) return hn::Stream(x, d32, to);
      hn::StoreU(x, d32, to);
    };
    for (std::size_t r = Plan::kHalfBlock; r-- > 0;) {
      const std::size_t down = Plan::kHalfBlock - 1 - r;
      const std::size_t up = Plan::kHalfBlock + r;
      if (down >= in_block) break;
      const double* c_r = plan.offset_cos() + r * plan.pairs() + pair;
      const double* s_r = plan.offset_sin() + r * plan.pairs() + pair;
      for (std::size_t i = 0; i < n; i += 2 * lanes) {
        V down_c_0, down_s_0, up_c_0, up_s_0;
        V down_c_1, down_s_1, up_c_1, up_s_1;
        const auto add = [&](std::size_t k, V& up_c, V& up_s, V& down_c,
                             V& down_s) ROPEPROOF_FAST_LAMBDA {
          AddAndSubtractAngle(hn::LoadU(d64, anchors.cos + k),
                              hn::LoadU(d64, anchors.sin + k),
                              hn::LoadU(d64, c_r + k), hn::LoadU(d64, s_r + k),
                              up_c, up_s, down_c, down_s);
        };
        add(i, up_c_0, up_s_0, down_c_0, down_s_0);
        add(i + lanes, up_c_1, up_s_1, down_c_1, down_s_1);
        const double at = p + static_cast<double>(begin);
        F down_c, down_s, up_c, up_s;
        RoundSums(d64, plan, pair + i, at + static_cast<double>(down), down_c_0,
                  down_c_1, down_s_0, down_s_1, anchors.least + i, down_c,
                  down_s);
        RoundSums(d64, plan, pair + i, at + static_cast<double>(up), up_c_0,
                  up_c_1, up_s_0, up_s_1, anchors.least + i, up_c, up_s);
        store(down_c, block_cos + down * block_stride + i);
        store(down_s, block_sin + down * block_stride + i);
        if (up < in_block) {
          store(up_c, block_cos + up * block_stride + i);
          store(up_s, block_sin + up * block_stride + i);
        }
      }
    }
    if constexpr (kGathers) {
      StreamRows(d32, block_cos, in_block, n, cos + begin * stride, stride);
      StreamRows(d32, block_sin, in_block, n, sin + begin * stride, stride);
    }
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

// Pairs [first, first + n) of a plan at consecutive positions. Out of line:
// with the frame of the one that gathers, small tables take 1.04 times as long.
template <bool kIsStreamed>
HWY_NOINLINE void FormRunTo(const Plan& plan, std::size_t first, std::size_t n,
                            double p, std::size_t rows, std::size_t stride,
                            float* cos, float* sin) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = ForEachPacked(n, [&](auto d64, std::size_t at) ROPEPROOF_FAST_LAMBDA {
    const std::size_t pairs = 2 * hn::Lanes(d64);
    const std::size_t count = std::min(n - at, kRunPairs) / pairs * pairs;
    FormRunPairs<kIsStreamed>(d64, plan, first + at, count, p, rows, stride,
                              cos + at, sin + at);
    return count;
  });
#endif
  if (i == n) return;
  for (std::size_t r = 0; r < rows; ++r) {  // what is left, without SIMD all
    FormRow(plan, first + i, n - i, p + static_cast<double>(r),
            plan.amplitudes() + first + i, cos + r * stride + i,
            sin + r * stride + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_RUNS_INL_H_
