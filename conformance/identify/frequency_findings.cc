#include "conformance/identify/frequency_findings.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>

#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::identify {
namespace {

std::string base_of(const BaseReading& reading) {
  return number_words(reading.problem.problem.spec.frequencies.base);
}

// Of those that are right to 16 bits: what fits them all.
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
  const std::string text =
      "base^(-2j/r), " +
      text::joined(std::views::transform(common, &Recipe::name), ", or ");
  const bool is_claimed = needed <= rank_of(claim);
  return {is_claimed ? Standing::kDeclared : Standing::kDiffers, "frequencies",
          text, evidence};
}

}  // namespace

std::vector<double> BaseReading::theta() const {
  if (!fit.empty()) return fit[0].theta;
  std::vector<double> all(static_cast<std::size_t>(problem.problem.pairs()), 0);
  for (const PairFrequency& p : pairs) {
    all[static_cast<std::size_t>(p.pair)] = p.measured;
  }
  return all;
}

BaseReading reading_of(const cases::Case& problem, const Speeds& speeds) {
  BaseReading reading{
      problem, speeds.pairs, false, speeds.has_offset_of_its_own, {}};
  reading.is_reversed = std::ranges::all_of(
      reading.pairs, [](const PairFrequency& p) { return p.measured < 0; });
  for (PairFrequency& p : reading.pairs) {
    if (reading.is_reversed) p.measured = -p.measured;
  }
  if (!reading.has_offset_of_its_own) {
    reading.fit = fitting(recipes_of(problem), reading.pairs);
  }
  return reading;
}

std::vector<Finding> frequency_findings(std::span<const BaseReading> readings,
                                        const ropeproof_claim& claim,
                                        bool angle_is_of_exact) {
  std::vector<Finding> findings;
  if (readings.empty()) return findings;
  const BaseReading& first = readings[0];
  findings.push_back(
      {first.is_reversed ? Standing::kDiffers : Standing::kDeclared,
       "direction",
       first.is_reversed
           ? "reversed: position p rotates by -p theta (sine negated, or "
             "positions, or the adjoint taken for forward)"
           : "position p rotates by +p theta",
       text::part_of(std::ssize(first.pairs), first.problem.problem.pairs()) +
           " pairs"});
  std::vector<const BaseReading*> right;
  for (const BaseReading& r : readings) {
    const std::string count =
        text::part_of(std::ssize(r.pairs), r.problem.problem.pairs()) +
        " pairs";
    if (r.has_offset_of_its_own) {
      findings.push_back({Standing::kMeasured, "frequencies",
                          "base " + base_of(r) +
                              ": the angles at positions 1 and 2 are no "
                              "multiples of a frequency",
                          count});
    } else if (is_about_due(r.pairs) || !r.fit.empty()) {
      right.push_back(&r);
    } else {
      findings.push_back({Standing::kDiffers, "frequencies",
                          "for base " + base_of(r) + ": " +
                              departure_words(r.problem.problem, r.pairs),
                          count});
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

}  // namespace ropeproof::conformance::identify
