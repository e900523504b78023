// Positions of a magnitude, in an order.
#include "conformance/cover/form_positions.h"

#include <algorithm>
#include <cmath>

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

// Half of them next to a power of two, where formats begin to lose odd numbers.
std::int64_t anywhere(Draw& draw, std::int64_t most) {
  if (draw.one_in(2)) return draw.between(0, most);
  std::int64_t power = 1;
  while (power * 2 <= most && !draw.one_in(8)) power *= 2;
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
        add(t == middle    ? largest
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

// Half of the positions become negative, one at least; the largest does not, if it
// is to stay and not alone.
void mix_signs(Draw& draw, const std::vector<double*>& positions,
               bool keeps_top) {
  const double* const top = *std::ranges::max_element(
      positions, {}, [](const double* p) { return *p; });
  double* last = nullptr;
  bool has_negative = false;
  for (double* p : positions) {
    if (p == top && keeps_top && positions.size() > 1) continue;
    if (*p == 0) continue;
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
  switch (scaling) {
    case ScalingClass::kDynamicNtk:
    case ScalingClass::kDynamicNtkShort:
    case ScalingClass::kDynamicNtkTrained:
    case ScalingClass::kLongRope:
    case ScalingClass::kLongRopeShort:
      return true;
    default:
      return false;
  }
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
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::vector<double> first;
    for (std::int64_t b = 0; b < batch; ++b) {
      // Only one row of one axis reaches the largest position.
      const std::int64_t most =
          axis + b == 0 ? largest
                        : std::max<std::int64_t>(
                              largest - draw.between(0, largest / 8 + 1), 0);
      std::vector<double> row =
          are_alike && b > 0 ? first : row_of(draw, q.order, seq, most);
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
