// Which positions, and what a position is.
#include <numbers>

#include "conformance/cases/core/choices.h"
#include "conformance/cases/core/core_families.h"

namespace ropeproof::conformance::cases {

using reference::Axes;
using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::Scheme;
using reference::Spectrum;

Group core_boundaries() {
  Family family("core", "core-boundaries",
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
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kPairings) {
      for (const Row& row : kRows) {
        std::vector<double> positions = kBoundaries;
        for (std::size_t i = 0; row.is_signed && i < positions.size(); i += 2) {
          positions[i] = -positions[i];
        }
        const auto count = static_cast<std::int64_t>(positions.size());
        family.add(make_case(dtype, window(8, 8, 0, pairing), row.base, 1,
                             count, 1, 0, positions),
                   row.is_signed
                       ? std::vector<std::string>{"rotation/direction-reversed",
                                                  "position/rounded-to-half",
                                                  "angle/rounded-to-f32",
                                                  "position/shift-lost",
                                                  "table/too-short"}
                       : std::vector<std::string>{"frequency/rounded-to-half",
                                                  "position/rounded-to-half",
                                                  "angle/rounded-to-half",
                                                  "angle/rounded-to-f32",
                                                  "angle/no-range-reduction",
                                                  "angle/by-recurrence",
                                                  "position/int64-as-int32",
                                                  "table/too-short"},
                   row.comment);
      }
    }
  }
  return family.take();
}

Group core_far() {
  Family family("core", "core-far",
                "The 64 pairs of large models at the end of long contexts, "
                "where the slow pairs have turned too.");
  constexpr double kBases[] = {1e4, 5e5, 1e6, 1e7};
  const std::vector<double> positions[] = {
      {32783, 1048575}, {131071, 65535}, {65791, 262143}, {524287, 40961}};
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kCommonPairings) {
      for (std::size_t i = 0; i < std::size(kBases); ++i) {
        family.add(make_case(dtype, leading(128, 128, pairing), kBases[i], 1, 2,
                             1, 0, positions[i]),
                   {"frequency/wrong-exponent", "frequency/wrong-base",
                    "frequency/rounded-to-half", "angle/rounded-to-half",
                    "angle/rounded-to-f32", "angle/no-range-reduction",
                    "angle/by-recurrence", "table/too-short"},
                   "128 channels, two far positions");
      }
    }
  }
  return family.take();
}

Group core_coverage() {
  Family family("core", "core-coverage",
                "Each of 128 pairs at a position of each size from 2^0 to "
                "2^24: no pair index and no size of position is untested.");
  constexpr int kDecades = 25, kTokens = 5;
  const auto add = [&](Format dtype, Pairing pairing, const char* comment,
                       double (*position)(double power)) {
    for (int first = 0; first < kDecades; first += kTokens) {
      std::vector<double> positions;
      for (int decade = first; decade < first + kTokens; ++decade) {
        positions.push_back(
            position(static_cast<double>(std::int64_t{1} << decade)));
      }
      family.add(make_case(dtype, leading(256, 256, pairing), 5e5, 1, kTokens,
                           1, 0, positions),
                 {"frequency/wrong-exponent", "frequency/rounded-to-half",
                  "position/rounded-to-half", "angle/by-recurrence",
                  "shape/simd-tail"},
                 comment + std::string(" from 2^") + std::to_string(first));
    }
  };
  add(Format::kF32, Pairing::kInterleaved, "the last of each decade",
      [](double power) { return 2 * power - 1; });
  add(Format::kBF16, Pairing::kHalfSplit, "the first odd one of each decade",
      [](double power) { return power == 1 ? 1 : power + 1; });
  return family.take();
}

namespace {

// `count` axes with ids that differ from axis to axis and token to token.
std::vector<double> distinct_ids(std::int64_t count, std::int64_t tokens) {
  std::vector<double> ids;
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t s = 0; s < tokens; ++s) {
      ids.push_back(static_cast<double>(2 + 41 * a + (7 + 4 * a) * s));
    }
  }
  return ids;
}

// One case of core-axes, in every dtype.
struct AxisRow {
  const char* comment;
  const char* target;
  std::int64_t rotary_dim;
  Pairing pairing;
  double base;
  Scheme scheme;
  std::vector<double> positions;  // empty: distinct ids of three tokens
};

