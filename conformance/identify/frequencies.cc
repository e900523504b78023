#include "conformance/identify/frequencies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <ranges>
#include <utility>

#include "conformance/explain/measured.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation.h"
#include "reference/format.h"

namespace ropeproof::conformance::identify {
namespace {

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

// What pipelines make of the frequencies of a problem that follow its base.
std::vector<Recipe> recipes_of(const cases::Case& c) {
  std::vector<double> due;
  for (const std::uint64_t bits : c.golden.inv_freq_hi) {
    due.push_back(std::bit_cast<double>(bits));
  }
  ropeproof_problem problem =
      plugin::problem_of(ROPEPROOF_ROPE, c.problem.spec, c.problem.dtype, 1, 1);
  problem.inv_freq = due.data();
  std::vector<Recipe> all;
  const auto add = [&](std::string name, const wrong::Pipeline& pipeline,
                       int rank) {
    std::vector<double>& theta =
        all.emplace_back(Recipe{std::move(name), {}, rank}).theta;
    for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
      theta.push_back(pipeline.frequency(problem, j));
    }
  };
  const auto add_rounded = [&](std::string name, const char* type, int rank) {
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    wrong::known(std::string("frequencies rounded to ") + type)
        .change(pipeline);
    add(name + type, pipeline, rank);
  };
  add("wider than f32", wrong::exact_pipeline(), 0);
  add_rounded("rounded once to ", "f32", 1);
  const auto powers = wrong::f32_powers();
  for (std::size_t i = 0; i < powers.size(); ++i) {
    ropeproof_claim claim{};
    claim.angle_class = powers[i].angle_class;
    claim.power = powers[i].power;
    add(powers[i].words, wrong::f32_pipeline(static_cast<wrong::PowerForm>(i)),
        rank_of(claim));
  }
  add_rounded("rounded to ", "f16", 4);
  add_rounded("rounded to ", "bf16", 4);
  return all;
}

bool agrees(const Recipe& recipe, const std::vector<PairFrequency>& pairs) {
  return std::ranges::all_of(pairs, [&](const PairFrequency& pair) {
    const double theta = recipe.theta[static_cast<std::size_t>(pair.pair)];
    return std::abs(std::abs(pair.measured) - theta) <= pair.error;
  });
}

std::string count_words(const BaseReading& r) {
  return text::part_of(std::ssize(r.pairs), r.problem.problem.pairs()) +
         " pairs";
}

std::string base_of(const BaseReading& reading) {
  return number_words(reading.problem.problem.spec.frequencies.base);
}

// The recipes that fit all readings, which are right to 16 bits.
Finding recipe_finding(const std::vector<const BaseReading*>& right,
                       const ropeproof_claim& claim) {
  std::vector<Recipe> common = right[0]->fit;
  std::string bases;
  UlpsOff off;
  std::int64_t seen = 0, due = 0;
  for (const BaseReading* r : right) {
    std::erase_if(common, [&](const Recipe& recipe) {
      return std::ranges::find(r->fit, recipe.name, &Recipe::name) ==
             r->fit.end();
    });
    bases += (bases.empty() ? "" : " and ") + base_of(*r);
    const UlpsOff own = ulps_off(r->pairs);
    off.most = std::max(off.most, own.most);
    off.known_to = std::max(off.known_to, own.known_to);
    seen += std::ssize(r->pairs), due += r->problem.problem.pairs();
  }
  // In units of the type that they can be told in.
  constexpr double kInvisible = 64;
  const bool is_rough = off.known_to > kInvisible;
  const double unit = is_rough ? 0x1p16 : 1;
  const std::string evidence =
      text::part_of(seen, due) + " pairs, base " + bases + "; off by " +
      number_words(off.most / unit, 2) + " ulp of " +
      (is_rough ? "bf16" : "f32") + " at most, each read to within " +
      number_words(off.known_to / unit, 2);
  if (common.empty()) {
    return {Standing::kMeasured, "frequencies",
            "base^(-2j/r), rounded in no way known here", evidence};
  }
  const Recipe& least = *std::ranges::min_element(common, {}, &Recipe::rank);
  // An exponential may be as exact as the power that is claimed.
  const bool is_close = off.most <= 1.5 * std::max(1u, claim.power_ulp);
  const int needed = least.rank == 2 && is_close ? 1 : least.rank;
  const bool is_claimed = needed <= rank_of(claim);
  return {
      is_claimed ? Standing::kDeclared : Standing::kDiffers, "frequencies",
      "base^(-2j/r), " +
          text::joined(std::views::transform(common, &Recipe::name), ", or "),
      evidence};
}

}  // namespace

