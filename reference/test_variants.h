// test_variants.h -- one of each, for tests that try all combinations.
//
// Six pairs (12 of 16 channels) are enough for every section scheme. Any
// scaling goes with any scheme and any layout; all() leaves out only what
// spec.h refuses: xPos on several axes, and given frequencies where a scheme
// has exponents of its own.
#pragma once

#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "reference/schemes.h"
#include "reference/spec.h"

namespace ropeproof::reference {

inline constexpr std::int64_t kVariantPairs = 6;
inline constexpr std::int64_t kVariantHeadDim = 16;

template <class T>
using Named = std::vector<std::pair<std::string, T>>;

inline Named<Frequencies> all_frequencies() {
  const auto with = [](const Scaling& scaling) {
    Frequencies frequencies;
    frequencies.scaling = scaling;
    return frequencies;
  };
  const auto longrope = [&](std::int64_t seq_len) {
    return with(LongRope{{1, 1.05, 1.25, 2, 3, 4},
                         {1.5, 2.5, 6, 12.1, 20, 33},
                         4096,
                         seq_len,
                         32});
  };
  Yarn untruncated{32, 4096};
  untruncated.truncate = false;
  untruncated.mscale = 0.707, untruncated.mscale_all_dim = 1;
  Frequencies stretched, given, xpos, key, own, learned;
  stretched.amplitude = 1.25;
  given.inv_freq = {1, -0.5, 0, 0.1, 3, 0.001};
  xpos.xpos = XPos{};
  key.xpos = XPos{7, 3.5, true};
  own.bases = {100, 100, 10000, 10000, 256, 2};
  own.scaling = Linear{2.7};
  learned = with(Yarn{4, 100});
  learned.pair_factors = {1.25, 1, 0.7, 3, 0.01, 1.1};
  return {{"default", {}},
          {"amplitude 1.25", stretched},
          {"given", given},
          {"bases", own},
          {"linear", with(Linear{3})},
          {"ntk", with(Ntk{4})},
          {"dynamic ntk", with(DynamicNtk{2, 2048, 5000})},
          {"yarn", with(Yarn{4, 100})},
          {"yarn, not truncated", with(untruncated)},
          {"longrope, short", longrope(4096)},
          {"longrope, long", longrope(4097)},
          {"llama3", with(Llama3{8, 1, 4, 64})},
          {"factors", with(FrequencyFactors{{1, 1, 2.5, 7, 0.5, 32}})},
          {"yarn with pair factors", learned},
          {"xpos, query", xpos},
          {"xpos, key", key}};
}

inline Named<Scheme> all_schemes() {
  using Ints = std::vector<std::int64_t>;
  const auto axes = [](const Axes& a) { return Scheme{a, {}}; };
  return {{"one axis", {}},
          {"proportional", {{}, proportional_exponents(16, kVariantPairs)}},
          {"m-rope", axes(contiguous_sections(Ints{1, 2, 3}))},
          {"interleaved m-rope", axes(interleaved_sections(Ints{3, 2, 1}))},
          {"ggml", axes(interleaved_sections_ggml(Ints{2, 1, 1, 2}))},
          {"four axes", axes(contiguous_sections(Ints{2, 1, 1, 2}))},
          {"ernie", axes(ernie_sections(Ints{2, 2, 2}))},
          {"2-D, shared", axial_2d(kVariantPairs, 0, Spectrum::kShared)},
          {"2-D, even and odd", axial_2d(kVariantPairs, 1, Spectrum::kEvenOdd)},
          {"video", n_axis(Ints{2, 2, 2})},
          {"mixed",
           axes(mixed_axes(2, std::vector<double>{0.5, 4, -1, 0.1, 0, -0.7,
                                                  0.25, 2, 3, -0.2, 0, 1}))},
          {"2 pi", axes(weighted(contiguous_sections(Ints{3, 3}), kVariantPairs,
                                 2 * std::numbers::pi))}};
}

inline Named<Layout> all_layouts() {
  constexpr std::int64_t d = kVariantHeadDim, r = 2 * kVariantPairs;
  return {{"interleaved", leading(d, r, Pairing::kInterleaved)},
          {"half-split", trailing(d, r, Pairing::kHalfSplit)},
          {"in interleaved, out half-split",
           {d, r, 3, Pairing::kInterleavedToHalf}},
          {"nested", {d, r, 1, Pairing::kNestedHalfSplit, 3}},
          {"proportional", {d, r, 0, Pairing::kHalfSplit, 1, d / 2}}};
}

// Every combination that spec.h accepts; the names tell which.
inline Named<Spec> all_variants() {
  Named<Spec> result;
  for (const auto& [frequencies_name, frequencies] : all_frequencies()) {
    for (const auto& [scheme_name, scheme] : all_schemes()) {
      if (frequencies.xpos &&
          (scheme.axes.count > 1 || !scheme.axes.weights.empty())) {
        continue;
      }
      if (!frequencies.inv_freq.empty() && !scheme.exponents.empty()) continue;
      for (const auto& [layout_name, layout] : all_layouts()) {
        Spec spec{layout, frequencies};
        spec.axes = scheme.axes;
        spec.frequencies.exponents = scheme.exponents;
        result.emplace_back(
            frequencies_name + "; " + scheme_name + "; " + layout_name, spec);
      }
    }
  }
  return result;
}

// Whole, negative and fractional coordinates, and far ones, which xPos refuses:
// [axes, tokens].
inline std::vector<double> variant_positions(const Spec& spec) {
  constexpr double kCoordinates[4][6] = {
      {0, 131071, -7, 16777217, -0x1p53, 4294967297},
      {1, 3, 0.25, -2147483648, 0x1p53 - 1, 1},
      {513, -0.5, 0, 16777215, 3, 0x1p53},
      {2, 4097, 1e-3, 2147483647, -1, 0}};
  const int tokens = spec.frequencies.xpos ? 3 : 6;
  std::vector<double> positions;
  for (std::int64_t k = 0; k < spec.axes.count; ++k) {
    positions.insert(positions.end(), kCoordinates[k],
                     kCoordinates[k] + tokens);
  }
  return positions;
}

}  // namespace ropeproof::reference
