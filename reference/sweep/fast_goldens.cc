#include "reference/sweep/fast_goldens.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "reference/arguments.h"
#include "reference/parallel_for.h"
#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rounding.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {
namespace {

constexpr int kPrecisionBits = 106;
constexpr double kUndecidable = std::numeric_limits<double>::infinity();
// The exact product of two doubles does not underflow if it is above kTiny.
constexpr double kTiny = 0x1p-900;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// y to odd, or to nearest with the remainder; nothing where the margin does not
// allow it. A margin of 0 means that y is exact.
template <class Proved>
std::optional<Proved> rounded(DoubleDouble y, double margin) {
  constexpr bool kIsWide = std::is_same_v<Proved, WideGolden>;
  if (margin == 0 && (kIsWide || y.lo == 0)) {
    // A zero has the sign +.
    if constexpr (kIsWide) {
      return WideGolden{bits(y.hi + 0.0), bits(y.lo + 0.0), kPrecisionBits};
    } else {
      return Golden{bits(y.hi + 0.0), kPrecisionBits};
    }
  }
  const std::optional<double> hi =
      kIsWide ? round_to_nearest(y, margin) : round_to_odd(y, margin);
  if (!hi) return std::nullopt;
  if constexpr (kIsWide) {
    return WideGolden{bits(*hi), bits(y.lo), kPrecisionBits};
  } else {
    return Golden{bits(*hi), kPrecisionBits};
  }
}

// How far y_u = x_u c - x_v s (rows.h) may be off.
double margin_of(double x_u, double x_v, const CosSin& t,
                 const CosSinError& error) {
  const double size = pair_size(x_u, x_v, t);
  if (!(size < kHuge)) return kUndecidable;
  if (x_u == 0 && x_v == 0) return 0;
  if (error.is_exact()) {  // y_u = x_u c, a product of two doubles
    const bool is_zero = x_u == 0 || t.c.hi == 0;
    return is_zero || size > kTiny ? 0 : kUndecidable;
  }
  return pair_margin(x_u, x_v, size, error);
}

void ask(const Goldens& goldens, std::vector<GoldenCosSin>& result) {
  result = goldens.table();
}
void ask(const Goldens& goldens, std::vector<WideCosSin>& result) {
  result = goldens.wide_table();
}
void ask(const Goldens& goldens, std::span<const double> head,
         std::vector<Golden>& result) {
  result = goldens.rope(1, head);
}
void ask(const Goldens& goldens, std::span<const double> head,
         std::vector<WideGolden>& result) {
  result = goldens.wide_rope(1, head);
}

}  // namespace

FastGoldens::FastGoldens(Oracle oracle, const Spec& spec,
                         std::span<const double> positions)
    : table_(oracle, spec, positions), layout_(spec.layout) {
  std::vector<char> is_outside(static_cast<std::size_t>(layout_.head_dim), 1);
  // The adjoint rotates (x_v, x_u) forward: y_v = x_v c - x_u s.
  const auto in_order = [&](Pair pair) {
    if (spec.direction == Direction::kAdjoint) std::swap(pair.u, pair.v);
    at(is_outside, pair.u) = at(is_outside, pair.v) = 0;
    return pair;
  };
  for (std::int64_t j = 0; j < layout_.rotary_dim / 2; ++j) {
    sources_.push_back(in_order(source_pair(spec, j)));
    targets_.push_back(in_order(target_pair(spec, j)));
  }
  for (std::int64_t k = 0; k < layout_.head_dim; ++k) {
    if (at(is_outside, k) != 0) outside_.push_back(k);
  }
}

template <class Proved>
std::vector<Proved> FastGoldens::proved_table() const {
  using Value = decltype(Proved::cos);
  const std::int64_t pairs = std::ssize(sources_);
  std::vector<Proved> result(static_cast<std::size_t>(table_.tokens() * pairs));
  parallel_parts(table_.tokens(), [&](std::int64_t from, std::int64_t to) {
    require_arithmetic();
    for (std::int64_t token = from; token < to; ++token) {
      const std::int64_t row = table_.row_of(token);
      std::vector<Proved> asked;
      for (std::int64_t j = 0; j < pairs; ++j) {
        const auto proved = [&](DoubleDouble y, double error,
                                Value Proved::*component) {
          // u^2 for the ends of the rounding test.
          const double margin = error == 0 ? 0 : error + kU2 * std::abs(y.hi);
          if (const auto value = rounded<Value>(y, margin)) return *value;
          if (asked.empty()) ask(table_.oracle(row), asked);
          return at(asked, j).*component;
        };
        const CosSin& t = at(table_.cos_sin(row), j);
        const CosSinError& error = at(table_.errors(row), j);
        at(result, token * pairs + j) = {proved(t.c, error.c, &Proved::cos),
                                         proved(t.s, error.s, &Proved::sin),
                                         table_.amplitude(row, j)};
      }
    }
  });
  return result;
}

std::vector<GoldenCosSin> FastGoldens::table() const {
  return proved_table<GoldenCosSin>();
}

std::vector<WideCosSin> FastGoldens::wide_table() const {
  return proved_table<WideCosSin>();
}

