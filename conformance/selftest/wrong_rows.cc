#include "conformance/selftest/wrong_rows.h"

#include <cmath>
#include <limits>
#include <optional>

#include "conformance/explain/answer.h"
#include "reference/format.h"
#include "reference/rope.h"

namespace ropeproof::conformance::selftest {
namespace {

using cases::Bits;
using cases::value_of;
using reference::at;
using reference::Format;

// What memory holds that nobody has written.
std::uint64_t unwritten(Format format) {
  return std::numeric_limits<std::uint64_t>::max() >>
         (64 - reference::traits(format).total_bits);
}

Bits part_of(const Bits& bits, std::int64_t first, std::int64_t count) {
  if (bits.empty()) return {};
  return {bits.begin() + first, bits.begin() + first + count};
}

// One row of a case, as a case. pick_tokens() and pick_heads() would copy all
// heads of its token first: in wide cases more than all the rest takes.
cases::Case row_of(const cases::Case& c, std::int64_t token,
                   std::int64_t head) {
  cases::Case row;
  row.problem.dtype = c.problem.dtype;
  row.problem.spec = c.problem.spec;
  row.problem.batch = row.problem.seq = 1;
  row.problem.is_special = c.problem.is_special;
  for (std::int64_t axis = 0; axis < c.problem.spec.axes.count; ++axis) {
    row.problem.positions.push_back(c.problem.position(axis, token));
  }
  row.golden.amplitude = c.golden.amplitude;
  row.golden.inv_freq_hi = c.golden.inv_freq_hi;
  row.golden.inv_freq_lo = c.golden.inv_freq_lo;
  for (const auto list :
       {&cases::Golden::cos, &cases::Golden::cos_lo, &cases::Golden::sin,
        &cases::Golden::sin_lo, &cases::Golden::pair_amplitude}) {
    row.golden.*list =
        part_of(c.golden.*list, token * c.problem.pairs(), c.problem.pairs());
  }
  const bool is_key = head >= c.problem.q_heads;
  (is_key ? row.problem.k_heads : row.problem.q_heads) = 1;
  const std::int64_t d = c.problem.spec.layout.head_dim;
  const std::int64_t first =
      is_key ? (token * c.problem.k_heads + head - c.problem.q_heads) * d
             : (token * c.problem.q_heads + head) * d;
  const auto pick = [&](auto& to, const auto& from, auto q, auto k) {
    const auto list = is_key ? k : q;
    to.*list = part_of(from.*list, first, d);
  };
  using cases::Golden;
  pick(row.problem, c.problem, &cases::Problem::q, &cases::Problem::k);
  pick(row.golden, c.golden, &Golden::q, &Golden::k);
  pick(row.golden, c.golden, &Golden::q_lo, &Golden::k_lo);
  return row;
}

// Whether the sine of a pair can be seen in it.
bool is_seen(const cases::Case& row, std::int64_t j) {
  const Bits& x = row.problem.k_heads > 0 ? row.problem.k : row.problem.q;
  const reference::Pair from = reference::source_pair(row.problem.spec, j);
  const double length =
      x.empty() ? 1
                : std::hypot(decode(row.problem.dtype, at(x, from.u)),
                             decode(row.problem.dtype, at(x, from.v)));
  // Among subnormal numbers, as beside a NaN, a bound accepts any rotation.
  const double least =
      std::ldexp(1, reference::traits(row.problem.dtype).min_exponent);
  if (row.golden.amplitude == 0) return std::isfinite(length);
  const bool has_input = std::isfinite(length) &&
                         length * std::abs(row.golden.amplitude) > 16 * least;
  const double c = value_of(at(row.golden.cos, j)),
               s = value_of(at(row.golden.sin, j));
  return has_input && std::abs(s) > std::hypot(c, s) / 16;
}

// The first, a middle or the last number below `count` for which `is` holds, if
// any.
template <class Is>
std::int64_t number_at(int place, std::int64_t count, const Is& is) {
  const std::int64_t start = place == 0   ? 0
                             : place == 1 ? count / 2
                                          : count - 1;
  const std::int64_t step = place == 2 ? -1 : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = (start + step * i + count) % count;
    if (is(number)) return number;
  }
  return start;
}

// One row of a call, and the answers to it.
class Row {
 public:
  Row(const cases::Case& c, std::uint32_t operation, const judge::Claim& claim,
      std::int64_t number, int place)
      : operation_(operation),
        claim_(claim),
        case_(row_of(c, number / heads(c.problem, operation),
                     number % heads(c.problem, operation))),
        pair_(number_at(place, case_.problem.pairs(),
                        [&](std::int64_t j) {
                          return is_frequencies()
                                     ? at(case_.golden.inv_freq_hi, j) != 0
                                     : is_seen(case_, j);
                        })),
        right_(explain::exact_output(case_, operation, format())) {
    if (is_frequencies()) {
      tensor_ = &judge::Output::inv_freq,
      goldens_ = &cases::Golden::inv_freq_hi;
    } else if (is_table()) {
      tensor_ = &judge::Output::cos, goldens_ = &cases::Golden::cos;
    } else {
      const bool is_key = case_.problem.k_heads > 0;
      tensor_ = is_key ? &judge::Output::k : &judge::Output::q;
      goldens_ = is_key ? &cases::Golden::k : &cases::Golden::q;
      index_ = reference::target_pair(case_.problem.spec, pair_).u;
    }
  }

