#include "reference/encodings/encoding.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/refuse.h"

namespace ropeproof::reference::encodings {
namespace {

constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 24;
constexpr std::int64_t kMaxBuckets = 1024;

void check_dim(std::int64_t dim) { check_range("dim", dim, 1, kMaxHeadDim); }

void check_even_dim(std::int64_t dim) {
  check_dim(dim);
  if (dim % 2 != 0) {
    refuse("dim", std::to_string(dim), "an even number: channels pair up");
  }
}

void check_base(double base) {
  if (!is_finite(base) || !(base > 0)) {
    refuse("base", shortest(base), "a finite number > 0");
  }
}

// `rows` rows of `row` finite numbers.
void check_numbers(const std::string& what, const std::vector<double>& numbers,
                   std::int64_t rows, std::int64_t row) {
  if (std::ssize(numbers) != rows * row) {
    refuse(what, std::to_string(numbers.size()) + " numbers",
           std::to_string(rows) + " rows of " + std::to_string(row));
  }
  for (const double x : numbers) {
    if (!is_finite(x)) refuse(what, shortest(x), "finite numbers");
  }
}

// The number of rows of a table; there is one at least.
std::int64_t rows_of(const std::vector<double>& table, std::int64_t dim) {
  const std::int64_t rows = std::ssize(table) / dim;
  check_numbers("table", table, rows == 0 ? 1 : rows, dim);
  return rows;
}

void check_positions(Positions positions, std::int64_t low, std::int64_t high,
                     const std::string& why) {
  for (const std::int64_t p : positions) {
    if (p >= low && p <= high) continue;
    refuse("position", std::to_string(p),
           std::to_string(low) + " .. " + std::to_string(high) + why);
  }
}

void check(const Integer& e, Positions positions) {
  check_dim(e.dim);
  check_positions(positions, 0, kMaxPosition, "");
}

void check(const Normalised& e, Positions positions) {
  check_dim(e.dim);
  check_range("length", e.length, 1, kMaxPosition);
  check_positions(positions, 0, e.length, ", the length");
}

void check(const Binary& e, Positions positions) {
  check_dim(e.dim);
  const std::int64_t last =
      e.dim < 53 ? (std::int64_t{1} << e.dim) - 1 : kMaxPosition;
  check_positions(positions, 0, last,
                  ", what " + std::to_string(e.dim) + " bits can count");
}

void check(const Sine& e, Positions) {
  check_dim(e.dim);
  check_base(e.base);
}

void check(const Sinusoidal& e, Positions) {
  check_even_dim(e.dim);
  check_base(e.base);
  check_range("channels", e.channels, 0, e.dim);
}

void check(const Shift& e, Positions) {
  check_even_dim(e.dim);
  check_range("dim", e.dim, 2, 1 << 10);
  check_base(e.base);
}

void check(const Decay& e, Positions) {
  check_even_dim(e.dim);
  check_base(e.base);
}

void check(const Learned& e, Positions positions) {
  check_dim(e.dim);
  const std::int64_t rows = rows_of(e.table, e.dim);
  check_positions(positions, 0, rows - 1,
                  ": the table has " + std::to_string(rows) +
                      " rows, and none is learned beyond");
}

void check(const Relative& e, Positions positions) {
  check_dim(e.dim);
  const std::int64_t rows = rows_of(e.table, e.dim);
  if (rows % 2 != 0) {
    refuse("table", std::to_string(rows) + " rows", "an even number, 2 L");
  }
  if (positions.empty()) return;
  const auto [first, last] =
      std::minmax_element(positions.begin(), positions.end());
  check_range("distance p_j - p_i", *last - *first, -(rows / 2), rows / 2 - 1);
}

void check(const TransformerXl& e, Positions positions) {
  check_even_dim(e.dim);
  check_range("head_dim", e.head_dim, 1, kMaxHeadDim);
  check_base(e.base);
  check_numbers("x", e.x, std::ssize(positions), e.dim);
  check_numbers("w_q", e.w_q, e.dim, e.head_dim);
  check_numbers("w_ke", e.w_ke, e.dim, e.head_dim);
  check_numbers("w_kr", e.w_kr, e.dim, e.head_dim);
  check_numbers("u", e.u, 1, e.head_dim);
  check_numbers("v", e.v, 1, e.head_dim);
}

void check(const T5& e, Positions) {
  check_range("buckets", e.buckets, e.is_causal ? 2 : 4, kMaxBuckets);
  if (!e.is_causal && e.buckets % 2 != 0) {
    refuse("buckets", std::to_string(e.buckets),
           "an even number: half of them for each direction");
  }
  const std::int64_t exact = (e.is_causal ? e.buckets : e.buckets / 2) / 2;
  check_range("max_distance", e.max_distance, exact + 1, kMaxPosition);
  check_range("heads", e.heads, 0, kMaxHeadDim);
  if (e.heads != 0 || !e.table.empty()) {
    check_numbers("table", e.table, e.buckets, e.heads);
  }
}

void check(const Alibi& e, Positions) {
  check_range("heads", e.heads, 1, kMaxHeadDim);
}

}  // namespace

void validate(const Encoding& encoding, Positions positions) {
  check_positions(positions, -kMaxPosition, kMaxPosition, "");
  std::visit([&](const auto& e) { check(e, positions); }, encoding);
  std::int64_t numbers = 1;
  for (const std::int64_t size : shape(encoding, positions)) {
    if (size != 0 && numbers > kMaxNumbers / size) {
      throw std::invalid_argument("these are more than " +
                                  std::to_string(kMaxNumbers) +
                                  " numbers; ask for fewer positions");
    }
    numbers *= size;
  }
}

std::vector<std::int64_t> shape(const Encoding& encoding, Positions positions) {
  const std::int64_t n = std::ssize(positions);
  return std::visit(
      [&]<class E>(const E& e) -> std::vector<std::int64_t> {
        if constexpr (std::is_same_v<E, Shift>) return {n, e.dim, e.dim};
        if constexpr (kIsRelative<E>) return {n, n, width(e)};
        return {n, width(e)};
      },
      encoding);
}

}  // namespace ropeproof::reference::encodings
