#include "reference/encodings/properties.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>

#include "reference/encodings/encoding.h"

namespace ropeproof::reference::encodings {
namespace {

constexpr std::int64_t kLength = 32, kDim = 8, kBits = 5;

using Row = std::vector<double>;
using Rows = std::vector<Row>;
// The encoding for sequences up to `length`, trained from a seed.
using Make = std::function<Encoding(std::int64_t length, std::uint64_t seed)>;

std::vector<std::int64_t> counting(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

// A row of values for each position, or each pair of them where relative.
Rows rows_of(const Encoding& encoding,
             const std::vector<std::int64_t>& positions) {
  const std::int64_t width =
      std::visit([](const auto& e) { return encodings::width(e); }, encoding);
  Rows rows;
  std::int64_t i = 0;
  for (const Golden& golden : golden_encoding(
           best_oracle(), encoding, positions, Rounding::kNearestEven)) {
    if (i++ % width == 0) rows.emplace_back();
    rows.back().push_back(std::bit_cast<double>(golden.bits));
  }
  return rows;
}

bool takes(const Encoding& encoding,
           const std::vector<std::int64_t>& positions) {
  try {
    validate(encoding, positions);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

bool are_distinct(const Rows& rows) {
  return std::set<Row>(rows.begin(), rows.end()).size() == rows.size();
}

// By elimination with full pivoting. What is left of dependent rows is
// rounding, some 1e-13; the least pivot of independent ones here is 1e-5.
std::size_t rank_of(Rows rows) {
  constexpr double kNothing = 1e-9;
  std::size_t rank = 0;
  for (; rank < rows.size(); ++rank) {
    std::size_t row = rank, column = 0;
    double most = 0;
    for (std::size_t i = rank; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        if (std::abs(rows[i][j]) <= most) continue;
        most = std::abs(rows[i][j]);
        row = i, column = j;
      }
    }
    if (most < kNothing) break;
    std::swap(rows[rank], rows[row]);
    for (std::size_t i = rank + 1; i < rows.size(); ++i) {
      const double factor = rows[i][column] / rows[rank][column];
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        rows[i][j] -= factor * rows[rank][j];
      }
      rows[i][column] = 0;
    }
  }
  return rank;
}

// Whether after[s] = W before[s] for all samples s and one W: then the channels
// of `after`, as functions of s, are sums of those of `before`.
ShiftMap map_of(const Rows& before, const Rows& after) {
  Rows a(before[0].size()), both;
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (const Row& row : before) a[c].push_back(row[c]);
  }
  both = a;
  for (std::size_t c = 0; c < after[0].size(); ++c) {
    both.emplace_back();
    for (const Row& row : after) both.back().push_back(row[c]);
  }
  if (rank_of(a) == rank_of(both)) return ShiftMap::kLinear;
  const Row ones(before.size(), 1.0);
  a.push_back(ones);
  both.push_back(ones);
  return rank_of(a) == rank_of(both) ? ShiftMap::kAffine : ShiftMap::kNone;
}

ShiftMap worse(ShiftMap a, ShiftMap b) { return std::max(a, b); }

// Shifts by 1 and by 5 of 24 positions: more than twice the channels.
ShiftMap shift_of(const Encoding& encoding) {
  const Rows before = rows_of(encoding, counting(1, 24));
  return worse(map_of(before, rows_of(encoding, counting(2, 24))),
               map_of(before, rows_of(encoding, counting(6, 24))));
}

// (PE(x), PE(y)) on a grid.
Rows grid_of(const Encoding& encoding, std::int64_t x, std::int64_t y) {
  const Rows xs = rows_of(encoding, counting(x, 10));
  const Rows ys = rows_of(encoding, counting(y, 10));
  Rows grid;
  for (const Row& a : xs) {
    for (const Row& b : ys) {
      grid.push_back(a);
      grid.back().insert(grid.back().end(), b.begin(), b.end());
    }
  }
  return grid;
}

bool has_axes(const Encoding& encoding) {
  const Rows before = grid_of(encoding, 1, 1);
  return are_distinct(before) &&
         map_of(before, grid_of(encoding, 3, 6)) == ShiftMap::kLinear;
}

// Between -0.5 and 0.5, of no pattern.
std::vector<double> trained(std::int64_t size, std::uint64_t seed) {
  std::vector<double> numbers;
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    numbers.push_back(static_cast<double>(state >> 44) * 0x1p-20 - 0.5);
  }
  return numbers;
}

// (q + PE(m)) (k + PE(n)), and the same for both positions 7 further on.
bool is_relative_added(const Encoding& encoding) {
  const auto q = trained(kDim, 11), k = trained(kDim, 12);
  const Rows pe = rows_of(encoding, counting(0, 20));
  const auto score = [&](std::size_t m, std::size_t n) {
    double sum = 0;
    for (std::size_t c = 0; c < pe[m].size(); ++c) {
      sum += (q[c] + pe[m][c]) * (k[c] + pe[n][c]);
    }
    return sum;
  };
  return std::abs(score(3, 8) - score(10, 15)) < 1e-9;
}

// R(m)^T R(n) k by the rows of both matrices.
bool is_relative_rotated(const Encoding& matrices) {
  const Rows r = rows_of(matrices, {3, 8, 10, 15});
  const auto q = trained(kDim, 11), k = trained(kDim, 12);
  const auto score = [&](const Row& m, const Row& n) {
    double sum = 0;
    for (std::size_t row = 0; row < kDim; ++row) {
      double a = 0, b = 0;
      for (std::size_t c = 0; c < kDim; ++c) {
        a += m[row * kDim + c] * q[c];
        b += n[row * kDim + c] * k[c];
      }
      sum += a * b;
    }
    return sum;
  };
  return std::abs(score(r[0], r[1]) - score(r[2], r[3])) < 1e-9;
}

std::int64_t trained_numbers(const Encoding& encoding) {
  return std::visit(
      [](const auto& e) {
        std::int64_t count = 0;
        if constexpr (requires { e.table; }) count = std::ssize(e.table);
        if constexpr (requires { e.w_kr; }) {
          count = std::ssize(e.w_kr) + std::ssize(e.u) + std::ssize(e.v);
        }
        return count;
      },
      encoding);
}

// What is asked of all alike.
Properties common(std::string_view name, const Make& make,
                  std::int64_t longest) {
  Properties result{.name = name};
  const auto first = counting(0, kLength);
  const Rows rows = rows_of(make(kLength, 1), first);
  result.extends = takes(make(2 * kLength, 1), counting(0, longest));
  result.is_same_at_any_length = rows == rows_of(make(2 * kLength, 1), first);
  result.has_fixed_rule = rows == rows_of(make(kLength, 2), first);
  result.trained = trained_numbers(make(kLength, 1));
  const Rows all = result.extends
                       ? rows_of(make(2 * kLength, 1), counting(0, longest))
                       : rows;
  result.is_bounded = std::all_of(all.begin(), all.end(), [](const Row& row) {
    return std::all_of(row.begin(), row.end(),
                       [](double x) { return std::abs(x) <= 1; });
  });
  return result;
}

Properties absolute(std::string_view name, const Make& make) {
  Properties result = common(name, make, 2 * kLength);
  const Encoding encoding = make(kLength, 1);
  result.is_unique = are_distinct(rows_of(encoding, counting(0, kLength)));
  result.shift = shift_of(encoding);
  result.has_axes = has_axes(encoding);
  result.is_relative = name == "rope" ? is_relative_rotated(encoding)
                                      : is_relative_added(encoding);
  return result;
}

Properties relative(std::string_view name, const Make& make) {
  Properties result = common(name, make, 2 * kLength);
  const Encoding encoding = make(kLength, 1);
  const Rows near = rows_of(encoding, counting(0, kLength));
  // The last query, and each key.
  result.is_unique = are_distinct(
      {near.end() - static_cast<std::ptrdiff_t>(kLength), near.end()});
  result.is_relative = near == rows_of(encoding, counting(1000, kLength));
  return result;
}

}  // namespace

std::vector<Properties> all_properties() {
  const auto fixed = [](const Encoding& encoding) {
    return [=](std::int64_t, std::uint64_t) { return encoding; };
  };
  return {absolute("integer", fixed(Integer{kDim})),
          absolute("normalised",
                   [](std::int64_t length, std::uint64_t) {
                     return Normalised{kDim, length};
                   }),
          absolute("binary", fixed(Binary{kBits})),
          absolute("sine", fixed(Sine{kDim})),
          absolute("sinusoidal", fixed(Sinusoidal{kDim})),
          absolute("learned",
                   [](std::int64_t, std::uint64_t seed) {
                     return Learned{kDim, trained(kLength * kDim, seed)};
                   }),
          relative("relative",
                   [](std::int64_t, std::uint64_t seed) {
                     return Relative{1, trained(2 * kLength, seed)};
                   }),
          relative("t5",
                   [](std::int64_t, std::uint64_t seed) {
                     return T5{.heads = 1, .table = trained(32, seed)};
                   }),
          relative("alibi", fixed(Alibi{4})),
          absolute("rope", fixed(Shift{kDim}))};
}

}  // namespace ropeproof::reference::encodings
