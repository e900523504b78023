// relative.h -- encodings of the distance of a query at p_i from a key at p_j.
//
// `Real` as in rope.h. element(e, p, i, j, c) is number c, of width(e), of what
// belongs to query i and key j, tokens at the positions `p`.
//
// [Da19] Z. Dai et al., "Transformer-XL", arXiv:1901.02860, section 3.3. [Ra20]
// C. Raffel et al., "Exploring the Limits of Transfer Learning with a Unified
//        Text-to-Text Transformer", arXiv:1910.10683, section 2.1.
// [Pr22] O. Press, N. A. Smith, M. Lewis, "Train Short, Test Long",
// arXiv:2108.12409.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/encodings/absolute.h"

namespace ropeproof::reference::encodings {

// The bias b(i - j) of a score with dim = 1, an embedding R(i - j) that is
// added to the key with more: row (p_j - p_i) + L of a table of 2 L rows, so
// that -L <= p_j - p_i < L.
struct Relative {
  std::int64_t dim = 0;
  std::vector<double> table = {};  // [2 L, dim]
};

// The score of Transformer-XL [Da19], without 1/sqrt(head_dim), in its four
// terms and, as number 4, their sum:
//     (x_i W_q) (x_j W_kE)^T      (x_i W_q) (R W_kR)^T
//         u     (x_j W_kE)^T          v     (R W_kR)^T
// R being the sinusoidal encoding of p_i - p_j.
struct TransformerXl {
  std::int64_t dim = 0;  // even
  std::int64_t head_dim = 0;
  double base = 10000;
  std::vector<double> x = {};                          // [tokens, dim]
  std::vector<double> w_q = {}, w_ke = {}, w_kr = {};  // [dim, head_dim]
  std::vector<double> u = {}, v = {};                  // [head_dim]
};

// A bias per bucket of the distance [Ra20], one for each head; without a table,
// the number of the bucket.
struct T5 {
  std::int64_t buckets = 32;
  std::int64_t max_distance = 128;
  bool is_causal = false;          // else half of the buckets are for p_j > p_i
  std::int64_t heads = 0;          // 0: no table
  std::vector<double> table = {};  // [buckets, heads]
};

// -m_h |p_i - p_j| [Pr22].
struct Alibi {
  std::int64_t heads = 0;
};

// The bucket of a key's distance p_j - p_i. Among n buckets (half of them if
// not causal), e = floor(n/2) hold one distance each; the distance r >= e of
// the others is in bucket e + t, t the largest below n - e with
//     (n - e) ln(r/e) >= t ln(D/e),    that is    r^(n-e) e^t >= D^t e^(n-e),
// D being max_distance. Compared in integers, since bounds can be integers: 5
// causal buckets up to 686 begin at 0, 1, 2, 14 and 98, and logarithms in
// binary32 put 14 and 98 one bucket too low. Causal: a key ahead of its query
// is in bucket 0.
std::int64_t t5_bucket(const T5& e, std::int64_t distance);

inline std::int64_t width(const Relative& e) { return e.dim; }
inline std::int64_t width(const TransformerXl&) { return 5; }
inline std::int64_t width(const T5& e) { return e.heads == 0 ? 1 : e.heads; }
inline std::int64_t width(const Alibi& e) { return e.heads; }

using Positions = std::span<const std::int64_t>;

template <class Real>
Real element(const Relative& e, Positions p, std::int64_t i, std::int64_t j,
             std::int64_t c) {
  const std::int64_t half = std::ssize(e.table) / e.dim / 2;
  return Real(at(e.table, (at(p, j) - at(p, i) + half) * e.dim + c));
}

template <class Real>
Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum(0);
  for (std::size_t k = 0; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

// The row vector x W, W being [x.size(), columns].
template <class Real>
std::vector<Real> project(const std::vector<Real>& x,
                          const std::vector<double>& w, std::int64_t columns) {
  std::vector<Real> y(static_cast<std::size_t>(columns), Real(0));
  for (std::int64_t row = 0; row < std::ssize(x); ++row) {
    for (std::int64_t k = 0; k < columns; ++k) {
      at(y, k) = at(y, k) + at(x, row) * Real(at(w, row * columns + k));
    }
  }
  return y;
}

template <class Real>
std::vector<Real> exactly(std::span<const double> values) {
  std::vector<Real> result;
  for (const double value : values) result.push_back(Real(value));
  return result;
}

template <class Real>
Real element(const TransformerXl& e, Positions p, std::int64_t i,
             std::int64_t j, std::int64_t c) {
  const auto projected = [&](std::int64_t token, const auto& w) {
    const auto row =
        std::span(e.x).subspan(static_cast<std::size_t>(token * e.dim),
                               static_cast<std::size_t>(e.dim));
    return project(exactly<Real>(row), w, e.head_dim);
  };
  if (c == 4) {
    Real sum(0);
    for (std::int64_t term = 0; term < 4; ++term) {
      sum = sum + element<Real>(e, p, i, j, term);
    }
    return sum;
  }
  // Terms 0 and 1 begin with the query, 2 and 3 with a vector of all queries.
  const auto left = c < 2    ? projected(i, e.w_q)
                    : c == 2 ? exactly<Real>(e.u)
                             : exactly<Real>(e.v);
  if (c % 2 == 0) return dot(left, projected(j, e.w_ke));
  std::vector<Real> r;
  for (std::int64_t k = 0; k < e.dim; ++k) {
    r.push_back(
        element<Real>(Sinusoidal{e.dim, e.base}, at(p, i) - at(p, j), k));
  }
  return dot(left, project(r, e.w_kr, e.head_dim));
}

template <class Real>
Real element(const T5& e, Positions p, std::int64_t i, std::int64_t j,
             std::int64_t c) {
  const std::int64_t bucket = t5_bucket(e, at(p, j) - at(p, i));
  return e.heads == 0 ? Real(bucket) : Real(at(e.table, bucket * e.heads + c));
}

// m_h = 2^(-8h/n), h = 1 .. n, for n heads, a power of two. For others the
// slopes of the power of two below, n', and then every other one of 2n', from
// the first on.
template <class Real>
Real alibi_slope(std::int64_t heads, std::int64_t h) {
  const auto n = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(heads)));
  const std::int64_t exponent = h <= n ? 8 * h : 4 * (2 * (h - n) - 1);
  const Real fraction =
      exponent % n == 0 ? Real(1) : frequency<Real>(2, exponent % n, n);
  return ldexp(fraction, -static_cast<int>(exponent / n));
}

template <class Real>
Real element(const Alibi& e, Positions p, std::int64_t i, std::int64_t j,
             std::int64_t c) {
  const std::int64_t distance = at(p, i) - at(p, j);
  return alibi_slope<Real>(e.heads, c + 1) *
         Real(distance < 0 ? distance : -distance);
}

}  // namespace ropeproof::reference::encodings
