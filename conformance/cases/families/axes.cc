// What a position is: sections of several axes, grids, weights, sequences.
#include <numbers>

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::Scheme;
using reference::Spectrum;

namespace {

using Sections = std::vector<std::int64_t>;

// The position of token s on axis a is first + axis a + token s + both a s: it
// differs from axis to axis and from token to token.
struct Spread {
  std::int64_t first, axis, token, both;
};

std::vector<double> distinct_ids(const Spread& by, std::int64_t axes,
                                 std::int64_t tokens) {
  std::vector<double> ids;
  for (std::int64_t a = 0; a < axes; ++a) {
    for (std::int64_t s = 0; s < tokens; ++s) {
      ids.push_back(static_cast<double>(by.first + by.axis * a + by.token * s +
                                        by.both * a * s));
    }
  }
  return ids;
}

struct AxisRow {
  const char* comment;
  Targets targets;
  std::int64_t rotary_dim;
  Pairing pairing;
  double base;
  Scheme scheme;
  std::vector<double> positions = {};  // empty: distinct ids
  bool has_keys = false;               // two query heads and one key head
  Format dtype = Format::kF32;         // core-axes: every dtype
};
using AxisRows = std::vector<AxisRow>;

const Scheme kLine;

const Targets kSections = {"axes/mrope-sections"};
const Targets kGrid = {"axes/2d-swapped"};
const Targets kPacked = {"position/packed-not-restarted"};

Scheme on(const reference::Axes& axes) { return {axes, {}}; }

Problem case_of(const AxisRow& row, Format dtype,
                const std::vector<double>& positions) {
  const auto tokens = static_cast<std::int64_t>(positions.size());
  return with_scheme(
      row.scheme,
      make_problem(dtype, leading(row.rotary_dim, row.rotary_dim, row.pairing),
                   row.base, 1, tokens / row.scheme.axes.count,
                   row.has_keys ? 2 : 1, row.has_keys ? 1 : 0, positions));
}

std::vector<double> cells() {
  return reference::grid_positions(Sections{3, 5});
}

Scheme axial(std::int64_t pairs, std::int64_t first,
             Spectrum spectrum = Spectrum::kShared) {
  return reference::axial_2d(pairs, first, spectrum);
}

// Real coordinates, in full circles.
Scheme centred(std::int64_t pairs) {
  Scheme scheme = axial(pairs, 0);
  scheme.axes = reference::weighted(scheme.axes, pairs, 2 * std::numbers::pi);
  return scheme;
}

Scheme mixed(int weights, double first, double step) {
  return {reference::mixed_axes(2, distinct(weights, first, step)), {}};
}

using Ids = std::vector<double>;
const Ids kForwardAndBack = {-2, -1, 0, 3, 7, -5, 0, 1};
const Ids kCoordinates = {-0.5, -0.25, 0.125, 0.75, 0.9375, 0.5, -0.0625, -1};

// The rows of the family `positions`.
AxisRows first_section_rows() {
  const Sections three = {2, 3, 3}, four = {3, 2, 2, 1}, other = {4, 2, 2},
                 ernie = {3, 3, 2};
  AxisRows rows = {
      {"M-RoPE: sections t, h, w, as Qwen2-VL", kSections, 16, kHalf, 1e6,
       on(reference::contiguous_sections(three))},
      {"interleaved M-RoPE, as Qwen3-VL", kSections, 16, kHalf, 1e6,
       on(reference::interleaved_sections(other))},
      {"interleaved M-RoPE with a fourth axis, as ggml", kSections, 16, kHalf,
       1e6, on(reference::interleaved_sections_ggml(four))},
      {"four sections, as Hunyuan-VL", kSections, 16, kHalf, 1e6,
       on(reference::contiguous_sections(four))},
      {"axes in turn until used up, as GLM-4.5V", kSections, 16, kInter, 1e6,
       on(reference::round_robin_sections(three))},
      {"h and w by turns, then t, as Ernie 4.5-VL", kSections, 16, kInter, 1e6,
       on(reference::ernie_sections(ernie))}};
  rows[3].dtype = Format::kBF16;
  for (AxisRow& row : rows) row.has_keys = true;
  return rows;
}

AxisRows first_axis_rows() {
  const Sections video = {2, 3, 3}, starts = {0, 3, 4, 9};
  return {
      {"3 x 5 grid, height first", kGrid, 16, kHalf, 1e4, axial(8, 0), cells()},
      {"3 x 5 grid, width first", kGrid, 16, kHalf, 1e4, axial(8, 1), cells()},
      {"3 x 5 grid, even frequencies for height, odd for width: Pixtral", kGrid,
       16, kHalf, 1e4, axial(8, 0, Spectrum::kEvenOdd), cells()},
      {"time, height, width with own frequencies: HunyuanVideo", kGrid, 16,
       kInter, 256, reference::n_axis(video)},
      {"mixed 2-D: every pair follows both axes", kGrid, 16, kInter, 1,
       mixed(16, 0.5, -0.0625), kForwardAndBack},
      {"real coordinates times 2 pi: DINOv3", kGrid, 16, kHalf, 100, centred(8),
       kCoordinates},
      {"negative positions", Targets{"position/shift-lost"}, 16, kHalf, 1e4,
       kLine, Ids{-1048575, -257, -1, 3, 131071}},
      {"three packed sequences", kPacked, 16, kHalf, 1e4, kLine,
       reference::packed_positions(starts)},
      {"a cache with 1023 tokens",
       Targets{"position/offset-lost", "position/shift-lost"}, 16, kHalf, 1e4,
       kLine, reference::consecutive_positions(3, 1023), false, Format::kBF16},
      {"2^24 + 1, 2^31 - 1, 2^53",
       Targets{"angle/rounded-to-f32", "position/int64-as-int32"}, 16, kHalf,
       1e4, kLine, Ids{16777217, 2147483647, 9007199254740992}}};
}

// The rows of the family core-axes.
AxisRows section_rows() {
  const Sections qwen2 = {16, 24, 24}, qwen3 = {24, 20, 20},
                 qwen35 = {11, 11, 10}, ggml = {6, 4, 4, 2},
                 hunyuan = {4, 4, 4, 4}, glm = {8, 12, 12}, ernie = {6, 6, 4};
  return {
      {"sections 16, 24, 24 in blocks, as Qwen2-VL", kSections, 128, kHalf, 1e6,
       on(reference::contiguous_sections(qwen2))},
      {"sections 24, 20, 20 interleaved, as Qwen3-VL: the last four pairs "
       "follow t",
       kSections, 128, kHalf, 5e6, on(reference::interleaved_sections(qwen3))},
      {"sections 11, 11, 10 interleaved, as Qwen3.5", kSections, 64, kHalf, 1e7,
       on(reference::interleaved_sections(qwen35))},
      {"sections 6, 4, 4 and 2 of a fourth axis, as ggml", kSections, 32, kHalf,
       1e6, on(reference::interleaved_sections_ggml(ggml))},
      {"four equal sections, as Hunyuan-OCR", kSections, 32, kHalf, 1e4,
       on(reference::contiguous_sections(hunyuan))},
      {"sections 8, 12, 12 in turn until used up, as GLM-4.6V", kSections, 64,
       kInter, 1e4, on(reference::round_robin_sections(glm))},
      {"h and w by turns, then t, as Ernie 4.5-VL", kSections, 32, kInter, 5e5,
       on(reference::ernie_sections(ernie))}};
}

AxisRows grid_rows() {
  const Sections wan = {4, 3, 3}, flux1 = {2, 7, 7}, flux2 = {4, 4, 4, 4};
  return {
      {"3 x 5 grid, height first", kGrid, 8, kHalf, 1e4, axial(4, 0), cells()},
      {"3 x 5 grid, width first", kGrid, 8, kInter, 1e4, axial(4, 1), cells()},
      {"3 x 5 grid, even frequencies for height, odd for width, as Pixtral",
       kGrid, 8, kHalf, 1e4, axial(4, 0, Spectrum::kEvenOdd), cells()},
      {"time, height, width with frequencies of their own, as Wan 2.1", kGrid,
       20, kInter, 1e4, reference::n_axis(wan)},
      {"a short axis and two long ones, as Flux.1", kGrid, 32, kInter, 1e4,
       reference::n_axis(flux1)},
      {"four axes of equal length, as Flux.2", kGrid, 32, kInter, 2000,
       reference::n_axis(flux2)},
      {"mixed 2-D: every pair follows both axes, forward and backward", kGrid,
       8, kInter, 1, mixed(8, 0.75, -0.21875), kForwardAndBack},
      {"real coordinates times 2 pi, as DINOv3", kGrid, 8, kHalf, 100,
       centred(4), kCoordinates}};
}

AxisRows line_rows() {
  const Sections starts = {0, 3, 4, 9};
  return {
      {"three packed sequences, each from position 0", kPacked, 8, kHalf, 1e4,
       kLine, reference::packed_positions(starts)},
      {"chunks of two ranks, in the order 0 3 1 2", kPacked, 8, kInter, 1e4,
       kLine, Ids{0, 1, 6, 7, 2, 3, 4, 5}},
      {"a cache of 4095 tokens, then three more",
       Targets{"position/offset-lost"}, 8, kHalf, 5e5, kLine,
       reference::consecutive_positions(3, 4095)},
      {"the same position for every token", Targets{"position/wrong-index"}, 8,
       kInter, 1e4, kLine, Ids{1023, 1023, 1023}},
      {"positions shifted back below zero", Targets{"position/shift-lost"}, 8,
       kHalf, 1e4, kLine, Ids{-5, -2, 1, -1023, 259}},
      {"half steps and thirds of a step", Targets{"position/rounded-to-half"},
       8, kHalf, 1e4, kLine, Ids{0.5, 1.5, -0.375, 257.25, 1.0 / 3, 4095.5}}};
}

// Several axes with gaps between their positions, in every dtype and common
// pairing.
void add_spaced(Family& family) {
  struct Row {
    const char* comment;
    const char* target;
    Scheme scheme;
    Storage storage = kStrided;
    double shift = 0;  // of every position
  };
  const Sections sections = {2, 3, 3};
  const Row rows[] = {
      {"sections 2, 3, 3 in blocks, gaps between the axes",
       "axes/mrope-sections", on(reference::contiguous_sections(sections))},
      {"sections 2, 3, 3 interleaved, gaps between the axes, in place",
       "axes/mrope-sections", on(reference::interleaved_sections(sections)),
       kStridedInPlace},
      {"even frequencies for height, odd for width, gaps between them",
       "axes/2d-swapped", axial(8, 0, Spectrum::kEvenOdd)},
      {"two weighted axes of real positions, gaps between them",
       "axes/2d-swapped", mixed(16, 0.75, -0.109375), kStrided, 0.25}};
  for (const Row& row : rows) {
    for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
      std::vector<double> positions =
          distinct_ids({2, 41, 7, 4}, row.scheme.axes.count, 6);
      for (double& p : positions) p += row.shift;
      family.add(
          in_storage(row.storage,
                     with_scheme(row.scheme,
                                 make_problem(dtype, leading(16, 16, pairing),
                                              1e4, 2, 3, 2, 1, positions))),
          {row.target, "memory/strides-ignored"}, row.comment);
    }
  }
}

