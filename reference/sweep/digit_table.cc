#include "reference/sweep/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rounding.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {
namespace {

constexpr std::int64_t kDigits = 256;

double value(std::uint64_t bits) { return std::bit_cast<double>(bits); }

DoubleDouble value(const WideGolden& sum) {
  return {value(sum.hi), value(sum.lo)};
}

// Frequencies alone decide cosine and sine.
Spec plain(const Spec& spec) {
  Spec result = spec;
  result.layout = leading(spec.layout.rotary_dim, spec.layout.rotary_dim,
                          Pairing::kInterleaved);
  return result;
}

void require_plain_rotations(Oracle oracle, const Spec& spec) {
  if (spec.axes.count != 1 || !spec.axes.weights.empty() ||
      spec.frequencies.xpos) {
    throw std::invalid_argument(
        "a sweep has positions on one axis; expected no weights and no xpos");
  }
  const double amplitude = golden_resolution(oracle, spec).amplitude;
  if (amplitude != 1) {
    throw std::invalid_argument("amplitude is " + std::to_string(amplitude) +
                                "; a sweep expects 1");
  }
}

std::optional<double> rounded(DoubleDouble y, double margin,
                              Rounding rounding) {
  return rounding == Rounding::kToOdd ? round_to_odd(y, margin)
                                      : round_to_nearest(y, margin);
}

}  // namespace

Sweep::Sweep(Oracle oracle, const Spec& spec, std::int64_t limit)
    : oracle_(oracle),
      spec_(plain(spec)),
      pairs_(spec.layout.rotary_dim / 2),
      limit_(limit) {
  validate(spec);
  if (limit < 1 || limit > kMaxLimit) {
    throw std::invalid_argument("limit is " + std::to_string(limit) +
                                "; expected 1 to 2^32 positions");
  }
  require_arithmetic();
  require_plain_rotations(oracle_, spec_);
  std::vector<double> positions;
  std::vector<std::size_t> rows;
  std::int64_t levels = 0;
  for (std::int64_t step = 1; step < limit; step *= kDigits, ++levels) {
    for (std::int64_t d = 1; d < kDigits && d * step < limit; ++d) {
      positions.push_back(static_cast<double>(d * step));
      rows.push_back(static_cast<std::size_t>(levels * kDigits + d));
    }
  }
  const auto width = static_cast<std::size_t>(pairs_);
  entries_.resize(static_cast<std::size_t>(levels * kDigits) * width);
  const std::vector<WideCosSin> sums =
      Goldens(oracle_, spec_, positions).wide_table();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    entries_[rows[i / width] * width + i % width] = {value(sums[i].cos),
                                                     value(sums[i].sin)};
  }
}

void Sweep::cos_sin(std::int64_t position, std::span<CosSin> out) const {
  require_arithmetic();
  const auto width = static_cast<std::size_t>(pairs_);
  out = out.first(width);
  std::int64_t higher = position;
  bool is_first = true;
  for (std::size_t level = 0; higher != 0; ++level, higher /= kDigits) {
    const std::int64_t digit = higher % kDigits;
    if (digit == 0) continue;
    const std::size_t row = level * kDigits + static_cast<std::size_t>(digit);
    const CosSin* entries = entries_.data() + row * width;
    if (is_first) {
      std::copy_n(entries, width, out.data());
      is_first = false;
    } else {
      multiply_row(out, entries);
    }
  }
  if (is_first) std::ranges::fill(out, CosSin{{1, 0}, {0, 0}});
}

void Sweep::table(std::int64_t position, Rounding rounding,
                  std::span<double> cos, std::span<double> sin) const {
  validate_position(position);
  const auto width = static_cast<std::size_t>(pairs_);
  const std::int64_t size = position < 0 ? -position : position;
  std::vector<CosSin> row(width);  // undecided as it is
  if (covers(position)) cos_sin(size, row);
  std::vector<GoldenCosSin> odd;
  std::vector<WideCosSin> nearest;
  const auto ask_oracle = [&](std::size_t j, bool is_sin) {
    ++fallbacks_;
    const double p[] = {static_cast<double>(size)};
    if (rounding == Rounding::kToOdd) {
      if (odd.empty()) odd = golden_table(oracle_, spec_, p);
      return value(is_sin ? odd[j].sin.bits : odd[j].cos.bits);
    }
    if (nearest.empty()) nearest = Goldens(oracle_, spec_, p).wide_table();
    return value(is_sin ? nearest[j].sin.hi : nearest[j].cos.hi);
  };
  for (std::size_t j = 0; j < width; ++j) {
    const auto c = rounded(row[j].c, kMargin, rounding);
    const auto s = rounded(row[j].s, kMargin, rounding);
    cos[j] = c ? *c : ask_oracle(j, false);
    sin[j] = s ? *s : ask_oracle(j, true);
    // Cosine is even, sine is odd, and either rounding keeps that.
    if (position < 0) sin[j] = -sin[j];
  }
}

}  // namespace ropeproof::reference::sweep
