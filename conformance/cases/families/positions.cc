#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::leading;
using reference::Pairing;

Group core_boundaries() {
  Family family(Tier::kCore, "core-boundaries",
                "Both sides of the powers of two where a type gives out: 2^8 "
                "of bf16, 2^11 and 65504 of f16, 2^24 of f32, 2^31 of a signed "
                "word; table lengths; and half way between two neighbours.");
  struct Row {
    const char* comment;
    double base;
    bool is_signed;
  };
  constexpr Row kRows[] = {{"every boundary", 1e4, false},
                           {"every boundary, another base", 5e5, false},
                           {"every second boundary negative", 1e6, true}};
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    for (const Row& row : kRows) {
      std::vector<double> positions = kBoundaries;
      for (std::size_t i = 0; row.is_signed && i < positions.size(); i += 2) {
        positions[i] = -positions[i];
      }
      const auto count = static_cast<std::int64_t>(positions.size());
      family.add(
          make_problem(dtype, window(8, 8, 0, pairing), row.base, 1, count, 1,
                       0, positions),
          row.is_signed
              ? Targets{"rotation/direction-reversed",
                        "position/rounded-to-half", "angle/rounded-to-f32",
                        "position/shift-lost", "table/too-short"}
              : Targets{"frequency/rounded-to-half", "position/rounded-to-half",
                        "angle/rounded-to-half", "angle/rounded-to-f32",
                        "angle/no-range-reduction", "angle/by-recurrence",
                        "position/int64-as-int32", "table/too-short"},
          row.comment);
    }
  }
  return family.take();
}

Group core_far() {
  Family family(Tier::kCore, "core-far",
                "The 64 pairs of large models at the end of long contexts, "
                "where the slow pairs have rotated too.");
  constexpr double kBases[] = {1e4, 5e5, 1e6, 1e7};
  const std::vector<double> positions[] = {
      {32783, 1048575}, {131071, 65535}, {65791, 262143}, {524287, 40961}};
  for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
    for (std::size_t i = 0; i < std::size(kBases); ++i) {
      family.add(make_problem(dtype, leading(128, 128, pairing), kBases[i], 1,
                              2, 1, 0, positions[i]),
                 {"frequency/wrong-exponent", "frequency/wrong-base",
                  "frequency/rounded-to-half", "angle/rounded-to-half",
                  "angle/rounded-to-f32", "angle/no-range-reduction",
                  "angle/by-recurrence", "table/too-short"},
                 "128 channels, two far positions");
    }
  }
  return family.take();
}

Group core_coverage() {
  Family family(Tier::kCore, "core-coverage",
                "Each of 128 pairs at a position of each size from 2^0 to "
                "2^24: no pair index and no size of position is untested.");
  constexpr int kBinades = 25, kTokens = 5;
  const auto add = [&](Format dtype, Pairing pairing, const char* comment,
                       double (*position)(double power)) {
    for (int first = 0; first < kBinades; first += kTokens) {
      std::vector<double> positions;
      for (int binade = first; binade < first + kTokens; ++binade) {
        positions.push_back(
            position(static_cast<double>(std::int64_t{1} << binade)));
      }
      family.add(make_problem(dtype, leading(256, 256, pairing), 5e5, 1,
                              kTokens, 1, 0, positions),
                 {"frequency/wrong-exponent", "frequency/rounded-to-half",
                  "position/rounded-to-half", "angle/by-recurrence",
                  "shape/simd-tail"},
                 comment + std::string(" from 2^") + std::to_string(first));
    }
  };
  add(Format::kF32, Pairing::kInterleaved, "the last of each binade",
      [](double power) { return 2 * power - 1; });
  add(Format::kBF16, Pairing::kHalfSplit, "the first odd one of each binade",
      [](double power) { return power == 1 ? 1 : power + 1; });
  return family.take();
}

}  // namespace ropeproof::conformance::cases
