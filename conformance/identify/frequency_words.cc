#include "conformance/identify/frequency_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "conformance/plugin/problem.h"
#include "conformance/plugin/words.h"
#include "conformance/text/format.h"
#include "conformance/text/words.h"
#include "conformance/wrong/pipeline.h"
#include "reference/format.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;

// Frequencies that differ by less may be the same in 16 bits.
constexpr double kHalf = 0x1p-8;
// And those of one formula may differ by this.
constexpr double kAlike = 0x1p-12;

double ratio_of(const PairFrequency& pair) {
  return pair.due == 0 ? 1 : pair.measured / pair.due;
}

// The slope and the start of log(ratio) over the pairs, where it is a straight line.
std::optional<std::pair<double, double>> line_through(
    const std::vector<PairFrequency>& pairs) {
  if (pairs.size() < 3) return std::nullopt;
  const auto log_of = [](const PairFrequency& pair) {
    return std::log(ratio_of(pair));
  };
  const PairFrequency& first = pairs.front();
  const PairFrequency& last = pairs[pairs.size() * 3 / 4];
  if (!(ratio_of(first) > 0 && ratio_of(last) > 0)) return std::nullopt;
  const double slope = (log_of(last) - log_of(first)) /
                       static_cast<double>(last.pair - first.pair);
  const double start = log_of(first) - slope * static_cast<double>(first.pair);
  for (const PairFrequency& pair : pairs) {
    const double line = start + slope * static_cast<double>(pair.pair);
    const double slack = kAlike + std::abs(2 * pair.error / pair.measured) +
                         kAlike * std::abs(line);
    if (!(std::abs(log_of(pair) - line) <= slack)) return std::nullopt;
  }
  return std::pair{slope, start};
}

}  // namespace

std::string number_words(double x, int digits) {
  return text::format("%.*g", digits, x);
}

int rank_of(const ropeproof_claim& claim) {
  switch (claim.angle_class) {
    case ROPEPROOF_A0:
      return 0;
    case ROPEPROOF_A1:
      return claim.angle_dtype == ROPEPROOF_F64 ? 0
             : claim.power == ROPEPROOF_EXP2    ? 2
                                                : 1;
    case ROPEPROOF_A2:
      return 3;
    default:
      return 4;
  }
}

std::vector<Recipe> recipes_of(const cases::RopeCase& c) {
  std::vector<double> due;
  for (const std::uint64_t bits : c.inv_freq_hi) {
    due.push_back(std::bit_cast<double>(bits));
  }
  const auto each = [&](std::string name, int rank, auto change) {
    Recipe recipe{std::move(name), {}, rank};
    for (const double theta : due) recipe.theta.push_back(change(theta));
    return recipe;
  };
  std::vector<Recipe> all = {
      each("wider than f32", 0, [](double x) { return x; }),
      each("rounded once to f32", 1,
           [](double x) { return round_to(Format::kF32, x); })};
  if (plugin::follows_base(c.spec.frequencies) &&
      plugin::scaling_bit(c.spec.frequencies.scaling) == 0) {
    for (const wrong::F32Power& power : wrong::f32_powers()) {
      ropeproof_claim claim{};
      claim.angle_class = power.angle_class;
      claim.power = power.power;
      Recipe recipe{power.words, {}, rank_of(claim)};
      const auto base = static_cast<float>(c.spec.frequencies.base);
      const auto r = static_cast<float>(c.spec.layout.rotary_dim);
      for (std::int64_t j = 0; j < c.pairs(); ++j) {
        recipe.theta.push_back(
            double{power.theta(base, r, static_cast<float>(j))});
      }
      all.push_back(std::move(recipe));
    }
  }
  for (const Format format : {Format::kF16, Format::kBF16}) {
    all.push_back(
        each(format == Format::kF16 ? "rounded to f16" : "rounded to bf16", 4,
             [=](double x) { return round_to(format, x); }));
  }
  return all;
}

std::vector<Recipe> fitting(const std::vector<Recipe>& recipes,
                            const std::vector<PairFrequency>& pairs) {
  std::vector<Recipe> fit;
  for (const Recipe& recipe : recipes) {
    const bool agrees = std::ranges::all_of(pairs, [&](const auto& pair) {
      const double theta = recipe.theta[static_cast<std::size_t>(pair.pair)];
      return std::abs(std::abs(pair.measured) - theta) <= pair.error;
    });
    if (agrees) fit.push_back(recipe);
  }
  return fit;
}

bool is_about_due(const std::vector<PairFrequency>& pairs) {
  return std::ranges::all_of(pairs, [](const PairFrequency& pair) {
    return std::abs(std::abs(pair.measured) - std::abs(pair.due)) <=
           kHalf * std::abs(pair.due) + pair.error;
  });
}

UlpsOff ulps_off(const std::vector<PairFrequency>& pairs) {
  UlpsOff off;
  for (const PairFrequency& pair : pairs) {
    const double unit = ulp(Format::kF32, pair.due);
    off.most =
        std::max(off.most, std::abs(std::abs(pair.measured) - pair.due) / unit);
    off.known_to = std::max(off.known_to, pair.error / unit);
  }
  return off;
}

std::string departure_words(const cases::RopeCase& c,
                            const std::vector<PairFrequency>& pairs) {
  const double n = static_cast<double>(c.pairs());
  const auto line = line_through(pairs);
  if (line) {
    const auto [slope, start] = *line;
    const bool is_level = std::abs(slope * n) < kAlike * 4;
    const std::string times = "x " + number_words(std::exp(start));
    if (is_level) return times + " in all pairs";
    const double base = c.spec.frequencies.base * std::exp(-slope * n);
    const std::string of_base = "those of base " + number_words(base);
    return std::abs(start) < kAlike * 4 ? of_base : of_base + ", " + times;
  }
  // Stretches of pairs with one ratio.
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < pairs.size();) {
    const double ratio = ratio_of(pairs[i]);
    std::size_t last = i;
    const auto alike = [&](const PairFrequency& pair) {
      return std::abs(ratio_of(pair) - ratio) <=
             kAlike * std::abs(ratio) +
                 std::abs(pair.error / (pair.due == 0 ? 1 : pair.due));
    };
    while (last + 1 < pairs.size() && alike(pairs[last + 1])) ++last;
    std::string part = "x " + number_words(ratio);
    part += last == i ? " in pair " + std::to_string(pairs[i].pair)
                      : " in pairs " + std::to_string(pairs[i].pair) + " to " +
                            std::to_string(pairs[last].pair);
    parts.push_back(std::move(part));
    i = last + 1;
  }
  constexpr std::size_t kMost = 4;
  if (parts.size() <= kMost) return text::joined(parts, ", ");
  return parts.front() + ", " + parts[parts.size() / 4] + ", " +
         parts[parts.size() / 2] + ", " + parts.back() + ", others between";
}

}  // namespace ropeproof::conformance::identify
