#include "conformance/identify/scalings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "conformance/cases/summary.h"
#include "conformance/check/variation_bases.h"
#include "conformance/identify/frequency_findings.h"
#include "conformance/identify/frequency_words.h"
#include "conformance/plugin/fields.h"
#include "conformance/text/format.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::identify {
namespace {

constexpr std::int64_t kTrained = 4096, kLength = 4 * kTrained;

// The amplitude that rotations have, where all pairs agree.
std::optional<double> stretch_of(const std::vector<wrong::CosSin>& rotations,
                                 const RotationReader& reader) {
  double least = 1e300, most = 0;
  for (std::size_t j = 0; j < rotations.size(); ++j) {
    if (!reader.is_seen()[j]) continue;
    const double stretch = std::hypot(rotations[j].c, rotations[j].s);
    least = std::min(least, stretch), most = std::max(most, stretch);
  }
  if (!(most - least <= 2 * reader.noise() * most)) return std::nullopt;
  return (least + most) / 2;
}

}  // namespace

std::vector<Finding> read_scalings(Prober& prober, const MakeReader& reader_for,
                                   const std::optional<cases::Case>& plain,
                                   double max_position,
                                   std::vector<Spectrum>& spectra) {
  std::vector<Finding> findings;
  if (!plain) return findings;
  const plugin::Description& kernel = prober.description();
  for (const auto& [bit, word] : plugin::kScalingWords) {
    if ((kernel.scalings & bit) == 0) continue;
    const reference::Scaling scaling = check::plausible_scaling(
        word, plain->problem.pairs(), kTrained, kLength);
    if (plugin::follows_length(scaling)) continue;
    const std::string words = cases::scaling_text(scaling);
    cases::Case c = *plain;
    c.problem.spec.frequencies.scaling = scaling;
    form_again(c);
    auto reader = reader_for(c);
    if (!reader) continue;
    const std::string subject = "scaling";
    const auto speeds = read_speeds(*reader, max_position);
    if (!speeds || speeds->pairs.empty() || speeds->has_offset_of_its_own) {
      findings.push_back(
          {Standing::kUnseen, subject,
           words + ": not taken in this size, or no pair rotates", ""});
      continue;
    }
    spectra.push_back({words, speeds->pairs});
    const std::vector<PairFrequency> pairs = reading_of(c, *speeds).pairs;
    std::string seen = words + ": ";
    bool differs = false;
    if (is_about_due(pairs)) {
      seen += "as it should be";
    } else {
      seen += departure_words(c.problem, pairs);
      differs = true;
    }
    const auto rotations = reader->at(1);
    const auto stretch =
        rotations ? stretch_of(*rotations, *reader) : std::optional<double>();
    if (stretch &&
        std::abs(*stretch / c.golden.amplitude - 1) > reader->noise()) {
      seen += "; amplitude " + number_words(*stretch) + " in place of " +
              number_words(c.golden.amplitude);
      differs = true;
    }
    findings.push_back(
        {differs ? Standing::kDiffers : Standing::kDeclared, subject, seen,
         text::part_of(pairs.size(), c.problem.pairs()) + " pairs, off by " +
             number_words(ulps_off(pairs).most) + " ulp of f32 at most"});
  }
  return findings;
}

Finding read_amplitude(Prober& prober, const cases::Case& plain,
                       RotationReader& reader,
                       const std::optional<ChannelMap>& map) {
  constexpr double kAsked = 1.25;
  const std::string subject = "amplitude";
  cases::Case c = plain;
  c.problem.spec.frequencies.amplitude = kAsked;
  form_again(c);
  RotationReader stretched(prober, c, map);
  const auto before = reader.at(1), after = stretched.at(1);
  if (!before || !after) return {Standing::kUnseen, subject, "not taken", ""};
  // Of cosines and of sines, where these are large enough to divide by.
  std::vector<double> cosines, sines;
  for (std::size_t j = 0; j < before->size(); ++j) {
    if (!reader.is_seen()[j]) continue;
    const wrong::CosSin &x = (*before)[j], &y = (*after)[j];
    if (std::abs(x.c) > 0.125) cosines.push_back(y.c / x.c);
    if (std::abs(x.s) > 0.125) sines.push_back(y.s / x.s);
  }
  const auto is_all = [&](const std::vector<double>& values, double m) {
    return std::ranges::all_of(values, [&](double x) {
      return std::abs(x - m) <= 16 * reader.noise() * m;
    });
  };
  const std::string asked = number_words(kAsked) + " asked: ";
  const std::string evidence = std::to_string(cosines.size()) + " cosines, " +
                               std::to_string(sines.size()) + " sines";
  if (cosines.empty() || sines.empty()) {
    return {Standing::kUnseen, subject, "no pair rotates far enough", evidence};
  }
  if (is_all(cosines, kAsked) && is_all(sines, kAsked)) {
    return {Standing::kDeclared, subject, asked + "cos and sin times it",
            evidence};
  }
  for (const wrong::Mutation& bug : wrong::mutations()) {
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    bug.change(pipeline);
    const double unit = std::sqrt(0.5);  // of a pair at 45 degrees
    double c_of_it = unit * pipeline.amplitude(kAsked), s_of_it = c_of_it;
    pipeline.adjust_rotation(c_of_it, s_of_it, 1, plain.problem.pairs());
    if (is_all(cosines, c_of_it / unit) && is_all(sines, s_of_it / unit)) {
      return {Standing::kDiffers, subject, asked + bug.name, evidence};
    }
  }
  return {Standing::kDiffers, subject,
          asked + "cosines x " + number_words(cosines.front()) + ", sines x " +
              number_words(sines.front()) + ", in no way known here",
          evidence};
}

}  // namespace ropeproof::conformance::identify
