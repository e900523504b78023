#include "conformance/identify/frequency_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "conformance/explain/measured.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/pipeline.h"
#include "reference/format.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;

// Frequencies that differ by less may be the same in 16 bits.
constexpr double kHalf = 0x1p-8;

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

std::vector<Recipe> recipes_of(const cases::Case& c) {
  std::vector<double> due;
  for (const std::uint64_t bits : c.golden.inv_freq_hi) {
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
  if (plugin::follows_base(c.problem.spec.frequencies) &&
      plugin::scaling_bit(c.problem.spec.frequencies.scaling) == 0) {
    for (const wrong::F32Power& power : wrong::f32_powers()) {
      ropeproof_claim claim{};
      claim.angle_class = power.angle_class;
      claim.power = power.power;
      Recipe recipe{power.words, {}, rank_of(claim)};
      const auto base = static_cast<float>(c.problem.spec.frequencies.base);
      const auto r = static_cast<float>(c.problem.spec.layout.rotary_dim);
      for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
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

std::string departure_words(const cases::Problem& c,
                            const std::vector<PairFrequency>& pairs) {
  std::vector<explain::PairRatio> ratios;
  for (const PairFrequency& pair : pairs) {
    if (pair.due == 0) continue;
    ratios.push_back(
        {pair.pair, pair.measured / pair.due, pair.error / std::abs(pair.due)});
  }
  return text::joined(explain::measured_frequencies(c, ratios).text(c.pairs()),
                      "; ");
}

}  // namespace ropeproof::conformance::identify