constexpr Pairing kHalf = Pairing::kHalfSplit;
constexpr Pairing kInter = Pairing::kInterleaved;

using Sections = std::vector<std::int64_t>;

std::vector<AxisRow> section_rows() {
  const Sections qwen2 = {16, 24, 24}, qwen3 = {24, 20, 20},
                 qwen35 = {11, 11, 10}, ggml = {6, 4, 4, 2},
                 hunyuan = {4, 4, 4, 4}, glm = {8, 12, 12}, ernie = {6, 6, 4};
  return {{"sections 16, 24, 24 in blocks, as Qwen2-VL",
           "axes/mrope-sections",
           128,
           kHalf,
           1e6,
           {reference::contiguous_sections(qwen2), {}},
           {}},
          {"sections 24, 20, 20 interleaved, as Qwen3-VL: the last four pairs "
           "follow t",
           "axes/mrope-sections",
           128,
           kHalf,
           5e6,
           {reference::interleaved_sections(qwen3), {}},
           {}},
          {"sections 11, 11, 10 interleaved, as Qwen3.5",
           "axes/mrope-sections",
           64,
           kHalf,
           1e7,
           {reference::interleaved_sections(qwen35), {}},
           {}},
          {"sections 6, 4, 4 and 2 of a fourth axis, as ggml",
           "axes/mrope-sections",
           32,
           kHalf,
           1e6,
           {reference::interleaved_sections_ggml(ggml), {}},
           {}},
          {"four equal sections, as Hunyuan-OCR",
           "axes/mrope-sections",
           32,
           kHalf,
           1e4,
           {reference::contiguous_sections(hunyuan), {}},
           {}},
          {"sections 8, 12, 12 in turn until used up, as GLM-4.6V",
           "axes/mrope-sections",
           64,
           kInter,
           1e4,
           {reference::round_robin_sections(glm), {}},
           {}},
          {"h and w by turns, then t, as Ernie 4.5-VL",
           "axes/mrope-sections",
           32,
           kInter,
           5e5,
           {reference::ernie_sections(ernie), {}},
           {}}};
}

std::vector<AxisRow> grid_rows() {
  const Sections grid = {3, 5}, wan = {4, 3, 3}, flux1 = {2, 7, 7},
                 flux2 = {4, 4, 4, 4};
  const std::vector<double> cells = reference::grid_positions(grid);
  std::vector<double> weights;
  for (int j = 0; j < 8; ++j) weights.push_back(0.75 - 0.21875 * j);
  Scheme centred = reference::axial_2d(4, 0, Spectrum::kShared);
  centred.axes = reference::weighted(centred.axes, 4, 2 * std::numbers::pi);
  return {{"3 x 5 grid, height first", "axes/2d-swapped", 8, kHalf, 1e4,
           reference::axial_2d(4, 0, Spectrum::kShared), cells},
          {"3 x 5 grid, width first", "axes/2d-swapped", 8, kInter, 1e4,
           reference::axial_2d(4, 1, Spectrum::kShared), cells},
          {"3 x 5 grid, even frequencies for height, odd for width, as Pixtral",
           "axes/2d-swapped", 8, kHalf, 1e4,
           reference::axial_2d(4, 0, Spectrum::kEvenOdd), cells},
          {"time, height, width with frequencies of their own, as Wan 2.1",
           "axes/2d-swapped",
           20,
           kInter,
           1e4,
           reference::n_axis(wan),
           {}},
          {"a short axis and two long ones, as Flux.1",
           "axes/2d-swapped",
           32,
           kInter,
           1e4,
           reference::n_axis(flux1),
           {}},
          {"four axes of equal length, as Flux.2",
           "axes/2d-swapped",
           32,
           kInter,
           2000,
           reference::n_axis(flux2),
           {}},
          {"mixed 2-D: every pair follows both axes, forward and backward",
           "axes/2d-swapped",
           8,
           kInter,
           1,
           {reference::mixed_axes(2, weights), {}},
           {-2, -1, 0, 3, 7, -5, 0, 1}},
          {"real coordinates times 2 pi, as DINOv3",
           "axes/2d-swapped",
           8,
           kHalf,
           100,
           centred,
           {-0.5, -0.25, 0.125, 0.75, 0.9375, 0.5, -0.0625, -1}}};
}

