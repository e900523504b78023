#include "fast/angles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fast/dispatch.h"
#include "fast/elements.h"
#include "fast/exact_cos_sin.h"
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

void ReadRow(Type type, const void* from, std::size_t n, float* to) {
  with_element(type, [&](auto element) HWY_ATTR {
    using E = decltype(element);
    const auto* const numbers = static_cast<const E*>(from);
    if constexpr (std::is_same_v<E, double>) {
      std::transform(numbers, numbers + n, to,
                     [](double x) { return static_cast<float>(x); });
    } else {
      ForEachChunk<float>(n, [&](auto d, std::size_t i) HWY_ATTR {
        hn::StoreU(Widen(d, numbers + i), d, to + i);
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

ROPEPROOF_FAST_EXPORT(FormRow);
ROPEPROOF_FAST_EXPORT(FormMixedRow);
ROPEPROOF_FAST_EXPORT(FormRowsAt);
ROPEPROOF_FAST_EXPORT(FormRun);
ROPEPROOF_FAST_EXPORT(FormSpaced);
ROPEPROOF_FAST_EXPORT(NarrowRow);
ROPEPROOF_FAST_EXPORT(ReadRow);

}  // namespace

void form_row(const Plan& plan, std::size_t first, std::size_t n,
              double position, const double* amplitude, float* cos,
              float* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormRow)
  (plan, first, n, position, amplitude, cos, sin);
}

namespace {

// Pairs whose positions are gathered at once.
constexpr std::size_t kGathered = 256;

const double* amplitudes_of(const Angles& angles, const Tokens& tokens,
                            std::int64_t t) {
  const Amplitudes& given = angles.amplitudes;
  if (given.data == nullptr) return angles.plan.amplitudes();
  return given.data + tokens.batch * given.batch_stride +
         (tokens.first + t) * given.token_stride;
}

// The sum over the axes of weight times position.
DoubleDouble weighted_position(const Angles& angles, const Tokens& tokens,
                               std::int64_t t, std::size_t pair) {
  const std::span weights = angles.plan.axis_weights();
  DoubleDouble sum;
  std::int64_t axis = 0;
  for (std::size_t i = pair; i < weights.size(); i += angles.plan.pairs()) {
    const double p = position_of(angles.positions, tokens, t, axis++);
    sum = sum + product_of(weights[i], p);
  }
  return sum;
}

// Cosines and sines to a hundred bits.
template <class T, class Round>
void form_exactly(const Angles& angles, const Tokens& tokens, std::size_t first,
                  std::size_t n, std::size_t stride, T* cos, T* sin,
                  const Round& round) {
  const Plan& plan = angles.plan;
  const bool has_weights = !plan.axis_weights().empty();
  const bool has_axes = !plan.axis_of_pair().empty();
  ExactPairs some{};
  std::size_t places[ExactPairs::kMost], count = 0;  // in cos and sin
  const auto form_some = [&] {
    exact_cos_sins(some, count);
    for (std::size_t i = 0; i < count; ++i) {
      cos[places[i]] = round({some.cos.hi[i], some.cos.lo[i]});
      sin[places[i]] = round({some.sin.hi[i], some.sin.lo[i]});
    }
    count = 0;
  };
  for (std::int64_t t = 0; t < tokens.count; ++t) {
    const double* amplitude = amplitudes_of(angles, tokens, t);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t pair = first + i;
      const std::int64_t axis = has_axes ? plan.axis_of_pair()[pair] : 0;
      const DoubleDouble p =
          has_weights
              ? weighted_position(angles, tokens, t, pair)
              : DoubleDouble{position_of(angles.positions, tokens, t, axis), 0};
      some.position.hi[count] = p.hi;
      some.position.lo[count] = p.lo;
      some.circles.hi[count] = plan.circles_hi()[pair];
      some.circles.lo[count] = plan.circles_lo()[pair];
      some.amplitude[count] = amplitude[pair];
      places[count++] = static_cast<std::size_t>(t) * stride + i;
      if (count == ExactPairs::kMost) form_some();
    }
  }
  if (count > 0) form_some();
}

void form_token(const Angles& angles, const Tokens& tokens, std::int64_t t,
                std::size_t first, std::size_t n, float* cos, float* sin) {
  const auto& [plan, positions, amplitudes] = angles;
  const double* amplitude = amplitudes_of(angles, tokens, t) + first;
  if (plan.axis_of_pair().empty()) {
    return form_row(plan, first, n, position_of(positions, tokens, t, 0),
                    amplitude, cos, sin);
  }
  for (std::size_t done = 0; done < n; done += kGathered) {
    const std::size_t count = std::min(kGathered, n - done);
    const std::int32_t* axis = plan.axis_of_pair().data() + first + done;
    double position[kGathered];
    for (std::size_t i = 0; i < count; ++i) {
      position[i] = position_of(positions, tokens, t, axis[i]);
    }
    ROPEPROOF_FAST_DISPATCH(FormMixedRow)
    (plan, first + done, count, position, amplitude + done, cos + done,
     sin + done);
  }
}

// How many of `count` positions follow each other from the first on.
std::size_t run_length(const std::int64_t* p, std::int64_t count) {
  const std::size_t most =
      std::min(static_cast<std::size_t>(count), Plan::kRun);
  std::size_t length = 1;
  while (length < most &&
         p[length] == p[0] + static_cast<std::int64_t>(length)) {
    ++length;
  }
  return length;
}

// Rows of one axis and the plan's amplitude: runs, and what lies between them.
void form_runs(const Plan& plan, const Positions& positions,
               const Tokens& tokens, std::size_t first, std::size_t n,
               std::size_t stride, float* cos, float* sin, bool is_streamed) {
  // Up to 2^40 circles, the angle's own error is less than 2^-59, which the
  // bound of a run has room for. Up to 2^51, p + 1/2 is exact.
  const double farthest = std::min(0x1p40 / plan.max_circles(), 0x1p51);
  const bool may_add_angles =
      plan.can_add_angles() && positions.real == nullptr;
  const std::int64_t* const p =
      may_add_angles ? positions.data + tokens.batch * positions.batch_stride +
                           tokens.first
                     : nullptr;
  // Three rows pay for what is prepared for a run.
  const auto begins_run = [&](std::int64_t t) {
    return may_add_angles && t + 2 < tokens.count && p[t + 1] == p[t] + 1 &&
           p[t + 2] == p[t] + 2 &&
           std::abs(static_cast<double>(p[t])) + Plan::kRun < farthest;
  };
  for (std::int64_t t = 0; t < tokens.count;) {
    const std::size_t row = static_cast<std::size_t>(t) * stride;
    if (begins_run(t)) {
      const std::size_t length = run_length(p + t, tokens.count - t);
      ROPEPROOF_FAST_DISPATCH(FormRun)
      (plan, first, n, static_cast<double>(p[t]), length, stride, is_streamed,
       cos + row, sin + row);
      t += static_cast<std::int64_t>(length);
      continue;
    }
    double position[Plan::kRun];
    std::size_t count = 0;
    do {
      position[count++] = position_of(positions, tokens, t++, 0);
    } while (t < tokens.count && count < Plan::kRun && !begins_run(t));
    ROPEPROOF_FAST_DISPATCH(FormRowsAt)
    (plan, first, n, position, count, stride, cos + row, sin + row);
  }
}

}  // namespace

void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, float* cos, float* sin,
               bool is_streamed) noexcept {
  const auto& [plan, positions, amplitudes] = angles;
  if (!plan.axis_weights().empty()) {
    form_exactly(angles, tokens, first, n, stride, cos, sin, round_to_float);
    return;
  }
  if (tokens.count > 1 && plan.has_one_axis() && amplitudes.data == nullptr) {
    form_runs(plan, positions, tokens, first, n, stride, cos, sin, is_streamed);
    return;
  }
  for (std::int64_t t = 0; t < tokens.count; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * stride;
    form_token(angles, tokens, t, first, n, cos + row, sin + row);
  }
}

void form_rows(const Angles& angles, const Tokens& tokens, std::size_t first,
               std::size_t n, std::size_t stride, double* cos,
               double* sin) noexcept {
  form_exactly(angles, tokens, first, n, stride, cos, sin,
               [](DoubleDouble x) { return x.hi; });
}

void form_spaced(const Plan& plan, std::size_t rows, double first,
                 double distance, double* cos, double* sin) noexcept {
  ROPEPROOF_FAST_DISPATCH(FormSpaced)(plan, rows, first, distance, cos, sin);
}

void narrow(const float* from, std::size_t n, Type type, void* to) noexcept {
  ROPEPROOF_FAST_DISPATCH(NarrowRow)(from, n, type, to);
}

void read_row(Type type, const void* from, std::size_t n, float* to) noexcept {
  ROPEPROOF_FAST_DISPATCH(ReadRow)(type, from, n, to);
}

void read_row(Type type, const void* from, std::size_t n, double* to) noexcept {
  if (type == Type::kF64) {
    std::copy_n(static_cast<const double*>(from), n, to);
    return;
  }
  for (std::size_t done = 0; done < n; done += kGathered) {
    const std::size_t count = std::min(kGathered, n - done);
    float narrow[kGathered];
    read_row(type, at(from, type, static_cast<std::int64_t>(done)), count,
             narrow);
    std::copy_n(narrow, count, to + done);
  }
}

void end_stream() noexcept { hwy::FlushStream(); }

}  // namespace ropeproof::fast
#endif  // HWY_ONCE