BaseReading::BaseReading(const cases::Case& c, const Speeds& speeds)
    : problem(c),
      pairs(speeds.forward()),
      is_reversed(speeds.are_reversed()),
      has_offset_of_its_own(speeds.has_offset_of_its_own) {
  if (has_offset_of_its_own) return;
  std::ranges::copy_if(
      recipes_of(c), std::back_inserter(fit),
      [&](const Recipe& recipe) { return agrees(recipe, pairs); });
}

std::vector<double> BaseReading::theta() const {
  if (!fit.empty()) return fit[0].theta;
  std::vector<double> all(static_cast<std::size_t>(problem.problem.pairs()), 0);
  for (const PairFrequency& p : pairs) {
    all[static_cast<std::size_t>(p.pair)] = p.measured;
  }
  return all;
}

std::vector<Finding> frequency_findings(std::span<const BaseReading> readings,
                                        const ropeproof_claim& claim,
                                        bool angle_is_of_exact) {
  if (readings.empty()) return {};
  std::vector<Finding> findings = {{Standing::kDeclared, "direction",
                                    "position p rotates by +p theta",
                                    count_words(readings[0])}};
  if (readings[0].is_reversed) {
    findings[0].standing = Standing::kDiffers;
    findings[0].seen =
        "reversed: position p rotates by -p theta (sine negated, or positions, "
        "or the adjoint taken for forward)";
  }
  std::vector<const BaseReading*> right;
  for (const BaseReading& r : readings) {
    const std::string departure = departure_words(r.problem.problem, r.pairs);
    if (r.has_offset_of_its_own) {
      findings.push_back({Standing::kMeasured, "frequencies",
                          "base " + base_of(r) +
                              ": the angles at positions 1 and 2 are no "
                              "multiples of a frequency",
                          count_words(r)});
    } else if (departure.empty() || !r.fit.empty()) {
      right.push_back(&r);
    } else {
      findings.push_back({Standing::kDiffers, "frequencies",
                          "for base " + base_of(r) + ": " + departure,
                          count_words(r)});
    }
  }
  if (right.empty()) return findings;
  findings.push_back(recipe_finding(right, claim));
  if (angle_is_of_exact) {
    findings.back().standing = Standing::kDeclared;
    findings.back().seen =
        "base^(-2j/r), wider than f32 before the angle is rounded";
  }
  return findings;
}

std::string departure_words(const cases::Problem& problem,
                            const std::vector<PairFrequency>& pairs) {
  // Frequencies that differ by less may be the same in 16 bits.
  constexpr double kHalf = 0x1p-8;
  std::vector<explain::PairRatio> ratios;
  bool is_about_due = true;
  for (const auto& [pair, due, measured, error] : pairs) {
    is_about_due =
        is_about_due && std::abs(std::abs(measured) - std::abs(due)) <=
                            kHalf * std::abs(due) + error;
    if (due != 0)
      ratios.push_back({pair, measured / due, error / std::abs(due)});
  }
  if (is_about_due) return "";
  return text::joined(
      explain::measured_frequencies(problem, ratios).text(problem.pairs()),
      "; ");
}

UlpsOff ulps_off(std::span<const PairFrequency> pairs) {
  UlpsOff off;
  for (const PairFrequency& pair : pairs) {
    const double unit = ulp(reference::Format::kF32, pair.due);
    off.most =
        std::max(off.most, std::abs(std::abs(pair.measured) - pair.due) / unit);
    off.known_to = std::max(off.known_to, pair.error / unit);
  }
  return off;
}

std::string number_words(double x, int digits) {
  return text::format("%.*g", digits, x);
}

}  // namespace ropeproof::conformance::identify
