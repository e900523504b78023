// chunks-inl.h -- one loop for full vectors and tails, per SIMD target.
#if defined(ROPEPROOF_FAST_CHUNKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_CHUNKS_INL_H_
#undef ROPEPROOF_FAST_CHUNKS_INL_H_
#else
#define ROPEPROOF_FAST_CHUNKS_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

// After a lambda's parameters: compiled for the target, and never a function by
// itself, whose captures would pass through memory.
#ifndef ROPEPROOF_FAST_LAMBDA
#define ROPEPROOF_FAST_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(d, i) for chunks [i, i + Lanes(d)) that cover [0, n) in order:
// full vectors, then the tail by the same code four lanes and one lane wide.
template <typename T, class Body>
HWY_INLINE void ForEachChunk(std::size_t n, const Body& body) {
  std::size_t i = 0;
  const auto run = [&](auto d) HWY_ATTR {
    const std::size_t lanes = hn::Lanes(d);
    for (; i + lanes <= n; i += lanes) body(d, i);
  };
  run(hn::ScalableTag<T>());
  run(hn::CappedTag<T, 4>());
  run(hn::CappedTag<T, 1>());
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_CHUNKS_INL_H_
