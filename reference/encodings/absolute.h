// absolute.h -- encodings that are added to a token: x'_p = x_p + PE(p).
//
// `Real` as in rope.h. element(e, p, c) is number c of what belongs to position
// p, width(e) how many there are.
//
// [Va17] A. Vaswani et al., "Attention Is All You Need", arXiv:1706.03762, 3.5.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::reference::encodings {

// PE(p) = p (1, ..., 1).
struct Integer {
  std::int64_t dim = 0;
};

// PE(p) = p/m (1, ..., 1), m being the length of the sequence.
struct Normalised {
  std::int64_t dim = 0;
  std::int64_t length = 0;  // m; 0 <= p <= m
};

// The digits of p in base 2, the most significant first; p < 2^dim.
struct Binary {
  std::int64_t dim = 0;
};

// PE(p, i) = sin(p base^(-i/dim)): no cosine, so no shift is linear.
struct Sine {
  std::int64_t dim = 0;
  double base = 10000;
};

// PE(p, 2i) = sin(p w_i), PE(p, 2i+1) = cos(p w_i), w_i = base^(-2i/dim)
// [Va17]: (R1)'s frequencies, and the table of a RoPE with the sine first.
struct Sinusoidal {
  std::int64_t dim = 0;  // even
  double base = 10000;
  std::int64_t channels = 0;  // the first so many are formed; 0: all
};

// W_p with PE(m + p) = W_p PE(m) for every m, of the sinusoidal encoding, [dim,
// dim] row by row. Its blocks are the adjoint of RoPE's rotation (R4):
//     [ cos p w_i  sin p w_i]
//     [-sin p w_i  cos p w_i]
struct Shift {
  std::int64_t dim = 0;  // even
  double base = 10000;
};

// A row of a table per position; none beyond the last.
struct Learned {
  std::int64_t dim = 0;
  std::vector<double> table = {};  // [rows, dim]
};

// sum_i cos(p w_i), p being a distance: the score of q = k = (1, 0, 1, 0, ...)
// under RoPE. Documents print it as an upper bound of scores; it is none.
struct Decay {
  std::int64_t dim = 0;  // even
  double base = 10000;
};

// base^(-numerator/denominator)
template <class Real>
Real frequency(double base, std::int64_t numerator, std::int64_t denominator) {
  return pow(Real(base), Real(-numerator) / Real(denominator));
}

// p w_i
template <class Real>
Real pair_angle(double base, std::int64_t i, std::int64_t dim, std::int64_t p) {
  return Real(p) * frequency<Real>(base, 2 * i, dim);
}

inline std::int64_t width(const Integer& e) { return e.dim; }
inline std::int64_t width(const Normalised& e) { return e.dim; }
inline std::int64_t width(const Binary& e) { return e.dim; }
inline std::int64_t width(const Sine& e) { return e.dim; }
inline std::int64_t width(const Sinusoidal& e) {
  return e.channels != 0 ? e.channels : e.dim;
}
inline std::int64_t width(const Shift& e) { return e.dim * e.dim; }
inline std::int64_t width(const Learned& e) { return e.dim; }
inline std::int64_t width(const Decay&) { return 1; }

template <class Real>
Real element(const Integer&, std::int64_t p, std::int64_t) {
  return Real(p);
}

template <class Real>
Real element(const Normalised& e, std::int64_t p, std::int64_t) {
  return Real(p) / Real(e.length);
}

template <class Real>
Real element(const Binary& e, std::int64_t p, std::int64_t c) {
  const std::int64_t digit = e.dim - 1 - c;
  return Real(digit < 63 ? p >> digit & 1 : std::int64_t{0});
}

template <class Real>
Real element(const Sine& e, std::int64_t p, std::int64_t c) {
  return sin(Real(p) * frequency<Real>(e.base, c, e.dim));
}

template <class Real>
Real element(const Sinusoidal& e, std::int64_t p, std::int64_t c) {
  const Real phi = pair_angle<Real>(e.base, c / 2, e.dim, p);
  return c % 2 == 0 ? sin(phi) : cos(phi);
}

template <class Real>
Real element(const Shift& e, std::int64_t p, std::int64_t c) {
  const std::int64_t row = c / e.dim, column = c % e.dim;
  if (row / 2 != column / 2) return Real(0);
  const Real phi = pair_angle<Real>(e.base, row / 2, e.dim, p);
  if (row == column) return cos(phi);
  return row < column ? sin(phi) : Real(-sin(phi));
}

template <class Real>
Real element(const Learned& e, std::int64_t p, std::int64_t c) {
  return Real(at(e.table, p * e.dim + c));
}

template <class Real>
Real element(const Decay& e, std::int64_t p, std::int64_t) {
  Real sum(0);
  for (std::int64_t i = 0; i < e.dim / 2; ++i) {
    sum = sum + cos(pair_angle<Real>(e.base, i, e.dim, p));
  }
  return sum;
}

}  // namespace ropeproof::reference::encodings
