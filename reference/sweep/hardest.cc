#include "reference/sweep/hardest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <tuple>

#include "reference/parallel_for.h"
#include "reference/spec.h"
#include "reference/sweep/arithmetic.h"
#include "reference/sweep/rows.h"

namespace ropeproof::reference::sweep {
namespace {

constexpr std::array kFormats{Format::kF64, Format::kF32, Format::kF16,
                              Format::kBF16};
constexpr std::int64_t kBlock = 256;  // positions that share a generator

// cos and sin of one RoPE at very many positions that lie anywhere. The oracle
// gives e^(i d 256^l theta_j) for every digit d and level l, and the rotation
// of a position is the product of those of its digits, with no reduction.
//
// Errors are lengths of vectors (c, s). An entry's component y, |y| <= 1, is hi
// = RN(y), lo = RN(y - hi), off by 2^-108 at most; four of them and three
// products are within 4 sqrt(2) 2^-108 + 3 kCosSinProductError < 2^-100.8.
class DigitTable {
 public:
  // For positions 1 .. limit - 1. Cost: 7 us for each pair, digit and level.
  DigitTable(Oracle oracle, double base, std::int64_t rotary_dim,
             std::int64_t limit)
      : pairs_(rotary_dim / 2) {
    const Spec spec{leading(rotary_dim, rotary_dim, Pairing::kInterleaved),
                    {base}};
    std::vector<double> positions;
    for (std::int64_t step = 1; step < limit; step *= kDigits) {
      for (std::int64_t d = 0; d < kDigits; ++d) {
        positions.push_back(static_cast<double>(d * step));
      }
    }
    const auto sum = [](const WideGolden& y) {
      return DoubleDouble{std::bit_cast<double>(y.hi),
                          std::bit_cast<double>(y.lo)};
    };
    for (const WideCosSin& entry :
         Goldens(oracle, spec, positions).wide_table()) {
      entries_.push_back({sum(entry.cos), sum(entry.sin)});
    }
  }

  // The rotation of all pairs. Some 10 ns for each pair and level.
  std::vector<CosSin> cos_sin(std::int64_t position) const {
    std::vector<CosSin> row;
    for (std::int64_t level = 0; position != 0; ++level, position /= kDigits) {
      const std::int64_t digit = position % kDigits;
      if (digit == 0) continue;
      const auto entries =
          entries_.begin() + (level * kDigits + digit) * pairs_;
      if (row.empty()) {
        row.assign(entries, entries + pairs_);
      } else {
        multiply_row(row, &*entries);
      }
    }
    return row;
  }

 private:
  static constexpr std::int64_t kDigits = 256;
  std::int64_t pairs_;
  std::vector<CosSin> entries_;  // [level, digit, pair]
};

// A total order, so that the closest few do not depend on who found them first.
bool is_closer(const HardCase& a, const HardCase& b) {
  const auto key = [](const HardCase& c) {
    return std::tuple(c.distance, c.base, c.rotary_dim, c.pair, c.position,
                      c.x_u, c.x_v);
  };
  return key(a) < key(b);
}

// Bases have angles in common: 1e4^(-84/128) = 1e6^(-56/128). The distances
// found for one differ by errors of the fast path, 2^-48 ulp of binary64.
bool is_same_value(const HardCase& a, const HardCase& b) {
  return a.position == b.position &&
         std::abs(a.distance - b.distance) < 0x1p-44;
}

// The closest few of one format and kind.
class Closest {
 public:
  explicit Closest(std::size_t count) : count_(count) {}

  bool wants(double distance) const {
    return cases_.size() < count_ || distance <= cases_.back().distance;
  }
  void add(const HardCase& found) {
    const auto twin = std::ranges::find_if(
        cases_, [&](const HardCase& c) { return is_same_value(c, found); });
    if (twin != cases_.end()) {
      if (!is_closer(found, *twin)) return;
      cases_.erase(twin);
    }
    const auto at = std::ranges::lower_bound(cases_, found, is_closer);
    cases_.insert(at, found);
    if (cases_.size() > count_) cases_.pop_back();
  }
  void add(const Closest& other) {
    for (const HardCase& found : other.cases_) add(found);
  }
  const std::vector<HardCase>& cases() const { return cases_; }

 private:
  std::size_t count_;
  std::vector<HardCase> cases_;  // closest first
};

// By format and kind.
class Found {
 public:
  explicit Found(const HardSearch& search) {
    for (std::size_t i = 0; i < kFormats.size(); ++i) {
      lists_.insert(lists_.end(), 2, Closest(search.cos_sin_kept));
      lists_.emplace_back(search.rotated_kept);
    }
  }
  void consider(std::size_t format, Hard what, DoubleDouble y,
                const HardCase& where) {
    const double distance = boundary_distance(kFormats[format], y);
    Closest& list = lists_[3 * format + static_cast<std::size_t>(what)];
    if (!list.wants(distance)) return;
    HardCase found = where;
    found.format = kFormats[format];
    found.what = what;
    found.distance = distance;
    list.add(found);
  }
  void add(const Found& other) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      lists_[i].add(other.lists_[i]);
    }
  }
  std::vector<HardCase> all() const {
    std::vector<HardCase> result;
    for (const Closest& list : lists_) {
      result.insert(result.end(), list.cases().begin(), list.cases().end());
    }
    return result;
  }

