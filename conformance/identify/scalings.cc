#include "conformance/plugin/scalings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/cases/summary.h"
#include "conformance/check/variation_bases.h"
#include "conformance/identify/frequencies.h"
#include "conformance/identify/readings.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::identify {
namespace {

constexpr std::int64_t kTrained = 4096, kLength = 4 * kTrained;

using Rotations = std::vector<wrong::CosSin>;

// The stretch of all pairs, over that in `plain`, if given; nothing where they
// are not all alike.
std::optional<double> stretch_of(const RotationReader& reader,
                                 const Rotations& rotations,
                                 const Rotations* plain = nullptr) {
  double least = 1e300, most = 0;
  for (std::size_t j = 0; j < rotations.size(); ++j) {
    if (!reader.is_seen()[j]) continue;
    const auto length = [j](const Rotations& all) {
      return std::hypot(all[j].c, all[j].s);
    };
    const double stretch =
        length(rotations) / (plain != nullptr ? length(*plain) : 1);
    least = std::min(least, stretch), most = std::max(most, stretch);
  }
  const double within = (plain != nullptr ? 16 : 2) * reader.noise() * most;
  if (!(least <= most && most - least <= within)) return std::nullopt;
  return (least + most) / 2;
}

Finding scaling_finding(RotationReader& reader, const Speeds& speeds,
                        const std::string& words) {
  const cases::Case& c = reader.problem();
  const std::vector<PairFrequency> pairs = speeds.forward();
  std::string off = departure_words(c.problem, pairs);
  std::string seen = words + ": " + (off.empty() ? "as it should be" : off);
  const auto rotations = reader.at(1);
  const auto stretch =
      rotations ? stretch_of(reader, *rotations) : std::nullopt;
  if (stretch && std::abs(*stretch / c.golden.amplitude - 1) > reader.noise()) {
    off = "; amplitude " + number_words(*stretch) + " in place of " +
          number_words(c.golden.amplitude);
    seen += off;
  }
  return {off.empty() ? Standing::kDeclared : Standing::kDiffers, "scaling",
          seen,
          text::part_of(pairs.size(), c.problem.pairs()) + " pairs, off by " +
              number_words(ulps_off(pairs).most) + " ulp of f32 at most"};
}

}  // namespace

std::vector<Finding> read_scalings(Prober& prober, const MakeReader& reader_for,
                                   const cases::Case& plain,
                                   double max_position,
                                   std::vector<Spectrum>& spectra) {
  std::vector<Finding> findings;
  for (const auto& [bit, word] : plugin::kScalingWords) {
    if ((prober.description().scalings & bit) == 0) continue;
    const reference::Scaling scaling =
        check::plausible_scaling(bit, plain.problem.pairs(), kTrained, kLength);
    if (plugin::follows_length(scaling)) continue;
    const std::string words = cases::scaling_text(scaling);
    cases::Case c = plain;
    c.problem.spec.frequencies.scaling = scaling;
    form_again(c);
    auto reader = reader_for(c);
    if (!reader) continue;
    const auto speeds = read_speeds(*reader, max_position);
    if (!speeds || speeds->pairs.empty() || speeds->has_offset_of_its_own) {
      findings.push_back(
          {Standing::kUnseen, "scaling",
           words + ": not taken in this size, or no pair rotates", ""});
      continue;
    }
    spectra.push_back({words, speeds->pairs});
    findings.push_back(scaling_finding(*reader, *speeds, words));
  }
  return findings;
}

Finding read_amplitude(const MakeReader& reader_for, RotationReader& reader) {
  constexpr double kAsked = 1.25;
  cases::Case c = reader.problem();
  c.problem.spec.frequencies.amplitude = kAsked;
  form_again(c);
  auto stretched = reader_for(c);
  const auto before = reader.at(1);
  const auto after = stretched ? stretched->at(1) : std::nullopt;
  if (!before || !after) {
    return {Standing::kUnseen, "amplitude", "not taken", ""};
  }
  const auto stretch = stretch_of(reader, *after, &*before);
  const bool is_due =
      stretch && std::abs(*stretch / kAsked - 1) <= 16 * reader.noise();
  return {is_due ? Standing::kDeclared : Standing::kDiffers, "amplitude",
          number_words(kAsked) + " asked: " +
              (is_due    ? "cos and sin times it"
               : stretch ? "cos and sin times " + number_words(*stretch)
                         : "pairs are not stretched alike"),
          text::part_of(std::ranges::count(reader.is_seen(), true),
                        c.problem.pairs()) +
              " pairs"};
}

}  // namespace ropeproof::conformance::identify
