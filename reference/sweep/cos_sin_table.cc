#include "reference/sweep/cos_sin_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "reference/arguments.h"
#include "reference/exact.h"
#include "reference/oracle.h"
#include "reference/parallel_for.h"
#include "reference/rope.h"
#include "reference/sweep/arithmetic.h"

namespace ropeproof::reference::sweep {
namespace {

// A golden as an enclosure.
Enclosure enclosure(const WideGolden& y) {
  const double hi = std::bit_cast<double>(y.hi);
  return {hi, std::bit_cast<double>(y.lo),
          kU2 * std::abs(hi) + kTableUnderflow};
}

// The table of a circle, formed once in a process for each oracle.
const Circle& circle(Oracle oracle, const OracleProver& prover) {
  if (oracle == Oracle::kMpfi) {
    static const Circle mpfi = circle_of(prover.eighth(kCircleSteps));
    return mpfi;
  }
  static const Circle bin_float = circle_of(prover.eighth(kCircleSteps));
  return bin_float;
}

// The doubles whose sum is the coordinate of every pair, [pairs, terms].
std::vector<double> summands_of(const Spec& spec,
                                std::span<const double> position) {
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  const Axes& axes = spec.axes;
  std::vector<double> result;
  for (std::int64_t j = 0; j < pairs; ++j) {
    if (axes.weights.empty()) {
      result.push_back(at(position, axis_of(axes, j)));
      continue;
    }
    for (std::int64_t k = 0; k < axes.count; ++k) {
      const DoubleDouble term =
          exact_product(weight(axes, pairs, k, j), at(position, k));
      // Below 2^-900 the lower part may have lost bits.
      const bool is_exact = term.hi == 0 || std::abs(term.hi) > 0x1p-900;
      result.push_back(is_exact ? term.hi : INFINITY);
      result.push_back(term.lo);
    }
  }
  return result;
}

// Times m, a binary64 number.
void multiply(TurnedEntry& entry, double m) {
  const auto with_m = [m](DoubleDouble& y, double& error) {
    y = scaled(y, m);
    error =
        std::abs(m) * error + kScaledError * std::abs(y.hi) + kTableUnderflow;
  };
  with_m(entry.cos_sin.c, entry.error.c);
  with_m(entry.cos_sin.s, entry.error.s);
}

}  // namespace

CosSinTable::CosSinTable(Oracle oracle, const Spec& spec,
                         std::span<const double> positions)
    : oracle_(oracle), spec_(spec), pairs_(spec.layout.rotary_dim / 2) {
  validate(spec);
  validate_positions(spec, positions);
  require_arithmetic();
  // Tokens in the order of their positions: those of a row stand together.
  const std::int64_t axes = spec.axes.count,
                     tokens = std::ssize(positions) / axes;
  std::vector<std::int64_t> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t k = 0; k < axes * tokens; k += tokens) {
      const double x = at(positions, k + a), y = at(positions, k + b);
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  const auto is_before = [&](auto a, auto b) { return compare(a, b) < 0; };
  if (!std::ranges::is_sorted(order, is_before)) {  // most of them are
    std::ranges::sort(order, is_before);
  }
  row_of_token_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      positions_.push_back(position_of(positions, axes, order[i]));
    }
    at(row_of_token_, order[i]) = std::ssize(positions_) - 1;
  }
  kept_ = kept_frequencies(oracle, spec);
  cos_sin_.resize(positions_.size() * static_cast<std::size_t>(pairs_));
  errors_.resize(cos_sin_.size());
  if (spec.frequencies.xpos) {
    enclose();
  } else {
    turn();
  }
}

void CosSinTable::set(std::int64_t i, const CosSinEnclosure& entry) {
  const auto& [c, s] = entry;
  at(cos_sin_, i) = {ordered_sum(c.hi, c.lo), ordered_sum(s.hi, s.lo)};
  CosSinError& error = at(errors_, i);
  error = {c.error, s.error};
  // m of xPos may be exact and longer than a double.
  if (c.lo != 0 && error.c == 0) error.c = kTableUnderflow;
}

// With xPos.
void CosSinTable::enclose() {
  std::vector<double> list;  // [1, rows]: xPos has one axis
  for (const std::vector<double>& p : positions_) list.push_back(p[0]);
  const auto prover = find_prover(oracle_)(spec_, list);
  const std::vector<CosSinEnclosure> entries = prover->enclosed_table();
  for (std::int64_t i = 0; i < std::ssize(entries); ++i) {
    const auto& [c, s] = at(entries, i);
    const double limit = kTableError * std::max(std::abs(c.hi), std::abs(s.hi));
    if (std::max(c.error, s.error) <= limit) {
      set(i, at(entries, i));
    } else {
      const WideCosSin golden = prover->wide_entry(i);
      set(i, {enclosure(golden.cos), enclosure(golden.sin)});
    }
  }
  for (const GoldenCosSin& entry : prover->table()) {
    amplitudes_.push_back(entry.amplitude);
  }
}

void CosSinTable::turn() {
  const Circle& steps = circle(oracle_, kept_->prover());
  parallel_parts(std::ssize(positions_),
                 [&](std::int64_t from, std::int64_t to) {
                   require_arithmetic();
                   std::vector<TurnedEntry> entries(kept_->turns().size());
                   for (std::int64_t r = from; r < to; ++r)
                     turn_row(r, steps, entries);
                 });
}

// `entries` is a thread's, of one row.
void CosSinTable::turn_row(std::int64_t row, const Circle& steps,
                           std::vector<TurnedEntry>& entries) {
  const std::vector<FixedTurns>& turns = kept_->turns();
  const std::vector<double>& position = at(positions_, row);
  const double m = resolution().amplitude;
  sweep::turn_row(steps, turns, summands_of(spec_, position), entries.data());
  std::vector<WideCosSin> goldens;
  for (std::int64_t j = 0; j < pairs_; ++j) {
    const std::int64_t i = row * pairs_ + j;
    TurnedEntry& entry = at(entries, j);
    if (m == 0 || at(turns, j).is_zero() || is_at_origin(spec_, position, j)) {
      at(cos_sin_, i) = {{m, 0}, {0, 0}};
      at(errors_, i) = {};
      continue;
    }
    if (m != 1) multiply(entry, m);
    const double limit = kTableError * std::abs(m) + kTableUnderflow;
    if (std::max(entry.error.c, entry.error.s) <= limit) {
      at(cos_sin_, i) = entry.cos_sin;
      at(errors_, i) = entry.error;
    } else {
      if (goldens.empty()) goldens = oracle(row).wide_table();
      const auto& [c, s, amplitude] = at(goldens, j);
      set(i, {enclosure(c), enclosure(s)});
    }
  }
}

Golden CosSinTable::amplitude(std::int64_t row, std::int64_t j) const {
  if (!amplitudes_.empty()) return at(amplitudes_, row * pairs_ + j);
  return {std::bit_cast<std::uint64_t>(resolution().amplitude), 0};
}

Goldens CosSinTable::oracle(std::int64_t row) const {
  return Goldens(oracle_, spec_, at(positions_, row));
}

}  // namespace ropeproof::reference::sweep
