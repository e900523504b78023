#include "fast/angles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fast/dispatch.h"
#include "hwy/cache_control.h"

// foreach_target.h includes this very file once per SIMD target, and the
// *-inl.h files with it: the order below matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/angles.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "fast/angles-inl.h"
#include "fast/elements-inl.h"
#include "fast/packed-inl.h"
#include "fast/runs-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {

template <bool kIsNear>
void FormMixedRowOf(const Plan& plan, std::size_t first, std::size_t n,
                    const double* position, const double* amplitude, float* cos,
                    float* sin) {
  ForEachChunk<double>(n, [&](auto d64, std::size_t i) HWY_ATTR {
    FormChunk<kIsNear>(
        d64, hn::LoadU(d64, position + i), plan.circles_hi() + first + i,
        plan.circles_lo() + first + i, amplitude + i, cos + i, sin + i);
  });
}

void FormMixedRow(const Plan& plan, std::size_t first, std::size_t n,
                  const double* position, const double* amplitude, float* cos,
                  float* sin) {
  if (AreNear(plan, position, n)) {
    FormMixedRowOf<true>(plan, first, n, position, amplitude, cos, sin);
  } else {
    FormMixedRowOf<false>(plan, first, n, position, amplitude, cos, sin);
  }
}

void FormRun(const Plan& plan, std::size_t first, std::size_t n, double p,
             std::size_t rows, std::size_t stride, bool is_streamed, float* cos,
             float* sin) {
  if (is_streamed) {
    FormRunTo<true>(plan, first, n, p, rows, stride, cos, sin);
  } else {
    FormRunTo<false>(plan, first, n, p, rows, stride, cos, sin);
  }
}

void FormSpaced(const Plan& plan, std::size_t rows, double first,
                double distance, double* cos, double* sin) {
  ForEachChunk<double>(plan.pairs(), [&](auto d64, std::size_t i) HWY_ATTR {
    for (std::size_t r = 0; r < rows; ++r) {
      hn::Vec<decltype(d64)> c, s;
      CosSinOfAngle<false>(
          d64, hn::Set(d64, first + static_cast<double>(r) * distance),
          hn::LoadU(d64, plan.circles_hi() + i),
          hn::LoadU(d64, plan.circles_lo() + i), c, s);
      hn::StoreU(c, d64, cos + r * plan.pairs() + i);
      hn::StoreU(s, d64, sin + r * plan.pairs() + i);
    }
  });
}

void NarrowRow(const float* from, std::size_t n, Type type, void* to) {
  with_element(type, [&](auto element) HWY_ATTR {
    using E = decltype(element);
    if constexpr (!std::is_same_v<E, double>) {
      ForEachChunk<float>(n, [&](auto d, std::size_t i) HWY_ATTR {
        Narrow(WithPlainNan(d, hn::LoadU(d, from + i)), d,
               static_cast<E*>(to) + i);
      });
    }
  });
}

void WidenRow(Type type, const void* from, std::size_t n, float* to) {
  with_element(type, [&](auto element) HWY_ATTR {
    using E = decltype(element);
    if constexpr (!std::is_same_v<E, double>) {
      ForEachChunk<float>(n, [&](auto d, std::size_t i) HWY_ATTR {
        hn::StoreU(Widen(d, static_cast<const E*>(from) + i), d, to + i);
      });
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropeproof::fast {
namespace {

HWY_EXPORT(FormRow);
HWY_EXPORT(FormMixedRow);
HWY_EXPORT(FormRowsAt);
HWY_EXPORT(FormRun);
HWY_EXPORT(FormSpaced);
HWY_EXPORT(NarrowRow);
HWY_EXPORT(WidenRow);

}  // namespace

void form_row(const Plan& plan, std::size_t first, std::size_t n,
              double position, const double* amplitude, float* cos,
              float* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormRow)
  (plan, first, n, position, amplitude, cos, sin);
}

void form_row(const Plan& plan, std::size_t first, std::size_t n,
              const double* position, const double* amplitude, float* cos,
              float* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormMixedRow)
  (plan, first, n, position, amplitude, cos, sin);
}

void form_rows_at(const Plan& plan, std::size_t first, std::size_t n,
                  const double* position, std::size_t rows, std::size_t stride,
                  float* cos, float* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormRowsAt)
  (plan, first, n, position, rows, stride, cos, sin);
}

void form_run(const Plan& plan, std::size_t first, std::size_t n, double p,
              std::size_t rows, std::size_t stride, bool is_streamed,
              float* cos, float* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormRun)
  (plan, first, n, p, rows, stride, is_streamed, cos, sin);
}

void form_spaced(const Plan& plan, std::size_t rows, double first,
                 double distance, double* cos, double* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormSpaced)(plan, rows, first, distance, cos, sin);
}

void narrow(const float* from, std::size_t n, Type type, void* to) noexcept {
  ROPEPROOF_FAST_DISPATCH(NarrowRow)(from, n, type, to);
}

void widen(Type type, const void* from, std::size_t n, float* to) noexcept {
  ROPEPROOF_FAST_DISPATCH(WidenRow)(type, from, n, to);
}

void end_stream() noexcept { hwy::FlushStream(); }

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
