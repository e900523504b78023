#include "conformance/assertion/fused_readings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "conformance/cases/form_golden.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::fused::Stored;

constexpr std::int64_t kMostElements = std::int64_t{1} << 14;

struct Reading {
  const char* words;
  // Makes `parts` what the kernel would have been given; false: it says nothing
  // else, or cannot be.
  std::function<bool(FusedParts&)> change;
};

std::span<double> head(std::vector<double>& numbers, std::size_t row,
                       std::int64_t head_dim) {
  const auto d = static_cast<std::size_t>(head_dim);
  return {&numbers[row * d], d};
}

// Multiplies the numbers of each row by what `factor` says of its x.
bool each_row(FusedParts& parts,
              const std::function<double(std::span<double>)>& factor) {
  for (std::size_t row = 0; row < parts.scale.size(); ++row) {
    const double by = factor(head(parts.x, row, parts.head_dim()));
    for (double& y : head(parts.written, row, parts.head_dim())) y *= by;
  }
  return true;
}

double mean_square(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum / static_cast<double>(x.size());
}

bool is_weighted(const FusedParts& p) {
  return p.norm && !p.norm->weight.empty();
}

bool has_epsilon(FusedParts& p, double epsilon) {
  if (!p.norm || p.norm->epsilon == epsilon) return false;
  p.norm->epsilon = epsilon;
  return true;
}

bool subtract_means(FusedParts& p) {
  if (!p.norm) return false;
  for (std::size_t row = 0; row < p.scale.size(); ++row) {
    const std::span<double> x = head(p.x, row, p.head_dim());
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) /
                        static_cast<double>(x.size());
    for (double& v : x) v -= mean;
  }
  return true;
}

// One norm for all heads of a token: n of a head is longer or shorter by it.
bool norm_tokens(FusedParts& p) {
  if (!p.norm || p.heads() < 2) return false;
  const auto heads = static_cast<std::size_t>(p.heads());
  for (std::size_t row = 0; row < p.scale.size(); row += heads) {
    double all = 0;
    for (std::size_t h = 0; h < heads; ++h) {
      all += mean_square(head(p.x, row + h, p.head_dim()));
    }
    all /= static_cast<double>(heads);
    for (std::size_t h = 0; h < heads; ++h) {
      const double own = mean_square(head(p.x, row + h, p.head_dim()));
      const double by =
          std::sqrt((all + p.norm->epsilon) / (own + p.norm->epsilon));
      for (double& y : head(p.written, row + h, p.head_dim())) y *= by;
    }
  }
  return true;
}

// The rotation keeps lengths, so a weight behind it is one of the results.
bool weigh_results(FusedParts& p) {
  if (!is_weighted(p)) return false;
  const std::vector<double> weight = std::exchange(p.norm->weight, {});
  for (std::size_t i = 0; i < p.written.size(); ++i) {
    const double w = weight[i % weight.size()] + p.norm->offset;
    if (w == 0) return false;
    p.written[i] /= w;
  }
  return true;
}

bool scale_all(FusedParts& p, const std::function<double(std::size_t)>& of) {
  std::vector<double> scales;
  for (std::size_t row = 0; row < p.scale.size(); ++row) {
    scales.push_back(of(row));
  }
  return std::exchange(p.scale, scales) != scales;
}

