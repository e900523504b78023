#include "conformance/judge/quiet_pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/judge/codec.h"

// The loops are compiled for processors with AVX2, too, and the program takes
// what there is. The bits are the same: no operation is fused or reordered. An
// instrumented program is not yet there when the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ROPEPROOF_WIDE __attribute__((target_clones("default", "avx2")))
#else
#define ROPEPROOF_WIDE
#endif
#define ROPEPROOF_INLINE inline __attribute__((always_inline))

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;
using reference::Pair;

// What the loop over the pairs of a row reads, and what it writes.
struct Loop {
  RowBits row;
  const Pair *from, *to;
  const double *amplitude, *base, *slope, *structure, *phase;
  double norm_ulp;
  bool shows_phase;
  std::size_t pairs;
  std::uint64_t* is_loud;
};

struct Counts {
  std::uint64_t loud = 0, not_nearest = 0;
};

// Products near 0, of a larger rounding, are not quiet.
template <Format kFormat>
ROPEPROOF_INLINE Counts count(const Loop& loop) {
  constexpr double kFloor = 0x1p-900;
  const auto [x, got, golden, low] = loop.row;
  const auto [_, from, to, amplitude, base, slope, structure, phase, norm_ulp,
              shows_phase, pairs, is_loud] = loop;
  std::uint64_t loud = 0, not_nearest = 0;
#pragma omp simd reduction(+ : loud, not_nearest)
  for (std::size_t j = 0; j < pairs; ++j) {
    const double a = fast_decode<kFormat>(x[from[j].u]);
    const double b = fast_decode<kFormat>(x[from[j].v]);
    const double scale = amplitude[j] * pair_length<kFormat>(a, b);
    const std::uint64_t bits_u = got[to[j].u], bits_v = got[to[j].v];
    const double got_u = fast_decode<kFormat>(bits_u);
    const double got_v = fast_decode<kFormat>(bits_v);
    const double u = std::bit_cast<double>(golden[to[j].u]);
    const double v = std::bit_cast<double>(golden[to[j].v]);
    double error_u = got_u - u, error_v = got_v - v;
    if constexpr (kFormat == Format::kF64) {
      error_u -= std::bit_cast<double>(low[to[j].u]);
      error_v -= std::bit_cast<double>(low[to[j].v]);
    }
    error_u = std::abs(error_u), error_v = std::abs(error_v);
    const double known =
        std::min(norm_ulp * fast_ulp<kFormat>(scale), scale * structure[j]);
    const double most = scale * base[j];
    const bool is_quiet = (error_u <= known) & (error_v <= known) &
                          (error_u <= most + slope[j] * std::abs(u) - kFloor) &
                          (error_v <= most + slope[j] * std::abs(v) - kFloor);
    const double cross = got_u * v - got_v * u;
    const double lengths = (got_u * got_u + got_v * got_v) * (u * u + v * v);
    const bool is_new_angle = shows_phase & Meter::has_angle(lengths) &
                              ((got_u * u + got_v * v <= 0) |
                               (cross * cross > phase[j] * phase[j] * lengths));
    const bool is_nearest_u =
        (encode_number<kFormat>(u) == bits_u) | ((got_u == 0) & (u == 0));
    const bool is_nearest_v =
        (encode_number<kFormat>(v) == bits_v) | ((got_v == 0) & (v == 0));
    const std::uint64_t quiet = is_quiet & !is_new_angle ? 1 : 0;
    const std::uint64_t others =
        (is_nearest_u ? 0u : 1u) + (is_nearest_v ? 0u : 1u);
    is_loud[j] = 1 - quiet;
    loud += 1 - quiet;
    not_nearest += quiet * others;
  }
  return {loud, not_nearest};
}

ROPEPROOF_WIDE Counts count_f32(const Loop& loop) {
  return count<Format::kF32>(loop);
}
ROPEPROOF_WIDE Counts count_f16(const Loop& loop) {
  return count<Format::kF16>(loop);
}
ROPEPROOF_WIDE Counts count_bf16(const Loop& loop) {
  return count<Format::kBF16>(loop);
}
Counts count_f64(const Loop& loop) { return count<Format::kF64>(loop); }

Counts count(Format format, const Loop& loop) {
  switch (format) {
    case Format::kF32:
      return count_f32(loop);
    case Format::kF16:
      return count_f16(loop);
    case Format::kBF16:
      return count_bf16(loop);
    case Format::kF64:
      break;
  }
  return count_f64(loop);
}

}  // namespace

QuietPairs::QuietPairs(const Channels& channels, Format format,
                       bool shows_phase)
    : channels_(channels),
      format_(format),
      shows_phase_(shows_phase),
      is_loud_(channels.from.size(), 1) {
  for (auto field : {&Limits::amplitude, &Limits::base, &Limits::slope,
                     &Limits::structure, &Limits::phase}) {
    (limits_.*field).resize(channels.from.size());
  }
}

void QuietPairs::refresh(const Meter& meter, const std::vector<Terms>& terms) {
  is_any_quiet_ = false;
  if (!meter.can_be_quiet()) return;
  limits_.norm_ulp = meter.m.max_norm_ulp;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const Quiet quiet = meter.quiet(terms[j], shows_phase_);
    limits_.amplitude[j] = terms[j].amplitude;
    limits_.base[j] = quiet.base;
    limits_.slope[j] = quiet.slope;
    limits_.structure[j] = quiet.structure;
    limits_.phase[j] = quiet.phase;
    is_any_quiet_ |= quiet.base > 0;
  }
}

const std::vector<std::uint64_t>& QuietPairs::pass(Meter& meter,
                                                   const RowBits& row) {
  const std::size_t pairs = is_loud_.size();
  Counts counts{pairs, 0};
  const bool has_low = row.low != nullptr;
  if (!is_any_quiet_ || has_low != (format_ == Format::kF64)) {
    std::ranges::fill(is_loud_, 1);
  } else {
    counts = count(format_, {row, channels_.from.data(), channels_.to.data(),
                             limits_.amplitude.data(), limits_.base.data(),
                             limits_.slope.data(), limits_.structure.data(),
                             limits_.phase.data(), limits_.norm_ulp,
                             shows_phase_, pairs, is_loud_.data()});
    meter.count_quiet(static_cast<std::int64_t>(2 * (pairs - counts.loud)),
                      static_cast<std::int64_t>(counts.not_nearest));
  }
  loud_.clear();
  for (std::size_t j = 0; counts.loud > loud_.size(); ++j) {
    if (is_loud_[j] != 0) loud_.push_back(j);
  }
  return loud_;
}

}  // namespace ropeproof::conformance::judge
