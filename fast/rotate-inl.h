// rotate-inl.h -- rotation of many heads by one token's cosines and sines (R4),
// per SIMD target.
#if defined(ROPEPROOF_FAST_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_ROTATE_INL_H_
#undef ROPEPROOF_FAST_ROTATE_INL_H_
#else
#define ROPEPROOF_FAST_ROTATE_INL_H_
#endif

#include "fast/chunks-inl.h"
#include "fast/heads.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where Lanes(d) consecutive pairs lie, from pair j of a window on.
struct HalfSplitPairs {
  std::size_t half;  // rotary_dim / 2

  template <class D, class V>
  HWY_INLINE void Load(D d, const float* window, std::size_t j, V& u,
                       V& v) const {
    u = hn::LoadU(d, window + j);
    v = hn::LoadU(d, window + half + j);
  }
  template <class D, class V>
  HWY_INLINE void Store(V u, V v, D d, float* window, std::size_t j) const {
    hn::StoreU(u, d, window + j);
    hn::StoreU(v, d, window + half + j);
  }
};

struct InterleavedPairs {
  template <class D, class V>
  HWY_INLINE void Load(D d, const float* window, std::size_t j, V& u,
                       V& v) const {
    hn::LoadInterleaved2(d, window + 2 * j, u, v);
  }
  template <class D, class V>
  HWY_INLINE void Store(V u, V v, D d, float* window, std::size_t j) const {
    hn::StoreInterleaved2(u, v, d, window + 2 * j);
  }
};

// Turns pairs [first, first + n) of every head by cos[i], sin[i] of pair
// first + i; by the opposite angle if the direction is the adjoint.
//
// Error, no underflow, r = |(x_u, x_v)|, q = |(c, s)|. By Cauchy-Schwarz,
// |x_u c| + |x_v s| <= r q, and |y| <= r q; y_v likewise.
//
// c and s taken as exact: let U be one norm-ulp, 2^e <= r q < 2^(e+1), so that
// rounding costs U/2 in this binade and U/4 below it.
//     products  U/2 with FMA, which rounds one of them; else U/2 + U/4, for
//               only one of the two can reach 2^e
//     sum       U/2; where the products' errors lift it above 2^(e+1), it
//               rounds back to 2^(e+1), no farther from y than they took it
// Hence |got - want| <= 1.25 U on every target, U with FMA.  -> kRotateBound
//
// With c and s from TableBlock, in units of u r m, u = 2^-24, m the amplitude:
//     table     kTableBound ulp <= (1 + 2^-15) u (|x_u c| + |x_v s|)  1 + 2^-15
//     angle     (kAngleBound + 2^12 kFrequencyBound) |phi| r m        2^-14
//     products  u/(1+u) (|x_u c| + |x_v s|)                           1
//     sum       u/(1+u) (|y| + the lines above)                       1
// and 2^-21 for the second order. u r m < U.  -> kRopeBound
template <class Pairs>
HWY_INLINE void RotateBlock(const Pairs& pairs, const Heads& heads,
                            Direction direction, std::size_t first,
                            std::size_t n, const float* HWY_RESTRICT cos,
                            const float* HWY_RESTRICT sin) {
  ForEachChunk<float>(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto c = hn::LoadU(d, cos + i);
    const auto forward_s = hn::LoadU(d, sin + i);
    const auto s =
        direction == Direction::kForward ? forward_s : hn::Neg(forward_s);
    const float* in = heads.in;
    float* out = heads.out;
    for (std::int64_t h = 0; h < heads.count; ++h) {
      hn::Vec<decltype(d)> x_u, x_v;
      pairs.Load(d, in, first + i, x_u, x_v);
      const auto y_u = hn::MulSub(x_u, c, hn::Mul(x_v, s));
      const auto y_v = hn::MulAdd(x_v, c, hn::Mul(x_u, s));
      pairs.Store(y_u, y_v, d, out, first + i);
      in += heads.in_stride;
      out += heads.out_stride;
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_ROTATE_INL_H_
