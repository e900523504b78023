#include "conformance/assertion/given_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "reference/rope.h"
#include "reference/sweep/double_double.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::sweep::DoubleDouble;
using reference::sweep::exact_product;
using reference::sweep::exact_sum;

// a b + c d, exactly, as a sum that does not overlap (Shewchuk, "Adaptive
// precision floating-point arithmetic", 1997, Grow-Expansion), then from the
// largest part down: hi rounded to nearest, lo with the sign of the rest.
DoubleDouble exact_total(double a, double b, double c, double d) {
  const DoubleDouble p = exact_product(a, b), q = exact_product(c, d);
  std::array<double, 4> parts{};
  int count = 0;
  for (double term : {p.lo, q.lo, p.hi, q.hi}) {
    for (int i = 0; i < count; ++i) {
      const DoubleDouble s =
          exact_sum(term, parts[static_cast<std::size_t>(i)]);
      parts[static_cast<std::size_t>(i)] = s.lo;
      term = s.hi;
    }
    parts[static_cast<std::size_t>(count++)] = term;
  }
  DoubleDouble total{parts[3], 0};
  for (const std::size_t i : {2u, 1u, 0u}) {
    // What this addition loses is far below the sum that is left.
    total = exact_sum(total.hi, total.lo + parts[i]);
  }
  return total;
}

double to_odd(DoubleDouble y) {
  const bool is_odd = (std::bit_cast<std::uint64_t>(y.hi) & 1) != 0;
  if (y.lo == 0 || is_odd || !std::isfinite(y.hi)) return y.hi;
  return std::nextafter(y.hi, y.lo > 0 ? HUGE_VAL : -HUGE_VAL);
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// What must come out where no finite sum does.
std::uint64_t golden_bits(double y) {
  return std::isnan(y) ? cases::kMustBeNan : bits(y);
}

void rotate_tensor(const GivenTable& table, const cases::Problem& p,
                   std::int64_t heads, const cases::Bits& x, cases::Bits& y,
                   cases::Bits* y_lo) {
  const auto d = static_cast<std::size_t>(p.spec.layout.head_dim);
  y.resize(x.size());
  std::ranges::transform(x, y.begin(), [&](std::uint64_t given) {
    return bits(decode(p.dtype, given));
  });
  if (y_lo != nullptr) y_lo->assign(x.size(), 0);
  for (std::int64_t j = 0; j < table.pairs; ++j) {
    const reference::Pair from = reference::source_pair(p.spec, j);
    const reference::Pair to = reference::target_pair(p.spec, j);
    for (std::int64_t row = 0; row < p.tokens() * heads; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * d;
      const auto value = [&](std::int64_t t) {
        return decode(p.dtype, x[at + static_cast<std::size_t>(t)]);
      };
      const double u = value(from.u), v = value(from.v);
      const GivenTable::Factors f =
          table.factors(row / heads * table.pairs + j, p.spec.direction);
      const auto put = [&](std::int64_t t, double a, double b) {
        const std::size_t i = at + static_cast<std::size_t>(t);
        const double plain = u * a + v * b;
        const DoubleDouble sum = std::isfinite(plain) ? exact_total(u, a, v, b)
                                                      : DoubleDouble{plain, 0};
        y[i] = golden_bits(y_lo == nullptr ? to_odd(sum) : sum.hi);
        if (y_lo != nullptr) (*y_lo)[i] = bits(sum.lo);
      };
      put(to.u, f.uu, f.uv);
      put(to.v, f.vu, f.vv);
    }
  }
}

}  // namespace

cases::Golden golden_of(const GivenTable& table, const cases::Problem& p) {
  cases::Golden golden;
  golden.inv_freq_hi.assign(static_cast<std::size_t>(table.pairs), 0);
  golden.inv_freq_lo = golden.inv_freq_hi;
  const auto length = [](double c, double s) {
    return std::sqrt(c * c + s * s);
  };
  for (std::size_t i = 0; i < table.cos_u.size(); ++i) {
    golden.cos.push_back(bits(table.cos_u[i]));
    golden.sin.push_back(bits(table.sin_u[i]));
    golden.pair_amplitude.push_back(
        bits(std::max(length(table.cos_u[i], table.sin_u[i]),
                      length(table.cos_v[i], table.sin_v[i]))));
  }
  if (p.dtype == reference::Format::kF64) {
    golden.cos_lo.assign(golden.cos.size(), 0);
    golden.sin_lo = golden.cos_lo;
  }
  return golden;
}

void rotate(const GivenTable& table, const cases::Problem& p,
            cases::Golden& golden) {
  const bool is_wide = p.dtype == reference::Format::kF64;
  rotate_tensor(table, p, p.q_heads, p.q, golden.q,
                is_wide ? &golden.q_lo : nullptr);
  rotate_tensor(table, p, p.k_heads, p.k, golden.k,
                is_wide ? &golden.k_lo : nullptr);
}

}  // namespace ropeproof::conformance::assertion
