#include "reference/sweep/digit_table.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {
namespace {

constexpr std::int64_t kDigits = 256;

double value(std::uint64_t bits) { return std::bit_cast<double>(bits); }

DoubleDouble value(const WideGolden& sum) {
  return {value(sum.hi), value(sum.lo)};
}

}  // namespace

DigitTable::DigitTable(Oracle oracle, double base, std::int64_t rotary_dim,
                       std::int64_t limit)
    : pairs_(rotary_dim / 2) {
  if (limit < 1 || limit > kMaxLimit) {
    throw std::invalid_argument("limit is " + std::to_string(limit) +
                                "; expected 1 to 2^32 positions");
  }
  require_arithmetic();
  const Spec spec{leading(rotary_dim, rotary_dim, Pairing::kInterleaved),
                  {base}};
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
      Goldens(oracle, spec, positions).wide_table();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    entries_[rows[i / width] * width + i % width] = {value(sums[i].cos),
                                                     value(sums[i].sin)};
  }
}

void DigitTable::cos_sin(std::int64_t position, std::span<CosSin> out) const {
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

}  // namespace ropeproof::reference::sweep
