// test_rotation.h -- RoPE by the text of rope.h in 50 digits, for what
// documents say of it.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "reference/rope.h"

namespace ropeproof::reference::encodings {

using Wide = boost::multiprecision::cpp_bin_float_50;
using Vector = std::vector<Wide>;
using Matrix = std::vector<Vector>;  // rows

inline constexpr double kTiny = 1e-40;

// One head at a position.
inline Vector rotated(const Spec& spec, std::int64_t position, Vector x) {
  rotate_head(
      spec, std::span(x), [&](std::int64_t j, const Wide& u, const Wide& v) {
        const Wide phi = angle(frequency<Wide>(spec, j), Wide(position));
        return rotate(cos_sin(Wide(1), phi), spec.direction, u, v);
      });
  return x;
}

inline Spec spec_of(std::int64_t dim, Pairing pairing) {
  return {leading(dim, dim, pairing), {}};
}

inline Wide dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Wide(0));
}

inline Vector operator*(const Matrix& m, const Vector& x) {
  Vector y;
  for (const Vector& row : m) y.push_back(dot(row, x));
  return y;
}

inline Matrix transposed(const Matrix& m) {
  Matrix result(m[0].size(), Vector(m.size()));
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m[i].size(); ++j) result[j][i] = m[i][j];
  }
  return result;
}

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result;
  for (const Vector& row : a) result.push_back(transposed(b) * row);
  return result;
}

// The largest difference of two vectors, or of two matrices.
inline Wide distance(const Vector& a, const Vector& b) {
  Wide most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, Wide(abs(Wide(a[i] - b[i]))));
  }
  return most;
}
inline Wide distance(const Matrix& a, const Matrix& b) {
  Wide most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, distance(a[i], b[i]));
  }
  return most;
}

// The matrix R(p), column by column from unit vectors.
inline Matrix matrix_of(const Spec& spec, std::int64_t position) {
  const auto dim = static_cast<std::size_t>(spec.layout.head_dim);
  Matrix columns;
  for (std::size_t c = 0; c < dim; ++c) {
    Vector unit(dim);
    unit[c] = 1;
    columns.push_back(rotated(spec, position, unit));
  }
  return transposed(columns);
}

// Numbers without a pattern, the same every time.
inline Vector wavy(std::size_t size, double phase) {
  Vector x;
  for (std::size_t i = 0; i < size; ++i) {
    x.push_back(cos(Wide(phase + 1.75 * static_cast<double>(i))));
  }
  return x;
}

}  // namespace ropeproof::reference::encodings
