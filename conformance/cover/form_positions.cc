// Positions of a magnitude, in an order.
#include "conformance/cover/form_positions.h"

#include <algorithm>
#include <cmath>

#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;

// The powers of two that bound a class of magnitudes.
struct Bounds {
  std::int64_t least = 0, most = 0;
};

Bounds bounds_of(int magnitude) {
  std::int64_t least = 0;
  for (const auto& [power, word] : kMagnitudeClasses) {
    if (power == magnitude) break;
    least = std::int64_t{1} << power;
  }
  return {least, (std::int64_t{1} << magnitude) - 1};
}

// Powers where formats, and integers, end.
constexpr std::int64_t kEdges[] = {8, 11, 12, 16, 17, 20, 24, 31, 32};

// Half of them next to a power of two, where formats begin to lose odd numbers.
std::int64_t anywhere(Draw& draw, std::int64_t most) {
  if (draw.one_in(2)) return draw.between(0, most);
  std::int64_t power = std::int64_t{1} << draw.from(kEdges);
  while (power > most) power /= 2;
  return std::clamp<std::int64_t>(power + draw.between(-1, 1), 0, most);
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
                           : anywhere(draw, largest));
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

bool follows_length(ScalingClass scaling) {
  return plugin::follows_length(plugin::scaling_named(
      text::word(plugin::kScalingWords, scaling_of(scaling))));
}

}  // namespace

std::vector<double> form_positions(Draw& draw, const Question& q,
                                   std::int64_t axes, std::int64_t batch,
                                   std::int64_t seq,
                                   std::int64_t max_position) {
  const Bounds bounds = bounds_of(q.magnitude);
  std::int64_t largest = bounds.most;
  if (max_position > 0 && max_position <= bounds.most) {
    largest = max_position;
  } else if (draw.one_in(2)) {
    largest = draw.between(bounds.most - bounds.most / 3, bounds.most);
    largest = std::max(largest, std::min(seq - 1, bounds.most));
  }
  const bool are_alike = q.storage.rows == cases::RowSpacing::kShared;
  // Only one row of one axis reaches the largest position.
  const std::int64_t top_axis = draw.between(0, axes - 1);
  const std::int64_t top_row = are_alike ? 0 : draw.between(0, batch - 1);
  // Single tokens of some decoding are one behind the other.
  const bool is_regular =
      seq == 1 && !are_alike && largest >= batch && draw.one_in(3);
  const bool falls = draw.one_in(2);
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::vector<double> first;
    for (std::int64_t b = 0; b < batch; ++b) {
      const bool is_top = axis == top_axis && b == top_row;
      std::int64_t most = largest;
      if (is_regular) {
        most =
            largest - (axis == top_axis ? 0 : 1) - (falls ? b : batch - 1 - b);
      } else if (!is_top) {
        most = std::max<std::int64_t>(
            largest - draw.between(0, largest / 8 + 1), 0);
      }
      // That the first row ascends says nothing of the others.
      const bool is_other = b > 0 && q.order == OrderClass::kAscending &&
                            seq > 2 && draw.one_in(4);
      // Where something lies in its image counts from 0.
      const bool is_inside =
          axis > 0 && !is_top && largest >= seq && draw.one_in(3);
      const OrderClass order = is_inside  ? OrderClass::kFromZero
                               : is_other ? OrderClass::kShuffled
                                          : q.order;
      std::vector<double> row =
          are_alike && b > 0
              ? first
              : row_of(draw, order, seq, std::max<std::int64_t>(most, 0));
      if (b == 0) first = row;
      positions.insert(positions.end(), row.begin(), row.end());
    }
  }
  // Of rows that are alike the first decides.
  const auto row_begin = [&](std::int64_t axis, std::int64_t b) {
    return positions.begin() + (axis * batch + b) * seq;
  };
  std::vector<double*> free;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    for (std::int64_t b = 0; b < (are_alike ? 1 : batch); ++b) {
      for (std::int64_t t = 0; t < seq; ++t) {
        free.push_back(&*(row_begin(axis, b) + t));
      }
    }
  }
  if (q.has_real_positions) {
    for (double* p : free) {
      if (*p >= 1) *p -= 0x1p-10 + draw.real(0, 1 - 0x1p-9);
    }
  }
  if (q.has_mixed_signs) {
    mix_signs(draw, free, follows_length(q.scaling));
  }
  for (std::int64_t axis = 0; are_alike && axis < axes; ++axis) {
    for (std::int64_t b = 1; b < batch; ++b) {
      std::copy_n(row_begin(axis, 0), seq, row_begin(axis, b));
    }
  }
  return positions;
}

}  // namespace ropeproof::conformance::cover
