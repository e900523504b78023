#include "reference/sweep/cos_sin_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "reference/arguments.h"
#include "reference/oracle.h"
#include "reference/parallel_for.h"
#include "reference/rope.h"
#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {
namespace {

using Position = std::vector<double>;

// Positions, each once, and which of them each of a list is.
struct Distinct {
  std::vector<Position> items;
  std::vector<std::int64_t> index;
};

Distinct distinct(const std::vector<Position>& list) {
  Distinct result;
  std::map<Position, std::int64_t> numbers;
  for (const Position& p : list) {
    const auto [found, is_new] = numbers.emplace(p, std::ssize(result.items));
    if (is_new) result.items.push_back(p);
    result.index.push_back(found->second);
  }
  return result;
}

// p = high + low, exactly: high is the multiple of 2^k next to p towards 0, and
// low has no bit that p has not.
double high_part(double p, int k) {
  return std::ldexp(std::trunc(std::ldexp(p, -k)), k);
}
Position high_part(Position p, int k) {
  for (double& x : p) x = high_part(x, k);
  return p;
}
Position low_part(Position p, int k) {
  for (double& x : p) x -= high_part(x, k);
  return p;
}

std::int64_t count_distinct(std::vector<double>& list) {
  std::ranges::sort(list);
  return std::unique(list.begin(), list.end()) - list.begin();
}

// The k whose split has the fewest parts, estimated on a sum over the axes;
// none if the positions themselves are fewer.
std::optional<int> best_split(const std::vector<Position>& positions) {
  constexpr int kMostBits = 16;
  std::optional<int> best;
  std::int64_t fewest = std::ssize(positions);
  for (int k = 0; k <= kMostBits; ++k) {
    std::vector<double> highs, lows;
    for (const Position& p : positions) {
      double high = 0, low = 0, factor = 1;
      for (const double x : p) {
        high += factor * high_part(x, k);
        low += factor * (x - high_part(x, k));
        factor *= 0x1.9e3779b97f4a8p3;  // arbitrary
      }
      highs.push_back(high), lows.push_back(low);
    }
    const std::int64_t parts = count_distinct(highs) + count_distinct(lows);
    if (parts < fewest) best = k, fewest = parts;
  }
  return best;
}

struct Split {
  Distinct highs, lows;
};

Split split(const std::vector<Position>& list) {
  const Distinct positions = distinct(list);
  const std::optional<int> k = best_split(positions.items);
  std::vector<Position> highs, lows;
  for (const Position& p : list) {
    highs.push_back(k ? high_part(p, *k) : p);
    lows.push_back(k ? low_part(p, *k) : Position(p.size(), 0));
  }
  return {distinct(highs), distinct(lows)};
}

// Axes that no pair mixes are split by themselves, others together: pair j uses
// the split axis_of(axes, j).
std::vector<Split> splits_of(const Spec& spec,
                             const std::vector<Position>& rows) {
  const Axes& axes = spec.axes;
  if (spec.frequencies.xpos) {  // not split: m depends on the position
    const std::vector<Position> zeros(rows.size(), Position{0});
    return {{distinct(rows), distinct(zeros)}};
  }
  if (!axes.weights.empty()) return {split(rows)};
  std::vector<Split> result;
  for (std::int64_t k = 0; k < axes.count; ++k) {
    const bool is_used = axes.axis_of_pair.empty()
                             ? k == 0
                             : std::ranges::count(axes.axis_of_pair, k) > 0;
    std::vector<Position> alone;
    for (const Position& p : rows) alone.push_back({is_used ? at(p, k) : 0});
    result.push_back(split(alone));
  }
  return result;
}

// The parts as positions [axes, parts]; axes with fewer parts are filled up
// with zeros.
std::vector<double> parts_of(const std::vector<Split>& splits,
                             Distinct Split::*half) {
  std::size_t count = 0;
  for (const Split& s : splits) count = std::max(count, (s.*half).items.size());
  std::vector<double> positions;
  for (const Split& s : splits) {
    const std::vector<Position>& items = (s.*half).items;
    const std::size_t axes = items.empty() ? 1 : items[0].size();
    for (std::size_t k = 0; k < axes; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        positions.push_back(i < items.size() ? items[i][k] : 0);
      }
    }
  }
  return positions;
}

// The rotations alone: no amplitude, and channels do not matter.
Spec without_amplitude(const Spec& spec) {
  Spec result = spec;
  result.layout = leading(spec.layout.rotary_dim, spec.layout.rotary_dim,
                          Pairing::kInterleaved);
  result.frequencies.amplitude = 1;
  if (auto* s = std::get_if<Yarn>(&result.frequencies.scaling)) {
    s->attention_factor = 1;
  }
  if (auto* s = std::get_if<LongRope>(&result.frequencies.scaling)) {
    s->attention_factor = 1;
  }
  return result;
}

struct Entries {
  std::vector<CosSin> cos_sin;
  std::vector<CosSinError> errors;
};

// (A) A golden as an enclosure.
Enclosure enclosure(const WideGolden& y) {
  const double hi = std::bit_cast<double>(y.hi);
  return {hi, std::bit_cast<double>(y.lo),
          kU2 * std::abs(hi) + kTableUnderflow};
}

