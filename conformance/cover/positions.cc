// Positions: of a magnitude, in an order, of either sign, real or not.
#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using cases::Problem;

double position(const ropeproof_problem& p, std::int64_t axis, std::int64_t b,
                std::int64_t s) {
  const std::int64_t at =
      axis * p.position_axis_stride + b * p.position_batch_stride + s;
  return p.real_positions != nullptr ? p.real_positions[at]
                                     : static_cast<double>(p.positions[at]);
}

template <class Visit>
void for_each_position(const ropeproof_problem& p, const Visit& visit) {
  for (std::int64_t axis = 0; axis < p.position_axes; ++axis) {
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t s = 0; s < p.seq; ++s) visit(position(p, axis, b, s));
    }
  }
}

bool read_sign(const ropeproof_problem& p) {
  bool has_negative = false;
  for_each_position(p, [&](double x) { has_negative = has_negative || x < 0; });
  return has_negative;
}

std::optional<int> read_magnitude(const ropeproof_problem& p) {
  double largest = 0;
  for_each_position(
      p, [&](double x) { largest = std::max(largest, std::abs(x)); });
  for (const auto& [power, word] : kMagnitude.words) {
    if (largest < std::ldexp(1, power)) return power;
  }
  return std::nullopt;
}

// The order of the first batch row: what it was drawn by, where more than one
// is true of a short row. |p|, rounded up, undoes signs and fractions.
OrderClass read_order(const ropeproof_problem& p) {
  using enum OrderClass;
  const auto at = [&](std::int64_t s) {
    return std::ceil(std::abs(position(p, 0, 0, s)));
  };
  const std::int64_t n = p.seq;
  if (n <= 1) return kAscending;
  std::int64_t ups = 0, equals = 0, zeros = 0, around = 0;
  for (std::int64_t s = 0; s + 1 < n; ++s) {
    const double step = at(s + 1) - at(s);
    if (step == 1) ++ups;
    if (step == 0) ++equals;
    if (step < 0 && at(s + 1) == 0) ++zeros;
    // Ascending, but for the token in the middle.
    if (s + 1 != n / 2 && s != n / 2 && (step == 1 || step == 0)) ++around;
  }
  if (equals == n - 1) return kConstant;
  if (ups == n - 1) return kAscending;
  if (zeros > 0 && ups + zeros + equals == n - 1) return kPacked;
  const std::int64_t middle = n / 2, next = std::min(middle + 1, n - 1);
  const double across = next == middle ? 2 : at(next) - at(middle - 1);
  const bool is_far = at(middle) > at(middle - 1) + 1 &&
                      (next == middle || at(middle) > at(next));
  return is_far && (across == 2 || across == 1 || across == 0) &&
                 around >= n - 3
             ? kOneFar
             : kShuffled;
}

// Half of them next to a power of two, where formats begin to lose odd numbers
// and integers end, a quarter of any size.
std::int64_t anywhere(Draw& draw, std::int64_t least, std::int64_t most) {
  const std::int64_t p =
      draw.one_in(2) ? draw.between(least, most) : draw.any_size(least, most);
  if (draw.one_in(2)) return p;
  const auto power =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(p)));
  return std::clamp(power + draw.between(-1, 1), least, most);
}

