#include "fast/bench/limits.h"

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/bench/limits.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
#include "fast/rotate-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernels = ropeproof::fast::HWY_NAMESPACE;

// Touches n elements, kLines vectors at once, for the end of a long loop is not
// always foreseen. Returns how many.
template <bool kPrefetch, std::size_t kLines, class D>
HWY_INLINE std::size_t TouchLines(D d, std::uint32_t* row, std::size_t n) {
  const auto last = hn::Set(d, 0x00010001);  // bits: numbers stay ordinary
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + kLines * lanes <= n; i += kLines * lanes) {
    for (std::size_t k = i; k < i + kLines * lanes; k += lanes) {
      if (kPrefetch) hwy::Prefetch(row + k + 1024);
      hn::StoreU(hn::Xor(hn::LoadU(d, row + k), last), d, row + k);
    }
  }
  return i;
}

template <bool kPrefetch>
void TouchRows(const Rows& rows) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t length = rows.length / 4, stride = rows.stride / 4;
  auto* row = static_cast<std::uint32_t*>(rows.data);
  if (length == 4 * hn::Lanes(d)) {  // short rows, without a loop in each
    for (std::size_t i = rows.count; i > 0; --i, row += stride) {
      TouchLines<kPrefetch, 4>(d, row, 4 * hn::Lanes(d));
    }
    return;
  }
  for (std::size_t i = rows.count; i > 0; --i, row += stride) {
    const std::size_t done = TouchLines<kPrefetch, 8>(d, row, length);
    TouchLines<kPrefetch, 1>(d, row + done, length - done);
  }
}

void Touch(const Rows& rows) { TouchRows<false>(rows); }
void TouchAhead(const Rows& rows) { TouchRows<true>(rows); }

void Scale16([[maybe_unused]] Type type, float factor, const Rows& rows) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d), length = rows.length / 2;
  const auto by = hn::Set(d, factor);
  auto* row = static_cast<std::uint16_t*>(rows.data);
  for (std::size_t i = 0; i < rows.count; ++i, row += rows.stride / 2) {
#if HWY_TARGET != HWY_SCALAR
    if (type == Type::kBf16) {
      for (std::size_t j = 0; j + 2 * lanes <= length; j += 2 * lanes) {
        auto* words = reinterpret_cast<Bf16*>(row + j);
        hn::Vec<decltype(d)> even, odd;
        kernels::LoadWords(d, words, even, odd);
        kernels::StoreWords(hn::Mul(even, by), hn::Mul(odd, by), d, words);
      }
      continue;
    }
#endif
    for (std::size_t j = 0; j + lanes <= length; j += lanes) {
      auto* elements = reinterpret_cast<F16*>(row + j);
      kernels::Narrow(hn::Mul(kernels::Widen(d, elements), by), d, elements);
    }
  }
}

void Fill(void* data, std::size_t bytes) {
  const hn::ScalableTag<float> d;
  auto* out = static_cast<float*>(data);
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < bytes / 4; i += hn::Lanes(d)) {
    hn::StoreU(zero, d, out + i);
  }
}

void FillPast(void* data, std::size_t bytes) {
  const hn::ScalableTag<float> d;
  auto* out = static_cast<float*>(data);
  const auto zero = hn::Zero(d);
  for (std::size_t i = 0; i < bytes / 4; i += hn::Lanes(d)) {
    hn::Stream(zero, d, out + i);
  }
}

void HighwayCosSin(const float* angle, std::size_t n, float* cos, float* sin) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, angle + i);
    hn::StoreU(hn::Cos(d, x), d, cos + i);
    hn::StoreU(hn::Sin(d, x), d, sin + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast::bench {
namespace {

HWY_EXPORT(Touch);
HWY_EXPORT(TouchAhead);
HWY_EXPORT(Scale16);
HWY_EXPORT(Fill);
HWY_EXPORT(FillPast);
HWY_EXPORT(HighwayCosSin);

}  // namespace

void touch(const Rows& rows) { HWY_DYNAMIC_DISPATCH(Touch)(rows); }
void touch_ahead(const Rows& rows) { HWY_DYNAMIC_DISPATCH(TouchAhead)(rows); }
void scale16(Type type, float factor, const Rows& rows) {
  HWY_DYNAMIC_DISPATCH(Scale16)(type, factor, rows);
}
void fill(void* data, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(Fill)(data, bytes);
}
void fill_past(void* data, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(FillPast)(data, bytes);
}
void highway_cos_sin(const float* angle, std::size_t n, float* cos,
                     float* sin) {
  HWY_DYNAMIC_DISPATCH(HighwayCosSin)(angle, n, cos, sin);
}
}  // namespace ropeproof::fast::bench
#endif  // HWY_ONCE
