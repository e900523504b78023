#include "conformance/judge/suspects.h"

#include <algorithm>
#include <functional>
#include <map>

#include "conformance/judge/clues.h"

namespace ropeproof::conformance::judge {
namespace {

enum Likelihood {
  kContradicted,
  kPossible,
  kLikely,
  kNamed  // what was measured is this bug's own mark, whatever the case is for
};

Likelihood when(bool is_so, Likelihood likelihood) {
  return is_so ? likelihood : kContradicted;
}

// A scaling computed wrongly: its frequencies, and nothing else of the angle.
Likelihood of_scaling(const Clues& k, bool has_it) {
  if (!has_it || k.reversed) return kContradicted;
  if (k.frequency_off) return kNamed;
  if (k.origin_wrong || !k.angle_unknown) return kContradicted;
  if (k.is_fine) return kPossible;
  return when(!k.frequency_right, kLikely);
}

// Frequencies of another formula.
Likelihood of_frequency(const Clues& k) {
  if (k.frequency_off && !k.reversed) return kLikely;
  return when(k.angle_unknown && !k.frequency_right && !k.origin_wrong &&
                  !k.is_fine && !k.angle_halved,
              kPossible);
}

// A formula that leaves the first pair's frequency at 1.
Likelihood of_base(const Clues& k) {
  return k.pair_0_off || k.never_a_base ? kContradicted : of_frequency(k);
}

// Another position than the given one.
Likelihood of_position(const Clues& k) {
  if (k.position_off) return kLikely;
  return when(k.angle_unknown && !k.is_fine && !k.angle_halved, kPossible);
}

// An error that grows with the angle.
Likelihood of_large_angles(const Clues& k) {
  if (!k.angle_unknown || k.origin_wrong) return kContradicted;
  return k.is_far ? kLikely : kPossible;
}

// Other elements are read or written. Those of another head would not keep the
// length of this one, as other pairs do.
Likelihood of_places(const Clues& k) {
  if (k.are_places) return kLikely;
  const bool is_explained = k.is_fine || k.are_pairs || k.frequency_off ||
                            k.amplitude_off || k.position_off;
  return is_explained ? kContradicted : kPossible;
}

using Rule = std::function<Likelihood(const Clues&)>;

const std::map<std::string, Rule>& rules() {
  using namespace reference;
  static const Rule pairs = [](const Clues& k) {
    if (k.sine_lost || k.only_second) return kContradicted;
    return k.are_pairs ? kLikely : when(k.is_rotation, kPossible);
  };
  static const Rule window = [](const Clues& k) {
    if (k.outside_wrong) return kLikely;
    const bool is_explained = k.sine_lost || k.only_second;
    return when((k.are_pairs || k.is_rotation) && !is_explained, kPossible);
  };
  static const Rule axes = [](const Clues& k) {
    return when(k.has_axes && k.is_angle && !k.is_fine, kLikely);
  };
  static const Rule stretch = [](const Clues& k) {
    if (!k.has_amplitude) return kContradicted;
    if (k.amplitude_off) return kNamed;
    return when(k.is_rotation || k.outside_wrong, kLikely);
  };
  static const std::map<std::string, Rule> kRules = {
      {"layout/pairs-swapped", pairs},
      {"layout/table-of-other-pairing",
       [](const Clues& k) {
         return k.frequency_off ? when(!k.in_order, kLikely) : pairs(k);
       }},
      {"layout/output-of-other-pairing", pairs},
      {"rotation/direction-reversed",
       [](const Clues& k) {
         if (k.reversed) return kNamed;
         return when(k.angle_unknown && !k.is_fine && !k.frequency_right,
                     kPossible);
       }},
      {"rotation/backward-wrong",
       [](const Clues& k) {
         return when(k.is_adjoint && !k.is_fine,
                     k.reversed || k.amplitude_off ? kLikely : kPossible);
       }},
      {"rotation/sine-lost",
       [](const Clues& k) {
         if (k.sine_lost) return kNamed;
         if (k.is_rotation) return when(!k.only_second, kLikely);
         return when(k.angle_unknown && !k.is_fine && !k.angle_halved,
                     kPossible);
       }},
      {"window/outside-overwritten",
       [](const Clues& k) {
         return when(k.outside_wrong && !k.unwritten, kNamed);
       }},
      {"window/outside-not-copied",
       [](const Clues& k) {
         return when(k.outside_wrong, k.unwritten ? kNamed : kLikely);
       }},
      {"window/head-dim-for-rotary-dim",
       [](const Clues& k) {
         if (!k.is_partial) return kContradicted;
         if (k.base_of_head) return kNamed;
         return std::max(of_base(k), pairs(k));
       }},
      {"window/factor-misapplied",
       [](const Clues& k) { return std::max(window(k), of_base(k)); }},
      {"window/wrong-end", window},
      {"frequency/wrong-exponent", of_frequency},
      {"frequency/wrong-base",
       [](const Clues& k) {
         return k.other_base && !k.base_of_head ? kNamed : of_base(k);
       }},
      {"frequency/base-of-other-layer", of_base},
      {"frequency/uninitialised",
       [](const Clues& k) {
         return k.frequency_off && k.in_order ? kPossible : of_frequency(k);
       }},
      {"frequency/rounded-to-half",
       [](const Clues& k) {
         if (k.frequency_off) return when(k.slightly && !k.in_order, kNamed);
         if (k.fits_half || k.angle_halved) return kNamed;
         return when(k.angle_unknown && !k.frequency_right && !k.origin_wrong,
                     k.is_fine ? kLikely : kPossible);
       }},
      {"scaling/linear-misapplied",
       [](const Clues& k) {
         return of_scaling(
             k, k.has<Linear>() && (!k.frequency_off || k.one_ratio));
       }},
      {"scaling/dynamic-ntk",
       [](const Clues& k) {
         return of_scaling(
             k, (k.has<DynamicNtk>() || k.has<Ntk>()) && !k.pair_0_off);
       }},
      {"scaling/yarn-ramp",
       [](const Clues& k) { return of_scaling(k, k.has<Yarn>()); }},
      {"scaling/llama3-smoothing",
       [](const Clues& k) { return of_scaling(k, k.has<Llama3>()); }},
      {"scaling/longrope-list",
       [](const Clues& k) { return of_scaling(k, k.has<LongRope>()); }},
      {"scaling/factors-lost",
       [](const Clues& k) { return of_scaling(k, k.has<FrequencyFactors>()); }},
      {"scaling/length-mistaken",
       [](const Clues& k) {
         const bool has_length = k.has<DynamicNtk>() || k.has<LongRope>();
         return of_scaling(
             k, has_length && !(k.has<DynamicNtk>() && k.pair_0_off));
       }},
      {"scaling/amplitude-misapplied", stretch},
      {"position/rounded-to-half",
       [](const Clues& k) {
         if (k.position_off) return when(k.position_halved, kNamed);
         return of_large_angles(k);
       }},
      {"position/offset-lost",
       [](const Clues& k) {
         return k.position_off && k.position_shifted ? kNamed : of_position(k);
       }},
      {"position/shift-lost",
       [](const Clues& k) {
         return k.position_off && k.position_negated ? kNamed : of_position(k);
       }},
      {"position/shared-across-batch",
       [](const Clues& k) {
         if (!k.has_rows || k.is_fine) return kContradicted;
         return k.some_rows && k.is_angle ? kLikely : of_position(k);
       }},
      {"position/single-token-path",
       [](const Clues& k) { return when(k.is_decode, of_position(k)); }},
      {"position/int64-as-int32",
       [](const Clues& k) {
         return when(k.is_beyond_int32, of_large_angles(k));
       }},
      {"position/wrong-index", of_position},
      {"position/packed-not-restarted", of_position},
      {"table/too-short",
       [](const Clues& k) {
         if (k.position_off) {
           return when(
               k.position_held && !k.position_shifted && !k.position_halved,
               kNamed);
         }
         return of_large_angles(k);
       }},
      {"table/stale",
       [](const Clues& k) {
         return when(k.is_angle && !k.is_fine, kPossible);
       }},
      {"angle/rounded-to-half",
       [](const Clues& k) {
         if (k.angle_halved) return kNamed;
         return k.is_angle && k.fits_half ? kLikely : of_large_angles(k);
       }},
      {"angle/rounded-to-f32",
       [](const Clues& k) {
         if (k.is_angle && k.fits_f32) return kNamed;
         return k.fits_half ? kContradicted : of_large_angles(k);
       }},
      {"angle/no-range-reduction", of_large_angles},
      {"angle/by-recurrence",
       [](const Clues& k) { return when(k.is_angle && k.is_fine, kPossible); }},
      {"output/rounded-wrongly",
       [](const Clues& k) {
         return when(k.is_fine, k.fits_half ? kNamed : kLikely);
       }},
      {"source/numbers-not-exact",
       [](const Clues& k) { return when(k.is_fine, kPossible); }},
      {"memory/race", of_places},
      {"memory/strides-ignored",
       [](const Clues& k) {
         const Likelihood likelihood = of_places(k);
         return k.is_strided && likelihood != kContradicted ? kLikely
                                                            : likelihood;
       }},
      {"memory/aliasing",
       [](const Clues& k) {
         if (k.is_rotation && k.only_second) return kNamed;
         return when((k.is_rotation && !k.sine_lost) || k.are_pairs, kPossible);
       }},
      {"shape/simd-tail",
       [](const Clues& k) {
         if (k.is_fine) return kContradicted;
         if (k.tail_still) return kNamed;
         const bool is_part = k.some_pairs || k.some_heads;
         return when(is_part && !k.frequency_off, kLikely);
       }},
      {"shape/heads-miscounted",
       [](const Clues& k) { return when(k.are_places, kLikely); }},
      {"shape/axes-confused", of_places},
      {"shape/32-bit-overflow", of_places},
      {"shape/odd-size", of_places},
      {"call/wrong-tensor", of_places},
      {"axes/mrope-sections", axes},
      {"axes/2d-swapped", axes},
  };
  return kRules;
}

}  // namespace

std::vector<std::string> suspects(const cases::RopeCase& c, int equation,
                                  const Evidence& evidence,
                                  const Measured& measured) {
  const Clues clues = clues_of(c, equation, evidence, measured);
  std::vector<std::pair<Likelihood, std::string>> ranked;
  const auto is_target = [&](const std::string& key) {
    return std::ranges::find(c.targets, key) != c.targets.end();
  };
  for (const std::string& key : c.targets) {
    const auto rule = rules().find(key);
    ranked.emplace_back(rule == rules().end() ? kPossible : rule->second(clues),
                        key);
  }
  for (const auto& [key, rule] : rules()) {
    if (!is_target(key) && rule(clues) == kNamed) {
      ranked.emplace_back(kNamed, key);
    }
  }
  std::erase_if(ranked, [](const auto& suspect) {
    return suspect.first == kContradicted;
  });
  std::ranges::stable_sort(ranked, std::greater{},
                           [](const auto& suspect) { return suspect.first; });
  std::vector<std::string> keys;
  for (auto& [likelihood, key] : ranked) keys.push_back(std::move(key));
  return keys;
}

}  // namespace ropeproof::conformance::judge
