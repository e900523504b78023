// Where the pairs of a head are, going in and coming out.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Layout;
using reference::leading;
using reference::Pairing;

Group core_rich() {
  Family family(Tier::kCore, "core-rich",
                "Unequal sizes on every axis, irregular positions, two bases; "
                "the window everywhere that it can be. In every dtype and "
                "pairing: a bug of one path shows beside the others.");
  struct Row {
    const char* comment;
    std::int64_t head_dim, rotary_dim, offset;
    Targets targets;
  };
  const Row rows[] = {
      {"every channel rotates", 8, 8, 0,
       Targets{"layout/pairs-swapped", "rotation/direction-reversed",
               "frequency/wrong-exponent", "frequency/wrong-base",
               "position/shared-across-batch", "shape/axes-confused"}},
      {"too few channels behind the window for another one", 12, 8, 0,
       Targets{"layout/pairs-swapped", "window/outside-overwritten",
               "window/outside-not-copied", "window/head-dim-for-rotary-dim",
               "frequency/wrong-base"}},
      {"another window would fit behind the window", 20, 8, 0,
       Targets{"window/outside-overwritten", "window/head-dim-for-rotary-dim",
               "window/factor-misapplied", "position/wrong-index",
               "shape/axes-confused"}},
      {"window at the end", 12, 8, 4,
       Targets{"window/outside-overwritten", "window/head-dim-for-rotary-dim",
               "window/wrong-end", "position/shared-across-batch"}},
      {"window at an odd channel, copies on both sides", 15, 8, 3,
       Targets{"window/outside-overwritten", "window/outside-not-copied",
               "window/wrong-end", "memory/strides-ignored"}}};
  for (std::size_t d = 0; d < std::size(kDtypes); ++d) {
    for (std::size_t p = 0; p < std::size(kPairings); ++p) {
      for (std::size_t r = 0; r < std::size(rows); ++r) {
        // Each pairing meets both bases with each window, in two dtypes.
        const double base = (d + p + r) % 2 == 0 ? 1e4 : 5e5;
        const Row& row = rows[r];
        family.add(make_problem(kDtypes[d],
                                window(row.head_dim, row.rotary_dim, row.offset,
                                       kPairings[p]),
                                base, 2, 3, 2, 1, kIrregularIds),
                   row.targets, row.comment);
      }
    }
  }
  return family.take();
}

Group core_zero() {
  Family family(Tier::kCore, "core-zero",
                "Position 0, where nothing rotates: without an amplitude the "
                "output is the input; with one the window is multiplied by it, "
                "once, and the rest is not.");
  struct Row {
    const char* comment;
    double amplitude;
  };
  constexpr Row kRows[] = {
      {"output equals input", 1},
      {"amplitude of YaRN with factor 4", 1.138629436111989},
      {"amplitude of YaRN with factor 128", 1.4852030263919618}};
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    for (const Row& row : kRows) {
      family.add(with_amplitude(row.amplitude,
                                make_problem(dtype, window(12, 8, 2, pairing),
                                             1e4, 1, 2, 2, 0, {0, 0})),
                 {"layout/output-of-other-pairing", "rotation/sine-lost",
                  "window/outside-not-copied", "scaling/amplitude-misapplied",
                  "position/offset-lost"},
                 row.comment);
    }
  }
  return family.take();
}

Group core_unit() {
  Family family(Tier::kCore, "core-unit",
                "Unit vectors at positions 1 and 257: the matrix that a kernel "
                "applies, one column per token, in every dtype and pairing.");
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    const Targets targets = {"layout/pairs-swapped",
                             "layout/table-of-other-pairing",
                             "layout/output-of-other-pairing",
                             "rotation/sine-lost", "frequency/wrong-exponent"};
    family.add(unit_vectors(dtype, window(8, 8, 0, pairing)), targets,
               "the whole matrix of a full head");
    family.add(unit_vectors(dtype, window(7, 4, 2, pairing)),
               {"layout/pairs-swapped", "window/outside-overwritten",
                "window/head-dim-for-rotary-dim", "window/wrong-end"},
               "the window in the middle");
    family.add(adjoint(unit_vectors(dtype, window(8, 8, 0, pairing))),
               {"layout/output-of-other-pairing", "rotation/direction-reversed",
                "rotation/backward-wrong"},
               "the adjoint: the transposed matrix");
  }
  return family.take();
}

