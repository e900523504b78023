#include "conformance/explain/measured.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "conformance/explain/rotations.h"

namespace ropeproof::conformance::explain {
namespace {

using cases::value_of;
using reference::at;

// Nearer to 1 than this no rounding of a parameter is told from one of f32.
constexpr double kRight = 0x1p-18;
// Of a frequency: known to a hundredth, and searched up to 64 times the true
// one.
constexpr double kKnown = 0.01, kMostTimes = 64;

PairRatio ratio_of(std::int64_t pair, double ratio, double error) {
  const double within = std::max(kRight, 2 * error);
  const bool is_right = std::abs(ratio - 1) <= within;
  const bool is_still = std::abs(ratio) <= within;
  return {pair, is_right ? 1 : is_still ? 0 : ratio, error};
}

// An error of another kind, which a pair or a token here and there happens to
// fit. A search that fails is a long one.
bool is_of_another_kind(std::size_t unsolved, std::size_t solved) {
  return unsolved > solved + 8;
}

bool is_off(const std::vector<PairRatio>& ratios) {
  return std::ranges::any_of(ratios,
                             [](const PairRatio& r) { return r.ratio != 1; });
}

std::vector<PairRatio> of_frequencies(const cases::Problem& problem,
                                      const cases::Golden& golden,
                                      const judge::Output& output,
                                      reference::Format table) {
  std::vector<PairRatio> ratios;
  for (std::int64_t j = 0; j < problem.pairs(); ++j) {
    const double got =
        decode(table, output.inv_freq[static_cast<std::size_t>(j)]);
    const double ratio = got / value_of(at(golden.inv_freq_hi, j));
    if (!std::isfinite(ratio)) continue;
    ratios.push_back(ratio_of(j, ratio, 0));
  }
  return ratios;
}

std::vector<PairRatio> frequencies(const cases::Problem& problem,
                                   const cases::Golden& golden,
                                   const std::vector<Rotation>& rotations,
                                   double noise) {
  std::map<std::int64_t, std::vector<Multiple>> of_pair;
  for (const Rotation& r : rotations) {
    // At the origin no frequency rotates anything.
    if (r.position == 0 && std::abs(r.angle) > noise) return {};
    if (r.position != 0) of_pair[r.pair].push_back({r.position, r.angle});
  }
  // At whole positions a circle more or less is the same frequency.
  const bool is_whole =
      !problem.has_real_positions() && problem.spec.axes.weights.empty();
  const double most =
      is_whole ? std::numbers::pi : std::numeric_limits<double>::infinity();
  std::vector<PairRatio> ratios;
  std::size_t unsolved = 0;
  for (auto& [pair, multiples] : of_pair) {
    const double theta = value_of(at(golden.inv_freq_hi, pair));
    if (theta == 0) continue;
    const double limit = std::min(kMostTimes * std::abs(theta), most);
    const auto solved = solve(std::move(multiples), limit, noise, theta);
    if (!solved) {
      if (is_of_another_kind(++unsolved, ratios.size())) return {};
      continue;
    }
    const double ratio = solved->x / theta;
    const double error = solved->error / std::abs(theta);
    if (error > kKnown * std::max(1.0, std::abs(ratio))) continue;
    ratios.push_back(ratio_of(pair, ratio, error));
  }
  if (unsolved > ratios.size()) ratios.clear();
  return ratios;
}

// Another base makes every pair's ratio the same power of its index.
double base_of(const cases::Problem& problem,
               const std::vector<PairRatio>& ratios) {
  const reference::Frequencies& due = problem.spec.frequencies;
  const bool follows_base = due.inv_freq.empty() && due.exponents.empty() &&
                            due.bases.empty() && due.scaling.index() == 0 &&
                            due.pair_factors.empty();
  if (!follows_base || !is_off(ratios)) return 0;
  std::vector<double> slopes;
  for (const auto& [pair, ratio, error] : ratios) {
    if (pair == 0 && ratio != 1) return 0;
    if (!(ratio > 0)) return 0;
    if (pair > 0) slopes.push_back(std::log(ratio) / static_cast<double>(pair));
  }
  if (slopes.size() < 2) return 0;
  const auto [least, most] = std::ranges::minmax(slopes);
  if (most - least > kKnown * std::abs(most)) return 0;
  return due.base *
         std::exp(-(least + most) / 2 * static_cast<double>(problem.pairs()));
}

// What became of the factors of (R16): F times the frequency is due.
const char* factors_of(const cases::Problem& problem,
                       const std::vector<PairRatio>& ratios) {
  const auto& factors = problem.spec.frequencies.pair_factors;
  if (factors.empty() || !is_off(ratios)) return "";
  struct Slip {
    const char* words;
    double (*factor)(double due);
  };
  constexpr Slip kSlips[] = {
      {"without their factors", [](double) { return 1.0; }},
      {"times the logarithm of their factors, so the exponential is forgotten",
       [](double due) { return std::log(due); }},
      {"divided by their factors", [](double due) { return 1 / due; }},
      {"times the square of their factors",
       [](double due) { return due * due; }}};
  for (const Slip& slip : kSlips) {
    const bool fits = std::ranges::all_of(ratios, [&](const PairRatio& r) {
      const double due = at(factors, r.pair);
      const double ratio = slip.factor(due) / due;
      return std::abs(r.ratio - ratio) <=
             kKnown * std::max(1.0, std::abs(ratio));
    });
    if (fits) return slip.words;
  }
  return "";
}

// Base and factors that explain the frequencies.
void name_frequencies(const cases::Problem& problem, Measured& m) {
  m.base = base_of(problem, m.frequency);
  m.factors = factors_of(problem, m.frequency);
}

// Nothing where a pair's stretch is not the same at every token.
std::vector<PairRatio> amplitudes(const std::vector<Rotation>& rotations,
                                  double noise) {
  std::map<std::int64_t, std::vector<double>> of_pair;
  for (const Rotation& r : rotations) of_pair[r.pair].push_back(r.stretch);
  std::vector<PairRatio> ratios;
  const double error = std::max(noise, 0x1p-11);
  for (const auto& [pair, stretches] : of_pair) {
    const auto [least, most] = std::ranges::minmax(stretches);
    if (most - least > 2 * error * most) return {};
    ratios.push_back(ratio_of(pair, (least + most) / 2, error));
  }
  return ratios;
}

std::vector<PositionUsed> positions(const cases::Problem& problem,
                                    const cases::Golden& golden,
                                    const std::vector<Rotation>& rotations,
                                    double noise) {
  if (problem.spec.axes.count > 1 || !problem.spec.axes.weights.empty() ||
      problem.has_real_positions()) {
    return {};
  }
  std::map<std::int64_t, std::vector<Multiple>> of_token;
  double limit = 0x1p17;
  for (const Rotation& r : rotations) {
    of_token[r.token].push_back(
        {value_of(at(golden.inv_freq_hi, r.pair)), r.angle});
    limit = std::max(limit, 4 * std::abs(r.position));
  }
  std::map<double, double> used;
  std::size_t seen = 0, unsolved = 0;
  for (auto& [token, multiples] : of_token) {
    const double given = problem.position(0, token);
    const auto solved = solve(std::move(multiples), limit, noise, given);
    // A whole number, and no other.
    constexpr double kWithin = 0.125;
    if (solved && solved->error > kWithin) continue;
    const auto whole = solved ? solved->whole() : std::nullopt;
    if (!whole) {
      if (is_of_another_kind(++unsolved, seen)) return {};
      continue;
    }
    ++seen;
    const auto [known, is_new] = used.emplace(given, *whole);
    if (!is_new && known->second != *whole) return {};
  }
  if (unsolved > seen) return {};
  std::vector<PositionUsed> all;
  for (const auto& [given, by] : used) all.push_back({given, by});
  return all;
}

// Of angles that are large beside the noise, and small enough to be followed.
double angle_error(const cases::Golden& golden,
                   const std::vector<Rotation>& rotations, double noise) {
  constexpr double kHalf = 0x1p-8, kFine = 0x1p-14;  // bf16; finer than f16
  double largest = 0;
  int seen = 0;
  for (const Rotation& r : rotations) {
    const double due = r.position * value_of(at(golden.inv_freq_hi, r.pair));
    if (std::abs(due) < noise / kFine / 16 || std::abs(due) > 64) continue;
    const double off = in_half_circle(r.angle - due);
    largest = std::max(largest, std::abs(off / due));
    ++seen;
  }
  return seen > 3 && largest > kFine && largest < 1.5 * kHalf ? largest : 0;
}

bool is_sine_lost(const cases::Golden& golden,
                  const std::vector<Rotation>& rotations, double noise) {
  bool is_due = false;
  for (const Rotation& r : rotations) {
    if (std::abs(std::sin(r.angle)) > 2 * noise) return false;
    const double due = r.position * value_of(at(golden.inv_freq_hi, r.pair));
    is_due = is_due || std::abs(std::sin(due)) > 0.1;
  }
  return is_due;
}

}  // namespace

bool Measured::is_reversed() const {
  return !frequency.empty() &&
         std::ranges::all_of(frequency, [](const PairRatio& r) {
           return std::abs(r.ratio + 1) < kKnown;
         });
}

bool Measured::is_frequency_off() const { return is_off(frequency); }
bool Measured::is_amplitude_off() const { return is_off(amplitude); }
bool Measured::is_position_off() const {
  return std::ranges::any_of(
      positions, [](const PositionUsed& p) { return p.given != p.used; });
}

Measured measured_frequencies(const cases::Problem& problem,
                              const std::vector<PairRatio>& ratios) {
  Measured m;
  for (const auto& [pair, ratio, error] : ratios) {
    m.frequency.push_back(ratio_of(pair, ratio, error));
  }
  name_frequencies(problem, m);
  return m;
}

Measured measure(const cases::Problem& problem, const cases::Golden& golden,
                 std::uint32_t operation, const judge::Output& output,
                 reference::Format table, bool keeps_length, Tensors tensors) {
  Measured m;
  if (operation == ROPEPROOF_FREQUENCIES) {
    m.frequency = of_frequencies(problem, golden, output, table);
    name_frequencies(problem, m);
    return m;
  }
  const double noise =
      rotation_noise(operation == ROPEPROOF_TABLE ? table : problem.dtype);
  const std::vector<Rotation> seen =
      rotations(problem, golden, operation, output, table, tensors);
  m.amplitude = amplitudes(seen, noise);
  // Other pairs, or no rotation at all: there is no angle to speak of.
  if (m.amplitude.empty() && !keeps_length) {
    m.is_sine_lost = is_sine_lost(golden, seen, noise);
    return m;
  }
  if (operation != ROPEPROOF_TABLE && operation != ROPEPROOF_ROPE) return m;
  m.frequency = frequencies(problem, golden, seen, noise);
  // Twice the position is twice every frequency: one position alone cannot tell
  // which, and a position is wrong more often.
  const auto [least, most] = std::ranges::minmax(problem.positions);
  const bool is_one_ratio =
      std::ranges::all_of(m.frequency, [&](const PairRatio& r) {
        return std::abs(r.ratio - m.frequency[0].ratio) <=
               kKnown * std::abs(r.ratio);
      });
  if (!m.is_frequency_off() || (is_one_ratio && least == most)) {
    m.positions = positions(problem, golden, seen, noise);
    if (m.is_position_off()) m.frequency.clear();
  }
  name_frequencies(problem, m);
  if (!m.is_frequency_off() && !m.is_position_off()) {
    m.angle_error = angle_error(golden, seen, noise);
  }
  return m;
}

}  // namespace ropeproof::conformance::explain