std::vector<AxisRow> line_rows() {
  const Sections starts = {0, 3, 4, 9};
  return {{"three packed sequences, each from position 0",
           "position/packed-not-restarted",
           8,
           kHalf,
           1e4,
           {},
           reference::packed_positions(starts)},
          {"chunks of two ranks, in the order 0 3 1 2",
           "position/packed-not-restarted",
           8,
           kInter,
           1e4,
           {},
           {0, 1, 6, 7, 2, 3, 4, 5}},
          {"a cache of 4095 tokens, then three more",
           "position/offset-lost",
           8,
           kHalf,
           5e5,
           {},
           reference::consecutive_positions(3, 4095)},
          {"the same position for every token",
           "position/wrong-index",
           8,
           kInter,
           1e4,
           {},
           {1023, 1023, 1023}},
          {"positions shifted back below zero",
           "position/shift-lost",
           8,
           kHalf,
           1e4,
           {},
           {-5, -2, 1, -1023, 259}},
          {"half steps and thirds of a step",
           "position/rounded-to-half",
           8,
           kHalf,
           1e4,
           {},
           {0.5, 1.5, -0.375, 257.25, 1.0 / 3, 4095.5}}};
}

// One scheme of several axes, in every dtype and common pairing.
struct SpacedRow {
  const char* comment;
  const char* target;
  Scheme scheme;
  Memory memory;
  bool is_real;  // the positions are no integers
};

std::vector<SpacedRow> spaced_rows() {
  const Sections sections = {2, 3, 3};
  std::vector<double> weights;
  for (int j = 0; j < 16; ++j) weights.push_back(0.75 - 0.109375 * j);
  return {{"sections 2, 3, 3 in blocks, gaps between the axes",
           "axes/mrope-sections",
           {reference::contiguous_sections(sections), {}},
           Memory::kStrided,
           false},
          {"sections 2, 3, 3 interleaved, gaps between the axes, in place",
           "axes/mrope-sections",
           {reference::interleaved_sections(sections), {}},
           Memory::kStridedInPlace,
           false},
          {"even frequencies for height, odd for width, gaps between them",
           "axes/2d-swapped", reference::axial_2d(8, 0, Spectrum::kEvenOdd),
           Memory::kStrided, false},
          {"two weighted axes of real positions, gaps between them",
           "axes/2d-swapped",
           {reference::mixed_axes(2, weights), {}},
           Memory::kStrided,
           true}};
}

void add_spaced(Family& family) {
  constexpr std::int64_t kBatch = 2, kSeq = 3;
  for (const SpacedRow& row : spaced_rows()) {
    for (const Format dtype : kDtypes) {
      for (const Pairing pairing : kCommonPairings) {
        std::vector<double> positions =
            distinct_ids(row.scheme.axes.count, kBatch * kSeq);
        for (double& p : positions) p += row.is_real ? 0.25 : 0;
        RopeCase c = make_case(dtype, leading(16, 16, pairing), 1e4, kBatch,
                               kSeq, 2, 1, positions);
        c.spec.axes = row.scheme.axes;
        c.spec.frequencies.exponents = row.scheme.exponents;
        c.memory = row.memory;
        family.add(c, {row.target, "memory/strides-ignored"}, row.comment);
      }
    }
  }
}

}  // namespace

Group core_axes() {
  Family family("core", "core-axes",
                "What a position is: sections of several axes, grids, weights, "
                "packed and shuffled sequences, real and negative positions.");
  std::vector<AxisRow> rows = section_rows();
  for (const AxisRow& row : grid_rows()) rows.push_back(row);
  for (const AxisRow& row : line_rows()) rows.push_back(row);
  for (const AxisRow& row : rows) {
    for (const Format dtype : kDtypes) {
      const std::int64_t axes = row.scheme.axes.count;
      std::vector<double> positions = row.positions;
      if (positions.empty()) positions = distinct_ids(axes, 2);
      const auto seq = static_cast<std::int64_t>(positions.size()) / axes;
      RopeCase c =
          make_case(dtype, leading(row.rotary_dim, row.rotary_dim, row.pairing),
                    row.base, 1, seq, 1, 0, positions);
      c.spec.axes = row.scheme.axes;
      c.spec.frequencies.exponents = row.scheme.exponents;
      family.add(c, {row.target}, row.comment);
    }
  }
  add_spaced(family);
  return family.take();
}

}  // namespace ropeproof::conformance::cases
