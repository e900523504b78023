#include "reference/schemes.h"

#include <string>

#include "reference/refuse.h"

namespace ropeproof::reference {
namespace {

void check_at_least(const std::string& field, std::int64_t value,
                    std::int64_t low) {
  if (value < low) {
    refuse(field, std::to_string(value), std::to_string(low) + " or more");
  }
}

void check_count(const std::string& field, std::size_t count,
                 std::size_t expected) {
  if (count != expected) {
    refuse(field, std::to_string(count) + " long",
           std::to_string(expected) + " entries");
  }
}

// Throws unless there is a section, none is negative, and some pair is in one.
std::int64_t sum_of(std::span<const std::int64_t> sections) {
  std::int64_t sum = 0;
  for (const std::int64_t section : sections) {
    check_at_least("sections", section, 0);
    sum += section;
  }
  check_at_least("sum of sections", sum, 1);
  return sum;
}

Axes axes_of(std::size_t count, std::vector<std::int64_t> axis_of_pair) {
  return {static_cast<std::int64_t>(count), std::move(axis_of_pair)};
}

// Axis j mod 3 while its section lasts, else axis `other`.
Axes interleaved(std::span<const std::int64_t> sections, std::int64_t other) {
  const std::int64_t pairs = sum_of(sections);
  std::vector<std::int64_t> axis;
  for (std::int64_t j = 0; j < pairs; ++j) {
    const std::int64_t k = j % 3;
    axis.push_back(j < 3 * at(sections, k) ? k : other);
  }
  return axes_of(sections.size(), axis);
}

}  // namespace

Layout proportional_layout(std::int64_t head_dim, std::int64_t pairs) {
  return {head_dim, 2 * pairs, 0, Pairing::kHalfSplit, 1, head_dim / 2};
}

std::vector<Exponent> proportional_exponents(std::int64_t head_dim,
                                             std::int64_t pairs) {
  std::vector<Exponent> exponents;
  for (std::int64_t j = 0; j < pairs; ++j) {
    exponents.push_back({2 * j, head_dim});
  }
  return exponents;
}

Axes contiguous_sections(std::span<const std::int64_t> sections) {
  sum_of(sections);
  std::vector<std::int64_t> axis;
  for (std::size_t k = 0; k < sections.size(); ++k) {
    axis.insert(axis.end(), static_cast<std::size_t>(sections[k]),
                static_cast<std::int64_t>(k));
  }
  return axes_of(sections.size(), axis);
}

Axes interleaved_sections(std::span<const std::int64_t> sections) {
  check_count("sections", sections.size(), 3);
  return interleaved(sections, 0);
}

Axes interleaved_sections_ggml(std::span<const std::int64_t> sections) {
  check_count("sections", sections.size(), 4);
  return interleaved(sections, 3);
}

Axes round_robin_sections(std::span<const std::int64_t> sections) {
  std::int64_t left = sum_of(sections);
  std::vector<std::int64_t> left_on(sections.begin(), sections.end()), axis;
  for (std::size_t k = 0; left > 0; k = (k + 1) % left_on.size()) {
    if (left_on[k] == 0) continue;
    --left_on[k], --left;
    axis.push_back(static_cast<std::int64_t>(k));
  }
  return axes_of(sections.size(), axis);
}

Axes ernie_sections(std::span<const std::int64_t> sections) {
  check_count("sections", sections.size(), 3);
  sum_of(sections);
  if (sections[0] != sections[1]) {
    refuse("sections[1]", std::to_string(sections[1]),
           "sections[0] = " + std::to_string(sections[0]));
  }
  std::vector<std::int64_t> axis;
  for (std::int64_t j = 0; j < 2 * sections[0]; ++j) axis.push_back(1 + j % 2);
  axis.insert(axis.end(), static_cast<std::size_t>(sections[2]), 0);
  return axes_of(3, axis);
}

Scheme n_axis(std::span<const std::int64_t> pairs_of_axis) {
  Scheme scheme{contiguous_sections(pairs_of_axis), {}};
  for (const std::int64_t n : pairs_of_axis) {
    for (std::int64_t q = 0; q < n; ++q) {
      scheme.exponents.push_back({2 * q, 2 * n});
    }
  }
  return scheme;
}

Scheme axial_2d(std::int64_t pairs, std::int64_t first_axis,
                Spectrum spectrum) {
  check_at_least("pairs", pairs, 2);
  if (pairs % 2 != 0) refuse("pairs", std::to_string(pairs), "an even number");
  if (first_axis != 0 && first_axis != 1) {
    refuse("first_axis", std::to_string(first_axis), "0 or 1");
  }
  const std::int64_t half = pairs / 2;
  Scheme scheme;
  scheme.axes.count = 2;
  for (const std::int64_t block : {0, 1}) {
    for (std::int64_t q = 0; q < half; ++q) {
      scheme.axes.axis_of_pair.push_back(block == 0 ? first_axis
                                                    : 1 - first_axis);
      if (spectrum == Spectrum::kShared) {
        scheme.exponents.push_back({2 * q, 2 * half});
      } else {
        scheme.exponents.push_back({2 * (2 * q + block), 2 * pairs});
      }
    }
  }
  return scheme;
}

Axes mixed_axes(std::int64_t count, std::span<const double> weights) {
  return {count, {}, {weights.begin(), weights.end()}};
}

Axes weighted(const Axes& axes, std::int64_t pairs, double weight) {
  std::vector<double> weights(static_cast<std::size_t>(axes.count * pairs));
  for (std::int64_t j = 0; j < pairs; ++j) {
    at(weights, axis_of(axes, j) * pairs + j) = weight;
  }
  return {axes.count, {}, weights};
}

std::vector<double> consecutive_positions(std::int64_t count,
                                          std::int64_t first) {
  check_at_least("count", count, 0);
  std::vector<double> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    positions.push_back(static_cast<double>(first + i));
  }
  return positions;
}

std::vector<double> packed_positions(std::span<const std::int64_t> cu_seqlens) {
  if (cu_seqlens.empty()) refuse("cu_seqlens", "0 long", "1 entry or more");
  if (cu_seqlens[0] != 0) {
    refuse("cu_seqlens[0]", std::to_string(cu_seqlens[0]), "0");
  }
  std::vector<double> positions;
  for (std::size_t i = 1; i < cu_seqlens.size(); ++i) {
    check_at_least("cu_seqlens[" + std::to_string(i) + "]", cu_seqlens[i],
                   cu_seqlens[i - 1]);
    const auto sequence =
        consecutive_positions(cu_seqlens[i] - cu_seqlens[i - 1]);
    positions.insert(positions.end(), sequence.begin(), sequence.end());
  }
  return positions;
}

std::vector<double> grid_positions(std::span<const std::int64_t> sizes) {
  std::int64_t tokens = 1;
  for (const std::int64_t size : sizes) {
    check_at_least("size of grid", size, 0);
    tokens *= size;
  }
  std::vector<double> positions;
  std::int64_t repeats = tokens;  // of each coordinate on this axis
  for (const std::int64_t size : sizes) {
    if (size > 0) repeats /= size;
    for (std::int64_t t = 0; t < tokens; ++t) {
      positions.push_back(static_cast<double>(t / repeats % size));
    }
  }
  return positions;
}

}  // namespace ropeproof::reference