  static std::int64_t heads(const cases::Problem& problem,
                            std::uint32_t operation) {
    return operation == ROPEPROOF_TABLE || operation == ROPEPROOF_FREQUENCIES
               ? 1
               : problem.q_heads + problem.k_heads;
  }
  static std::int64_t count(const cases::Problem& problem,
                            std::uint32_t operation) {
    return operation == ROPEPROOF_FREQUENCIES
               ? 1
               : problem.tokens() * heads(problem, operation);
  }

  // Whether the judge accepts the right answer: else it finds no mistake.
  bool is_accepted() const { return measured(right_).wrong == 0; }

  bool is_found(Mistake mistake, const Row* neighbour) const {
    judge::Output wrong = right_;
    switch (mistake) {
      case Mistake::kSkipped:
        skip(wrong);
        break;
      case Mistake::kSineSign:
        negate_sine(wrong);
        break;
      case Mistake::kNeighbour:
        take(wrong, neighbour);
        break;
      case Mistake::kTwiceBound:
        if (!move_by_twice_its_bound(wrong)) return false;
        break;
    }
    return measured(wrong).wrong > 0;
  }

 private:
  bool is_table() const { return operation_ == ROPEPROOF_TABLE; }
  bool is_frequencies() const { return operation_ == ROPEPROOF_FREQUENCIES; }
  Format format() const {
    return is_table() || is_frequencies() ? claim_.table : case_.problem.dtype;
  }

  judge::Measurement measured(const judge::Output& output) const {
    return judge::judge(case_.problem, case_.golden, operation_, claim_,
                        output);
  }

  const Bits& input() const {
    return case_.problem.k_heads > 0 ? case_.problem.k : case_.problem.q;
  }
  std::uint64_t& element(judge::Output& output) const {
    return at(output.*tensor_, index_);
  }

  void skip(judge::Output& output) const {
    if (is_frequencies()) {
      element(output) = unwritten(format());
    } else if (is_table()) {
      output.cos.assign(output.cos.size(), unwritten(format()));
      output.sin = output.cos;
    } else {
      output.*tensor_ = input();
    }
  }

  void negate_sine(judge::Output& output) const {
    if (is_frequencies() || is_table()) {
      std::uint64_t& bits =
          is_table() ? at(output.sin, pair_) : element(output);
      bits = encode(format(), -decode(format(), bits));
      return;
    }
    const reference::Pair from =
        reference::source_pair(case_.problem.spec, pair_);
    const reference::Pair to =
        reference::target_pair(case_.problem.spec, pair_);
    const double sign =
        case_.problem.spec.direction == reference::Direction::kForward ? 1 : -1;
    const double s = 2 * sign * value_of(at(case_.golden.sin, pair_));
    const auto x = [&](std::int64_t t) {
      return decode(case_.problem.dtype, at(input(), t));
    };
    const auto add = [&](std::int64_t t, double term) {
      at(output.*tensor_, t) = encode(
          case_.problem.dtype, value_of(at(case_.golden.*goldens_, t)) + term);
    };
    add(to.u, s * x(from.v));
    add(to.v, -s * x(from.u));
  }