// What a thread rotates heads in: a number for each pair.
struct FastGoldens::Lanes {
  explicit Lanes(std::size_t pairs)
      : x_u(pairs),
        x_v(pairs),
        y_u(pairs),
        y_v(pairs),
        odd_u(pairs),
        odd_v(pairs) {}

  std::vector<double> x_u, x_v;
  std::vector<DoubleDouble> y_u, y_v;
  std::vector<std::uint64_t> odd_u, odd_v;
};

// Rotates a head by a row of the table; store(k, y) takes channel k. False
// where the oracle must.
template <class Proved, class Store>
bool FastGoldens::rotate_head(std::int64_t row, std::span<const double> head,
                              Lanes& lanes, const Store& store) const {
  auto& [x_u, x_v, y_u, y_v, odd_u, odd_v] = lanes;
  const std::span<const CosSin> cos_sin = table_.cos_sin(row);
  const std::span<const CosSinError> errors = table_.errors(row);
  const std::size_t pairs = sources_.size();
  for (std::size_t j = 0; j < pairs; ++j) {
    x_u[j] = at(head, sources_[j].u);
    x_v[j] = at(head, sources_[j].v);
  }
  bool is_decided = false;
  if constexpr (!std::is_same_v<Proved, WideGolden>) {
    is_decided = rotate_row_to_odd(cos_sin, errors.data(), x_u.data(),
                                   x_v.data(), odd_u.data(), odd_v.data());
    for (std::size_t j = 0; is_decided && j < pairs; ++j) {
      store(targets_[j].u, Golden{odd_u[j], kPrecisionBits});
      store(targets_[j].v, Golden{odd_v[j], kPrecisionBits});
    }
  }
  if (!is_decided) {
    rotate_row(cos_sin, x_u.data(), x_v.data(), y_u.data(), y_v.data());
    for (std::size_t j = 0; j < pairs; ++j) {
      const CosSin& t = cos_sin[j];
      const auto u =
          rounded<Proved>(y_u[j], margin_of(x_u[j], x_v[j], t, errors[j]));
      const auto v =
          rounded<Proved>(y_v[j], margin_of(x_v[j], x_u[j], t, errors[j]));
      if (!u || !v) return false;
      store(targets_[j].u, *u);
      store(targets_[j].v, *v);
    }
  }
  for (const std::int64_t k : outside_) store(k, Proved{bits(at(head, k))});
  return true;
}

// store(i, y) takes element i.
template <class Proved, class Store>
std::int64_t FastGoldens::rotate(std::int64_t first_token, std::int64_t count,
                                 std::int64_t heads, std::span<const double> x,
                                 const Store& store) const {
  validate_x(count, heads, layout_.head_dim, x);
  const auto head_dim = static_cast<std::size_t>(layout_.head_dim);
  std::atomic<std::int64_t> asked = 0;
  const auto rotate_token = [&](std::int64_t token, Lanes& lanes) {
    const std::int64_t row = table_.row_of(first_token + token);
    std::optional<Goldens> oracle;
    for (std::int64_t h = token * heads; h < (token + 1) * heads; ++h) {
      const std::size_t first = static_cast<std::size_t>(h) * head_dim;
      const std::span<const double> head = x.subspan(first, head_dim);
      const auto store_channel = [&](std::int64_t k, const Proved& y) {
        store(first + static_cast<std::size_t>(k), y);
      };
      if (rotate_head<Proved>(row, head, lanes, store_channel)) continue;
      if (!oracle) oracle.emplace(table_.oracle(row));
      std::vector<Proved> y;
      ask(*oracle, head, y);
      for (std::size_t k = 0; k < head_dim; ++k) store(first + k, y[k]);
      ++asked;
    }
  };
  parallel_parts(count, [&](std::int64_t from, std::int64_t to) {
    require_arithmetic();
    Lanes lanes(sources_.size());
    for (std::int64_t token = from; token < to; ++token) {
      rotate_token(token, lanes);
    }
  });
  return asked;
}

std::int64_t FastGoldens::rope(std::int64_t heads, std::span<const double> x,
                               std::span<std::uint64_t> y) const {
  return rope_part(0, table_.tokens(), heads, x, y);
}

std::int64_t FastGoldens::rope_part(std::int64_t first, std::int64_t count,
                                    std::int64_t heads,
                                    std::span<const double> x,
                                    std::span<std::uint64_t> y) const {
  validate_size("y", y.size(), std::ssize(x));
  return rotate<Golden>(
      first, count, heads, x,
      [&](std::size_t i, const Golden& value) { y[i] = value.bits; });
}

std::int64_t FastGoldens::wide_rope(std::int64_t heads,
                                    std::span<const double> x,
                                    std::span<std::uint64_t> hi,
                                    std::span<std::uint64_t> lo) const {
  validate_size("hi", hi.size(), std::ssize(x));
  validate_size("lo", lo.size(), std::ssize(x));
  return rotate<WideGolden>(0, table_.tokens(), heads, x,
                            [&](std::size_t i, const WideGolden& value) {
                              hi[i] = value.hi;
                              lo[i] = value.lo;
                            });
}

}  // namespace ropeproof::reference::sweep