std::vector<Reading> readings() {
  const auto without_norm = [](FusedParts& p) {
    return std::exchange(p.norm, std::nullopt).has_value();
  };
  const auto with_offset = [](double offset) {
    return [offset](FusedParts& p) {
      return is_weighted(p) && std::exchange(p.norm->offset, offset) != offset;
    };
  };
  const auto with_roundings = [](int roundings) {
    return [roundings](FusedParts& p) {
      return p.norm && is_16_bit(p.dtype) &&
             std::exchange(p.norm->roundings, roundings) < roundings;
    };
  };
  return {
      {"x is rotated without its norm", without_norm},
      {"the norm has no weight",
       [](FusedParts& p) {
         if (!is_weighted(p)) return false;
         p.norm->weight.clear();
         return true;
       }},
      {"weights have 1 added", with_offset(1)},
      {"weights have nothing added", with_offset(0)},
      {"the norm has the other tensor's weight",
       [](FusedParts& p) {
         if (!is_weighted(p) || p.norm->other_weight.empty()) return false;
         std::swap(p.norm->weight, p.norm->other_weight);
         return p.norm->weight != p.norm->other_weight;
       }},
      {"the weight is applied behind the rotation", weigh_results},
      {"epsilon is left out", [](FusedParts& p) { return has_epsilon(p, 0); }},
      {"epsilon is 1e-5", [](FusedParts& p) { return has_epsilon(p, 1e-5); }},
      {"epsilon is 1e-6", [](FusedParts& p) { return has_epsilon(p, 1e-6); }},
      {"epsilon is added to the root",
       [](FusedParts& p) {
         return p.norm && each_row(p, [&](std::span<double> x) {
                  const double m = mean_square(x), e = p.norm->epsilon;
                  return (std::sqrt(m) + e) / std::sqrt(m + e);
                });
       }},
      {"the norm is by the sum of squares, not their mean",
       [](FusedParts& p) {
         return p.norm && each_row(p, [&](std::span<double> x) {
                  const double m = mean_square(x), e = p.norm->epsilon;
                  const auto d = static_cast<double>(x.size());
                  return std::sqrt((d * m + e) / (m + e));
                });
       }},
      {"the norm divides by the mean of squares, not by its root",
       [](FusedParts& p) {
         return p.norm && each_row(p, [&](std::span<double> x) {
                  return std::sqrt(mean_square(x) + p.norm->epsilon);
                });
       }},
      {"the norm subtracts the mean first, as LayerNorm", subtract_means},
      {"the norm is over all heads of a token", norm_tokens},
      {"the norm rounds to the 16-bit type once: norm_roundings 1",
       with_roundings(1)},
      {"the norm rounds to the 16-bit type twice: norm_roundings 2",
       with_roundings(2)},
      {"results are multiplied by the scale",
       [](FusedParts& p) {
         return scale_all(p, [&](std::size_t row) { return 1 / p.scale[row]; });
       }},
      {"results are stored without a scale",
       [](FusedParts& p) {
         return scale_all(p, [](std::size_t) { return 1.0; });
       }},
      {"all results have the scale of the first head",
       [](FusedParts& p) {
         return scale_all(p, [&](std::size_t) { return p.scale[0]; });
       }},
      {"all heads have the scale of head 0",
       [](FusedParts& p) {
         const auto heads = static_cast<std::size_t>(p.heads());
         return scale_all(
             p, [&](std::size_t row) { return p.scale[row - row % heads]; });
       }},
      {"results are of float8_e4m3fnuz, whose numbers are half as large",
       [](FusedParts& p) {
         if (p.stored != Stored::kE4M3) return false;
         for (double& y : p.written) y /= 2;
         return true;
       }},
      {"channels outside the window are copied, without their norm",
       [](FusedParts& p) {
         p.is_tail_copied = p.norm.has_value();
         return p.is_tail_copied;
       }},
      {"results beyond the type's largest number are not limited to it",
       [](FusedParts& p) {
         p.is_unlimited = p.stored.has_value();
         return p.is_unlimited;
       }},
      {"results are cut off, not rounded to nearest",
       [](FusedParts& p) {
         p.is_cut = p.stored.has_value();
         return p.is_cut;
       }},
  };
}

// The tokens around `token` that are judged in place of all.
FusedParts cut(const FusedParts& parts, std::int64_t token) {
  const std::int64_t per_token = parts.heads() * parts.head_dim();
  const std::int64_t tokens = parts.rotation.tokens();
  const std::int64_t count =
      std::clamp<std::int64_t>(kMostElements / per_token, 1, tokens);
  if (count == tokens) return parts;
  const std::int64_t first = std::min(token / count * count, tokens - count);
  FusedParts some = parts;
  const auto take = [&](auto& list, std::int64_t each) {
    auto begin = list.begin() + first * each;
    list = {begin, begin + count * each};
  };
  take(some.x, per_token), take(some.written, per_token);
  take(some.scale, parts.heads()), take(some.is_written, 1);
  cases::Problem& p = some.rotation;
  const std::vector<double> all = std::exchange(p.positions, {});
  for (std::int64_t axis = 0; axis * tokens < std::ssize(all); ++axis) {
    const auto begin = all.begin() + axis * tokens + first;
    p.positions.insert(p.positions.end(), begin, begin + count);
  }
  p.batch = 1, p.seq = count;
  return some;
}

bool is_right(const FusedParts& parts, const judge::Claim& of_rotation) {
  const cases::Problem problem = problem_of(parts);
  const cases::Golden golden =
      cases::form_golden(problem, reference::best_oracle());
  const FusedOutput made = output_of(parts, problem, golden, of_rotation);
  // A reading by which hardly anything shows explains nothing.
  return 2 * made.hidden < problem.elements() &&
         judge::judge(problem, golden, ROPEPROOF_ROPE,
                      claim_of(parts, of_rotation, largest_scale(parts)),
                      made.output)
                 .wrong == 0;
}

}  // namespace

std::string other_reading(const FusedParts& parts, std::int64_t token,
                          const judge::Claim& of_rotation) {
  const FusedParts some = cut(parts, token);
  for (const auto& [words, change] : readings()) {
    FusedParts other = some;
    if (!change(other)) continue;
    try {
      if (is_right(other, of_rotation)) return words;
    } catch (const std::invalid_argument&) {
      // Without epsilon a row of zeros has no norm.
    }
  }
  return "";
}

}  // namespace ropeproof::conformance::assertion
