#include "conformance/call/cache.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "reference/rope.h"

namespace ropeproof::conformance::call {
namespace {

using reference::at;

constexpr std::int64_t kUnusedRows = 3;

// Some kernels have a table of so many rows, and clamp what lies behind it.
constexpr std::int64_t kShortTable = 4096;

// Whether the positions of a problem want a longer table, and one is small.
bool is_far(const cases::Problem& problem) {
  constexpr std::int64_t kFewPairs = 8;
  return problem.pairs() <= kFewPairs &&
         std::ranges::any_of(problem.positions,
                             [](double p) { return p >= kShortTable; });
}

// Where tokens find their rows, numbered as they come.
enum class RowOrder {
  kScattered,  // the first uses the last row
  kBackwards,
  kInOrder,
  kAll  // backwards, and no row is left over: there may be one alone
};
constexpr std::size_t kKinds = 4;

cases::Bits row_of(const cases::Bits& goldens, std::int64_t token,
                   std::int64_t pairs, reference::Format table) {
  const auto first = goldens.begin() + token * pairs;
  return cases::rounded_to(table, {first, first + pairs});
}

// Where the cosine of pair j lies in a row, and where it lies again.
reference::Pair places(const cases::Problem& problem, std::uint32_t layout,
                       std::int64_t j) {
  if (layout != ROPEPROOF_CACHE_DOUBLED) return {j, j};
  reference::Spec window = problem.spec;
  window.layout.head_dim = problem.spec.layout.rotary_dim;
  window.layout.rotary_offset = window.layout.pair_distance = 0;
  return reference::target_pair(window, j);
}

// A rotation like any other in each row, but no token's, and no other row's.
// `width`: of its cosines, and of its sines, which lie behind them where
// `have_both`.
void fill_rows(Cache& cache, reference::Format table, std::int64_t width,
               bool have_both) {
  for (std::int64_t row = 0; row < cache.rows; ++row) {
    const double t =
        0.5 + 0.25 * static_cast<double>(row) / static_cast<double>(cache.rows);
    const auto add = [&](cases::Bits& part, double value) {
      part.insert(part.end(), static_cast<std::size_t>(width),
                  encode(table, value / (1 + t * t)));
    };
    add(cache.cos, 1 - t * t);
    add(have_both ? cache.cos : cache.sin, 2 * t);
  }
}

}  // namespace

Cache cache_of(const cases::Problem& problem, const cases::Golden& golden,
               reference::Format table, std::uint32_t layout,
               std::size_t salt) {
  Cache cache;
  std::map<std::pair<cases::Bits, cases::Bits>, std::int64_t> numbers;
  for (std::int64_t t = 0; t < problem.tokens(); ++t) {
    const auto next = std::ssize(numbers);
    const auto [found, is_new] =
        numbers.try_emplace({row_of(golden.cos, t, problem.pairs(), table),
                             row_of(golden.sin, t, problem.pairs(), table)},
                            next);
    cache.ids.push_back(static_cast<std::uint64_t>(found->second));
  }
  const bool has_far = is_far(problem);
  const auto kind =
      has_far ? RowOrder::kBackwards : static_cast<RowOrder>(salt % kKinds);
  const std::int64_t used = std::ssize(numbers);
  cache.rows = used + (kind == RowOrder::kAll ? 0 : kUnusedRows) +
               (has_far ? kShortTable : 0);
  cache.rows = std::max<std::int64_t>(cache.rows, 1);
  std::int64_t step = kind == RowOrder::kScattered ? 2 : 1;
  while (std::gcd(step, cache.rows) != 1) ++step;
  const auto row_number = [&](std::int64_t number) {
    return kind == RowOrder::kInOrder
               ? number
               : cache.rows - 1 - number * step % cache.rows;
  };
  cache.unused_id =
      static_cast<std::uint64_t>(row_number(std::min(used, cache.rows - 1)));
  for (std::uint64_t& id : cache.ids) {
    id = static_cast<std::uint64_t>(row_number(static_cast<std::int64_t>(id)));
  }

  const bool is_one = layout == ROPEPROOF_CACHE_SIDE_BY_SIDE;
  cache.row_length = layout == ROPEPROOF_CACHE_SPLIT
                         ? problem.pairs()
                         : problem.spec.layout.rotary_dim;
  fill_rows(cache, table, is_one ? problem.pairs() : cache.row_length, is_one);
  std::vector<reference::Pair> placed;
  for (std::int64_t j = 0; j < problem.pairs(); ++j) {
    placed.push_back(places(problem, layout, j));
  }
  for (const auto& [row, number] : numbers) {
    const std::int64_t first = row_number(number) * cache.row_length;
    for (std::int64_t j = 0; j < problem.pairs(); ++j) {
      const auto [u, v] = at(placed, j);
      at(cache.cos, first + u) = at(cache.cos, first + v) = at(row.first, j);
      if (is_one) {
        at(cache.cos, first + problem.pairs() + j) = at(row.second, j);
      } else {
        at(cache.sin, first + u) = at(cache.sin, first + v) = at(row.second, j);
      }
    }
  }
  return cache;
}

cases::Golden numbered_tables(const cases::Problem& p) {
  cases::Golden golden;
  if (p.task == cases::Task::kPermute) return golden;  // it has no tables
  golden.amplitude = p.spec.frequencies.amplitude;
  for (const cases::GoldenTensor& tensor : cases::golden_tensors(p)) {
    const bool is_output =
        tensor.hi == &cases::Golden::q || tensor.hi == &cases::Golden::k;
    if (tensor.is_present && !is_output) {
      (golden.*tensor.bits)
          .assign(static_cast<std::size_t>(tensor.rows * tensor.row), 0);
    }
  }
  std::map<std::vector<double>, std::size_t> numbers;
  for (std::int64_t t = 0; t < p.tokens() && !golden.cos.empty(); ++t) {
    std::vector<double> positions;
    for (std::int64_t axis = 0; axis < p.spec.axes.count; ++axis) {
      positions.push_back(p.position(axis, t));
    }
    const std::size_t number =
        numbers.try_emplace(positions, numbers.size()).first->second;
    const auto first = static_cast<std::size_t>(t * p.pairs());
    // Two digits, each exact in every table type.
    golden.cos[first] = std::bit_cast<std::uint64_t>(double(number % 256));
    golden.sin[first] = std::bit_cast<std::uint64_t>(double(number / 256));
  }
  return golden;
}

}  // namespace ropeproof::conformance::call