 private:
  std::vector<Closest> lists_;
};

class Searcher {
 public:
  Searcher(const HardSearch& search, const DigitTable& table, double base,
           std::int64_t rotary_dim)
      : search_(search), table_(table), base_(base), rotary_dim_(rotary_dim) {}

  // Block b: kBlock positions of the dense ones, as many random ones, and its
  // part of the rotated ones.
  std::int64_t blocks() const {
    const std::int64_t most = std::max(search_.dense, search_.rotated);
    return (most + kBlock - 1) / kBlock;
  }

  Found search_block(std::int64_t block) const {
    require_arithmetic();
    Found found(search_);
    std::mt19937_64 engine(search_.seed + static_cast<std::uint64_t>(block));
    const auto below = [&](std::int64_t limit) {  // 1 .. limit - 1
      return 1 + static_cast<std::int64_t>(
                     engine() % static_cast<std::uint64_t>(limit - 1));
    };
    const std::int64_t begin = block * kBlock;
    for (std::int64_t p = begin; p < begin + kBlock; ++p) {
      if (p < search_.dense) {
        if (p > 0) consider_cos_sin(p, found);
        consider_cos_sin(below(search_.limit), found);
      }
      if (p < search_.rotated) {
        const std::int64_t limit = p % 2 == 0 ? search_.dense : search_.limit;
        consider_rotated(below(limit), engine, found);
      }
    }
    return found;
  }

 private:
  HardCase at(std::int64_t position, std::size_t pair) const {
    HardCase where;
    where.base = base_;
    where.rotary_dim = rotary_dim_;
    where.pair = static_cast<std::int64_t>(pair);
    where.position = position;
    return where;
  }

  void consider_cos_sin(std::int64_t position, Found& found) const {
    const std::vector<CosSin> row = table_.cos_sin(position);
    for (std::size_t j = 0; j < row.size(); ++j) {
      for (std::size_t f = 0; f < kFormats.size(); ++f) {
        found.consider(f, Hard::kCos, row[j].c, at(position, j));
        found.consider(f, Hard::kSin, row[j].s, at(position, j));
      }
    }
  }

  void consider_rotated(std::int64_t position, std::mt19937_64& engine,
                        Found& found) const {
    const std::vector<CosSin> row = table_.cos_sin(position);
    std::vector<double> x_u(row.size()), x_v(row.size());
    std::vector<DoubleDouble> y_u(row.size()), y_v(row.size());
    for (std::size_t f = 0; f < kFormats.size(); ++f) {
      // Numbers of the format, uniform in [-4, 4).
      const auto draw = [&](double& x) {
        const auto random = static_cast<std::int64_t>(engine());
        x = decode(kFormats[f],
                   encode(kFormats[f], static_cast<double>(random) * 0x1p-61));
      };
      std::ranges::for_each(x_u, draw);
      std::ranges::for_each(x_v, draw);
      rotate_row(row, x_u.data(), x_v.data(), y_u.data(), y_v.data());
      for (std::size_t j = 0; j < row.size(); ++j) {
        HardCase where = at(position, j);
        where.x_u = x_u[j];
        where.x_v = x_v[j];
        found.consider(f, Hard::kRotated, y_u[j], where);
      }
    }
  }

  const HardSearch& search_;
  const DigitTable& table_;
  double base_;
  std::int64_t rotary_dim_;
};

}  // namespace

// In ulps, y = whole + part + lo with 0 <= part < 1, exactly; boundaries are
// the numbers n + 1/2. |lo| <= 1/2, so one of the two around part is the
// nearest.
double boundary_distance(Format format, DoubleDouble y) {
  const FormatTraits f = traits(format);
  int exponent = 0;
  std::frexp(y.hi, &exponent);
  const int ulp = std::max(exponent - 1, f.min_exponent) - (f.precision - 1);
  const double sign = y.hi < 0 ? -1 : 1;
  const double hi = std::ldexp(sign * y.hi, -ulp);
  const double lo = std::ldexp(sign * y.lo, -ulp);
  const double part = hi - std::floor(hi);
  return std::min(std::abs((part - 0.5) + lo), std::abs((part + 0.5) + lo));
}

std::vector<HardCase> find_hardest(Oracle oracle, const HardSearch& search) {
  Found found(search);
  for (const double base : search.bases) {
    for (const std::int64_t d : search.rotary_dims) {
      const DigitTable table(oracle, base, d,
                             std::max(search.dense, search.limit));
      const Searcher searcher(search, table, base, d);
      parallel_for(searcher.blocks(), [&](std::int64_t block) {
        const Found here = searcher.search_block(block);
#pragma omp critical(ropeproof_reference_hardest)
        found.add(here);
      });
    }
  }
  return found.all();
}

}  // namespace ropeproof::reference::sweep