// A batch row; the largest of its positions is `largest`, where `has_largest`.
std::vector<double> row_of(Draw& draw, OrderClass order, std::int64_t seq,
                           std::int64_t largest) {
  std::vector<double> row;
  const auto add = [&](std::int64_t p) {
    row.push_back(static_cast<double>(std::max<std::int64_t>(p, 0)));
  };
  const std::int64_t middle = seq / 2;
  // Where the sequence that reaches into this chunk ends, and the next begins.
  const std::int64_t first_end = std::max<std::int64_t>(seq / 3, 1);
  const std::int64_t segment = std::max<std::int64_t>(seq / 4, 2);
  // Some of what is not ascending by one is regular all the same.
  const bool is_regular = order == OrderClass::kShuffled &&
                          largest >= 2 * seq && seq > 3 && draw.one_in(3);
  const bool falls = is_regular && draw.one_in(2);
  for (std::int64_t t = 0; t < seq; ++t) {
    switch (order) {
      case OrderClass::kFromZero:
        add(t);
        break;
      case OrderClass::kAscending:
        add(largest >= seq - 1 ? largest - (seq - 1) + t : t % (largest + 1));
        break;
      case OrderClass::kShuffled:
        // Neither ascending nor packed, however short: it begins above its end.
        add(falls          ? largest - t
            : is_regular   ? largest - 2 * (seq - 1 - t)
            : t == middle  ? largest
            : t == 0       ? largest - draw.between(1, largest / 4 + 1)
            : t == seq - 1 ? draw.between(0, largest / 4)
                           : anywhere(draw, 0, largest));
        break;
      case OrderClass::kConstant:
        add(largest);
        break;
      case OrderClass::kPacked:
        add(t < first_end ? largest - (first_end - 1) + t
                          : std::min((t - first_end) % segment, largest));
        break;
      case OrderClass::kOneFar:
        add(t == middle ? largest : std::min(t, largest / 2));
        break;
    }
  }
  return row;
}

// Half of the positions become negative, one at least. Of those that are to
// have a length one stays: the largest or, where the largest is to become
// negative, another.
void mix_signs(Draw& draw, const std::vector<double*>& positions,
               bool keeps_top) {
  const auto value = [](const double* p) { return *p; };
  double* top = *std::ranges::max_element(positions, {}, value);
  if (keeps_top && positions.size() > 2 && draw.one_in(2)) {
    double* const other = positions[positions[0] == top ? 1 : 0];
    if (*other >= 4) {  // trained lengths are parts of what it makes
      *top = -*top;
      top = other;
    }
  }
  double* last = nullptr;
  bool has_negative = false;
  for (double* p : positions) {
    if (p == top && keeps_top && positions.size() > 1) continue;
    has_negative = has_negative || *p < 0;
    if (*p <= 0) continue;
    last = p;
    if (p == top) {
      *p = -*p;
      has_negative = true;
      continue;
    }
    if (draw.one_in(2)) continue;
    *p = -*p;
    has_negative = true;
  }
  if (!has_negative && last != nullptr) *last = -*last;
}

// Three of four draws are no larger, where angles formed in binary64 are still
// good to 2^-19.
constexpr std::int64_t kMostOfBinary64 = std::int64_t{1} << 34;

void draw_magnitude(Drawing& d, int magnitude) {
  const Range range = magnitude_range(magnitude);
  std::int64_t most =
      d.draw.one_in(4) ? range.high : std::min(range.high, kMostOfBinary64);
  if (d.max_position > 0) most = std::min(most, d.max_position);
  // Tokens that ascend have room, and do not begin at 0, where no angle shows;
  // a fraction may be taken off.
  const std::int64_t least =
      std::min(std::max(range.low + 1, 2 * d.problem.seq + 8), most);
  d.largest = d.draw.one_in(3) ? most : anywhere(d.draw, least, most);
}

bool are_rows_alike(const Problem& p) {
  return p.storage.rows == cases::RowSpacing::kShared;
}