// One axis, but bases and exponents of each pair's own, which no section
// explains.
void add_own_frequencies(Family& family) {
  using reference::Exponent;
  struct Row {
    const char* comment;
    std::vector<Exponent> exponents;
    std::vector<double> bases;
  };
  const Row rows[] = {{"the last two pairs do not rotate: an exponent over 0",
                       {{0, 8}, {2, 8}, {0, 0}, {0, 0}},
                       {}},
                      {"two bases in one head",
                       {{0, 4}, {2, 4}, {0, 4}, {2, 4}},
                       {1e4, 1e4, 100, 100}},
                      {"odd numerators, a base for each pair",
                       {{1, 8}, {3, 8}, {5, 8}, {7, 8}},
                       {5e5, 1e4, 256, 100}}};
  const auto add = [&](const Row& row, Format dtype, Pairing pairing) {
    Problem problem = make_problem(dtype, leading(8, 8, pairing), 1e4, 1, 3, 1,
                                   0, {1, 5, 259});
    problem.spec.frequencies.exponents = row.exponents;
    problem.spec.frequencies.bases = row.bases;
    family.add(problem, {"frequency/wrong-base"}, row.comment);
  };
  for (const Row& row : rows) {
    for (const Format dtype : kDtypes) add(row, dtype, kHalf);
    add(row, Format::kF32, kInter);
  }
}

}  // namespace

Group position_family() {
  Family family(Tier::kCore, "positions",
                "Position schemes: several axes, grids, weights, negative and "
                "real positions.");
  for (const AxisRows& rows : {first_section_rows(), first_axis_rows()}) {
    for (const AxisRow& row : rows) {
      const auto ids = distinct_ids({1, 37, 5, 2}, row.scheme.axes.count, 4);
      family.add(
          case_of(row, row.dtype, row.positions.empty() ? ids : row.positions),
          row.targets, row.comment);
    }
  }
  return family.take();
}

Group core_axes() {
  Family family(Tier::kCore, "core-axes",
                "What a position is: sections of several axes, grids, weights, "
                "packed and shuffled sequences, real and negative positions.");
  for (const AxisRows& rows : {section_rows(), grid_rows(), line_rows()}) {
    for (const AxisRow& row : rows) {
      const auto ids = distinct_ids({2, 41, 7, 4}, row.scheme.axes.count, 2);
      for (const Format dtype : kDtypes) {
        family.add(
            case_of(row, dtype, row.positions.empty() ? ids : row.positions),
            row.targets, row.comment);
      }
    }
  }
  add_spaced(family);
  add_own_frequencies(family);
  return family.take();
}

}  // namespace ropeproof::conformance::cases