  // Of a single row or entry, what lies beside it: nothing that means anything.
  void take(judge::Output& output, const Row* neighbour) const {
    const auto beside = [&](const Bits& own, const Bits* other) {
      return pair_ + 1 < std::ssize(own) ? at(own, pair_ + 1)
             : other != nullptr          ? other->front()
             : pair_ > 0                 ? at(own, pair_ - 1)
                                         : unwritten(format());
    };
    if (is_frequencies()) {
      element(output) = beside(output.inv_freq, nullptr);
    } else if (is_table()) {
      const judge::Output* other = neighbour ? &neighbour->right_ : nullptr;
      at(output.cos, pair_) = beside(right_.cos, other ? &other->cos : nullptr);
      at(output.sin, pair_) = beside(right_.sin, other ? &other->sin : nullptr);
    } else if (neighbour == nullptr) {
      (output.*tensor_).assign(input().size(), unwritten(format()));
    } else {
      output.*tensor_ = neighbour->right_.*(neighbour->tensor_);
    }
  }

  // False where the element has no bound.
  bool move_by_twice_its_bound(judge::Output& output) const {
    std::uint64_t& bits = element(output);
    bits = unwritten(format());
    const judge::Measurement m = measured(output);
    const double want = value_of(at(case_.golden.*goldens_, index_));
    if (!m.first_wrong || !std::isfinite(want)) return false;
    const double error = 2 * m.first_wrong->bound;
    bits = encode(format(), want + std::copysign(error, want));
    // Rounded towards `want`: the next number beyond it.
    if (std::abs(decode(format(), bits) - want) < error) ++bits;
    return true;
  }

  std::uint32_t operation_;
  const judge::Claim& claim_;
  cases::Case case_;
  std::int64_t pair_;
  judge::Output right_;
  // The element of the pair that a mistake is made in, and its golden.
  Bits judge::Output::*tensor_;
  Bits cases::Golden::*goldens_;
  std::int64_t index_ = pair_;
};

// The row behind another; behind the last comes the first. Of a table one that
// begins otherwise than this one ends. None where there is no such row.
std::optional<std::int64_t> next_row(const cases::Case& c,
                                     std::uint32_t operation,
                                     std::int64_t number, std::int64_t rows) {
  if (rows == 1) return std::nullopt;
  const std::int64_t next = (number + 1) % rows;
  if (operation != ROPEPROOF_TABLE) return next;
  const std::int64_t end = (number + 1) * c.problem.pairs() - 1;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t begin = (next + i) % rows * c.problem.pairs();
    if (at(c.golden.cos, begin) != at(c.golden.cos, end) ||
        at(c.golden.sin, begin) != at(c.golden.sin, end)) {
      return begin / c.problem.pairs();
    }
  }
  return std::nullopt;
}

}  // namespace

WrongRows found_in(const cases::Case& c, std::uint32_t operation,
                   const judge::Claim& claim) {
  const std::int64_t rows = Row::count(c.problem, operation);
  WrongRows found = 0;
  if (c.problem.tokens() == 0 || rows == 0) return found;
  const std::int64_t heads = Row::heads(c.problem, operation);
  const auto is_seen_in = [&](std::int64_t number) {
    const cases::Case row = row_of(c, number / heads, number % heads);
    for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
      if (is_seen(row, j)) return true;
    }
    return false;
  };
  for (int place = 0; place < kPlaces; ++place) {
    const std::int64_t number = number_at(place, rows, is_seen_in);
    const Row row(c, operation, claim, number, place);
    if (!row.is_accepted()) continue;
    std::optional<Row> neighbour;
    if (const auto next = next_row(c, operation, number, rows)) {
      neighbour.emplace(c, operation, claim, *next, place);
    }
    for (int mistake = 0; mistake < kMistakes; ++mistake) {
      if (row.is_found(static_cast<Mistake>(mistake),
                       neighbour ? &*neighbour : nullptr)) {
        found |= static_cast<WrongRows>(1 << (mistake * kPlaces + place));
      }
    }
  }
  return found;
}

}  // namespace ropeproof::conformance::selftest