void draw_order(Drawing& d, OrderClass c) {
  Problem& p = d.problem;
  Draw& draw = d.draw;
  const OrderClass order_of_row =
      d.recipe.begins_at_zero ? OrderClass::kFromZero : c;
  const std::int64_t axes = p.spec.axes.count, batch = p.batch, seq = p.seq;
  const std::int64_t largest = d.largest;
  const bool are_alike = are_rows_alike(p);
  // Only one row of one axis reaches the largest position.
  const std::int64_t top_axis = draw.between(0, axes - 1);
  const std::int64_t top_row = are_alike ? 0 : draw.between(0, batch - 1);
  // Single tokens of some decoding are one behind the other.
  const bool is_regular =
      seq == 1 && !are_alike && largest >= batch && draw.one_in(3);
  const bool falls = draw.one_in(2);
  std::vector<double>& positions = p.positions;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::vector<double> first;
    for (std::int64_t b = 0; b < batch; ++b) {
      const bool is_top = axis == top_axis && b == top_row;
      std::int64_t most = largest;
      if (is_regular) {
        most =
            largest - (axis == top_axis ? 0 : 1) - (falls ? b : batch - 1 - b);
      } else if (!is_top) {
        most = std::max(largest - draw.between(0, largest / 8 + 1),
                        std::min(seq - 1, largest));
      }
      // That the first row ascends says nothing of the others.
      const bool is_other = b > 0 && order_of_row == OrderClass::kAscending &&
                            seq > 2 && draw.one_in(4);
      // Where something lies in its image counts from 0.
      const bool is_inside =
          axis > 0 && !is_top && largest >= seq && draw.one_in(3);
      const OrderClass order = is_inside  ? OrderClass::kFromZero
                               : is_other ? OrderClass::kShuffled
                                          : order_of_row;
      std::vector<double> row =
          are_alike && b > 0
              ? first
              : row_of(draw, order, seq, std::max<std::int64_t>(most, 0));
      if (b == 0) first = row;
      positions.insert(positions.end(), row.begin(), row.end());
    }
  }
}

// The positions of an axis and a batch row.
double* row_begin(Problem& p, std::int64_t axis, std::int64_t b) {
  return p.positions.data() + (axis * p.batch + b) * p.seq;
}

// Positions that differ from others: where rows are alike, those of the first.
std::vector<double*> free_positions(Problem& p) {
  std::vector<double*> free;
  for (std::int64_t axis = 0; axis < p.spec.axes.count; ++axis) {
    for (std::int64_t b = 0; b < (are_rows_alike(p) ? 1 : p.batch); ++b) {
      for (std::int64_t t = 0; t < p.seq; ++t) {
        free.push_back(row_begin(p, axis, b) + t);
      }
    }
  }
  return free;
}

// Where rows are alike, the first decides.
void copy_first_rows(Problem& p) {
  if (!are_rows_alike(p)) return;
  for (std::int64_t axis = 0; axis < p.spec.axes.count; ++axis) {
    for (std::int64_t b = 1; b < p.batch; ++b) {
      std::copy_n(row_begin(p, axis, 0), p.seq, row_begin(p, axis, b));
    }
  }
}

void draw_numbers(Drawing& d, bool are_real) {
  if (!are_real) return;
  for (double* p : free_positions(d.problem)) {
    if (*p >= 1) *p -= 0x1p-10 + d.draw.real(0, 1 - 0x1p-9);
  }
  copy_first_rows(d.problem);
}

void draw_sign(Drawing& d, bool is_mixed) {
  if (!is_mixed) return;
  mix_signs(d.draw, free_positions(d.problem),
            plugin::follows_length(scaling_example(d.recipe).scaling));
  copy_first_rows(d.problem);
}

}  // namespace

Range magnitude_range(int magnitude) {
  std::int64_t low = 0;
  for (const auto& [power, word] : kMagnitude.words) {
    if (power == magnitude) break;
    low = std::int64_t{1} << power;
  }
  return {low, (std::int64_t{1} << magnitude) - 1};
}

std::vector<Dimension> position_dimensions() {
  using plugin::kAngles;
  return {
      dimension(
          kMagnitude, kAngles, By::kCall,
          [](const Offer& offer, int c) {
            return offer.takes({.largest_position = static_cast<double>(
                                    magnitude_range(c).low)});
          },
          read_magnitude, draw_magnitude),
      dimension(kOrder, kAngles, By::kCall, nullptr, read_order, draw_order),
      dimension(
          kNumbers, kAngles, By::kModel,
          [](const Offer& offer, bool c) {
            return offer.takes({.has_real_positions = c});
          },
          [](const ropeproof_problem& p) {
            return p.real_positions != nullptr;
          },
          draw_numbers),
      dimension(
          kSign, kAngles, By::kModel,
          [](const Offer& offer, bool c) {
            return offer.takes({.has_negative_positions = c});
          },
          read_sign, draw_sign)};
}

}  // namespace ropeproof::conformance::cover