Group layout_family() {
  Family family(Tier::kCore, "layouts",
                "Layouts beyond the two common ones, and scaling, positions "
                "and layout combined.");
  const std::vector<double> ids = {3, 0, 17, 259};
  const auto add = [&](const Layout& layout, const char* comment) {
    family.add(make_problem(Format::kF32, layout, 1e4, 2, 2, 2, 0, ids),
               {"layout/pairs-swapped", "layout/output-of-other-pairing",
                "window/outside-overwritten"},
               comment);
  };
  add(leading(16, 16, Pairing::kInterleavedToHalf),
      "read interleaved, written half-split: HF DeepSeek");
  const Layout to_half = {24, 16, 8, Pairing::kInterleavedToHalf};
  add(to_half, "the same in a window at the end");
  family.add(adjoint(make_problem(Format::kF32, to_half, 1e4, 2, 2, 1, 0, ids)),
             {"layout/output-of-other-pairing", "rotation/backward-wrong"},
             "its adjoint: read half-split, written interleaved");
  const Layout nested = window(16, 16, 0, Pairing::kNestedHalfSplit);
  add(nested, "half-split inside two blocks: Gemma 4 vision");

  family.add(
      with_frequencies(
          {.base = 1e6, .exponents = reference::proportional_exponents(32, 4)},
          make_problem(Format::kF32, reference::proportional_layout(32, 4), 1e6,
                       2, 2, 1, 0, ids)),
      {"window/head-dim-for-rotary-dim"},
      "proportional: 4 of 16 pairs, half a head apart: Gemma 4");

  const std::int64_t three[] = {2, 3, 3};
  family.add(
      with_scheme(
          {reference::contiguous_sections(three), {}},
          with_scaling(reference::Linear{3},
                       make_problem(Format::kBF16, nested, 1e6, 1, 4, 2, 1,
                                    {3, 40, 77, 1, 9, 5, 2, 11, 6, 0, 13, 8}))),
      {"layout/pairs-swapped", "scaling/linear-misapplied",
       "axes/mrope-sections"},
      "linear scaling, three axes, nested blocks");
  const std::int64_t sixteen[] = {4, 6, 6};
  family.add(
      with_scheme(
          {reference::interleaved_sections(sixteen), {}},
          with_scaling(
              reference::Yarn{4, 32768},
              make_problem(Format::kF32, {40, 32, 8, kInter}, 1e6, 1, 4, 1, 0,
                           {513, 4097, 1, 9, 5, 2047, 11, 6, 8191, 0, 13, 8}))),
      {"window/wrong-end", "scaling/yarn-ramp", "scaling/amplitude-misapplied",
       "axes/mrope-sections"},
      "YaRN, interleaved sections, a window at the end");
  return family.take();
}

Group core_layouts() {
  Family family(Tier::kCore, "core-layouts",
                "Pairs at a distance of their own, blocks, odd offsets, heads "
                "of an odd length.");
  struct Row {
    const char* comment;
    Layout layout;
  };
  constexpr Pairing kNested = Pairing::kNestedHalfSplit;
  constexpr Pairing kToHalf = Pairing::kInterleavedToHalf;
  const Row rows[] = {
      {"pairs half a head apart, a quarter of them", {16, 4, 0, kHalf, 1, 8}},
      {"pairs half a head apart, three of eight", {16, 6, 0, kHalf, 1, 8}},
      {"pairs one channel further apart than usual", {11, 8, 2, kHalf, 1, 5}},
      {"pairs as far apart as the head allows", {13, 6, 0, kHalf, 1, 10}},
      {"one block: half-split", {8, 8, 0, kNested, 1}},
      {"three blocks", {12, 12, 0, kNested, 3}},
      {"four blocks of one pair: interleaved", {10, 8, 2, kNested, 4}},
      {"read interleaved, written half-split, odd offset",
       {15, 10, 3, kToHalf}},
      {"read interleaved, written half-split, one pair", {3, 2, 1, kToHalf}},
      {"an odd head, half-split at the end", {13, 6, 7, kHalf}}};
  for (const Format dtype : kDtypes) {
    for (const Row& row : rows) {
      family.add(
          make_problem(dtype, row.layout, 1e4, 2, 3, 1, 1, kIrregularIds),
          {"layout/pairs-swapped", "layout/output-of-other-pairing",
           "window/outside-overwritten", "window/head-dim-for-rotary-dim"},
          row.comment);
    }
  }
  return family.take();
}

Group core_dims() {
  Family family(Tier::kCore, "core-dims",
                "Every awkward rotary_dim and number of heads, far enough out "
                "that a pair left unrotated shows: multiples of no vector's "
                "length, dimensions of real models, one pair to 128.");
  struct Row {
    std::int64_t head_dim, rotary_dim, offset, heads;
  };
  constexpr Row kRows[] = {
      {2, 2, 0, 71},    {3, 2, 1, 7},     {4, 4, 0, 7},     {6, 6, 0, 3},
      {10, 10, 0, 7},   {12, 12, 0, 3},   {14, 14, 0, 1},   {18, 18, 0, 3},
      {22, 22, 0, 1},   {24, 24, 0, 3},   {26, 26, 0, 1},   {30, 30, 0, 1},
      {34, 34, 0, 1},   {40, 40, 0, 3},   {48, 48, 0, 1},   {56, 56, 0, 1},
      {64, 62, 2, 1},   {66, 66, 0, 1},   {72, 72, 0, 1},   {80, 80, 0, 1},
      {92, 92, 0, 1},   {96, 96, 0, 1},   {100, 100, 0, 1}, {112, 112, 0, 1},
      {120, 120, 0, 1}, {192, 192, 0, 1}, {256, 256, 0, 1}};
  std::size_t i = 0;
  for (const Row& row : kRows) {
    // Two dtypes each, f32 and bf16 alternating with f16 and f64; the pairing
    // changes from case to case.
    for (std::size_t half = 0; half < 2; ++half) {
      const Format dtype = kDtypes[i / 2 % 2 + 2 * half];
      const Layout layout = window(row.head_dim, row.rotary_dim, row.offset,
                                   kPairings[(i / 4 + i) % 4]);
      family.add(make_problem(dtype, layout, 1e4, 1, 1, row.heads, 0,
                              {half == 0 ? 1021.0 : 259.0}),
                 {"rotation/sine-lost", "window/outside-overwritten",
                  "shape/simd-tail", "shape/odd-size"},
                 "rotary_dim " + std::to_string(row.rotary_dim) + ", " +
                     std::to_string(row.heads) +
                     (row.heads == 1 ? " head" : " heads"));
      ++i;
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