// (A) [positions, pairs].
std::vector<CosSinEnclosure> enclosed_table(const OracleProver& prover) {
  std::vector<CosSinEnclosure> result = prover.enclosed_table();
  for (std::int64_t i = 0; i < std::ssize(result); ++i) {
    auto& [c, s] = at(result, i);
    const double limit =
        kOracleError * std::max(std::abs(c.hi), std::abs(s.hi));
    if (std::max(c.error, s.error) <= limit) continue;
    const WideCosSin golden = prover.wide_entry(i);
    c = enclosure(golden.cos);
    s = enclosure(golden.sin);
  }
  return result;
}

Entries entries_of(const OracleProver& prover) {
  Entries result;
  for (const auto& [c, s] : enclosed_table(prover)) {
    result.cos_sin.push_back(
        {ordered_sum(c.hi, c.lo), ordered_sum(s.hi, s.lo)});
    CosSinError error{c.error, s.error};
    // m of xPos may be exact and longer than a double.
    if (c.lo != 0 && error.c == 0) error.c = kTableUnderflow;
    result.errors.push_back(error);
  }
  return result;
}

// (B), of computed values; underflow as in (A).
CosSinError product_error(const CosSin& a, CosSinError of_a, const CosSin& b,
                          CosSinError of_b) {
  const bool is_zero = of_a.is_exact() && a.c.hi == 0;  // m = 0
  if (is_zero || (of_a.is_exact() && of_b.is_exact())) return {};
  const double c_a = std::abs(a.c.hi), s_a = std::abs(a.s.hi);
  const double c_b = std::abs(b.c.hi), s_b = std::abs(b.s.hi);
  return {kSplitError * (c_a * c_b + s_a * s_b) + kTableUnderflow +
              (c_a * of_b.c + of_a.c * c_b + s_a * of_b.s + of_a.s * s_b),
          kSplitError * (s_a * c_b + c_a * s_b) + kTableUnderflow +
              (s_a * of_b.c + of_a.s * c_b + c_a * of_b.s + of_a.c * s_b)};
}

}  // namespace

CosSinTable::CosSinTable(Oracle oracle, const Spec& spec,
                         std::span<const double> positions)
    : oracle_(oracle), spec_(spec), pairs_(spec.layout.rotary_dim / 2) {
  validate(spec);
  validate_positions(spec, positions);
  require_arithmetic();
  const std::int64_t axes = spec.axes.count;
  std::vector<Position> list;
  for (std::int64_t t = 0; t < std::ssize(positions) / axes; ++t) {
    list.push_back(position_of(positions, axes, t));
  }
  Distinct rows = distinct(list);
  positions_ = std::move(rows.items);
  row_of_token_ = std::move(rows.index);

  const std::vector<Split> splits = splits_of(spec, positions_);
  const std::vector<double> highs = parts_of(splits, &Split::highs);
  prover_ = find_prover(oracle)(spec, highs);
  const Entries high = entries_of(*prover_);
  if (spec.frequencies.xpos) {
    for (const GoldenCosSin& entry : prover_->table()) {
      amplitudes_.push_back(entry.amplitude);
    }
  }
  const std::vector<double> lows = parts_of(splits, &Split::lows);
  const bool is_split = std::ranges::count(lows, 0) < std::ssize(lows);
  Entries low;
  if (is_split) {
    low = entries_of(*find_prover(oracle)(without_amplitude(spec), lows));
  }

  const auto width = static_cast<std::size_t>(pairs_);
  cos_sin_.resize(positions_.size() * width);
  errors_.resize(positions_.size() * width);
  parallel_for(std::ssize(positions_), [&](std::int64_t r) {
    require_arithmetic();
    const std::span row(cos_sin_.begin() + r * pairs_, width);
    std::vector<CosSin> factors(is_split ? width : 0);
    for (std::int64_t j = 0; j < pairs_; ++j) {
      const Split& s = at(splits, axis_of(spec.axes, j));
      const std::int64_t h = at(s.highs.index, r) * pairs_ + j;
      const std::int64_t l = at(s.lows.index, r) * pairs_ + j;
      at(row, j) = at(high.cos_sin, h);
      CosSinError& error = at(errors_, r * pairs_ + j);
      error = at(high.errors, h);
      if (!is_split) continue;
      at(factors, j) = at(low.cos_sin, l);
      error = product_error(at(high.cos_sin, h), error, at(low.cos_sin, l),
                            at(low.errors, l));
    }
    if (is_split) multiply_row(row, factors.data());
  });
}

Golden CosSinTable::amplitude(std::int64_t row, std::int64_t j) const {
  if (!amplitudes_.empty()) return at(amplitudes_, row * pairs_ + j);
  return {std::bit_cast<std::uint64_t>(resolution().amplitude), 0};
}

Goldens CosSinTable::oracle(std::int64_t row) const {
  return Goldens(oracle_, spec_, at(positions_, row));
}

}  // namespace ropeproof::reference::sweep
