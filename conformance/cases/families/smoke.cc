// The smoke tier: a first answer in under a second.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::trailing;

constexpr Format kSmokeDtypes[] = {Format::kF32, Format::kBF16};

// Ids neither equal nor monotone nor the same in both rows.
const std::vector<double> kIrregular = {3, 0, 17, 259, 5, 9, 2, 1, 101, 31};

// Next to powers of two, and half way between neighbours of bf16 (65791) and
// f16 (32783), where a rounded position is off by more than one.
const std::vector<double> kOddLong = {257,   513,   1023,   2049,
                                      4097,  8191,  32769,  32783,
                                      65535, 65791, 131071, 1048575};

Group rich() {
  Family family(Tier::kSmoke, "smoke-rich",
                "Unequal sizes on every axis, irregular positions, two bases, "
                "partial and full heads: a first answer to most mistakes.");
  const Targets full = {
      "layout/pairs-swapped",     "rotation/direction-reversed",
      "frequency/wrong-exponent", "frequency/wrong-base",
      "position/offset-lost",     "position/shared-across-batch",
      "position/wrong-index",     "shape/axes-confused"};
  const Targets partial = {
      "layout/pairs-swapped",      "window/outside-overwritten",
      "window/outside-not-copied", "window/head-dim-for-rotary-dim",
      "window/factor-misapplied",  "window/wrong-end",
      "frequency/wrong-exponent",  "position/shared-across-batch"};
  for (const Pairing pairing : kCommonPairings) {
    const auto add_both = [&](Format dtype, double base) {
      family.add(make_problem(dtype, leading(24, 16, pairing), base, 2, 5, 3, 0,
                              kIrregular),
                 partial, "24 channels, 16 of them rotary");
      family.add(make_problem(dtype, leading(16, 16, pairing), base, 2, 5, 3, 1,
                              kIrregular),
                 full, "all 16 channels rotary, 3 query heads, 1 key head");
    };
    add_both(Format::kF32, 1e4);
    add_both(Format::kF32, 5e5);
    family.add(make_problem(Format::kF32, leading(40, 16, pairing), 1e4, 2, 5,
                            2, 1, kIrregular),
               partial, "40 channels, 16 rotary: room for a second block");
    add_both(Format::kBF16, 5e5);
  }
  return family.take();
}

Group zero() {
  Family family(Tier::kSmoke, "smoke-zero",
                "Position 0: the rotation is the identity, so whatever changes "
                "is amplitude, layout or an offset.");
  const std::vector<double> zeros = {0, 0};
  for (const Pairing pairing : kCommonPairings) {
    for (const Format dtype : kSmokeDtypes) {
      family.add(
          make_problem(dtype, leading(24, 16, pairing), 1e4, 1, 2, 2, 0, zeros),
          {"layout/output-of-other-pairing", "rotation/sine-lost",
           "window/outside-overwritten", "position/offset-lost"},
          "output equals input");
    }
    family.add(make_problem(Format::kF32, leading(8, 8, pairing), 1e4, 1, 2, 3,
                            0, zeros),
               {"layout/output-of-other-pairing", "rotation/sine-lost",
                "position/offset-lost"},
               "output equals input");
    // YaRN, factor 4.
    family.add(
        with_amplitude(1.138629436111989,
                       make_problem(Format::kF32, leading(24, 16, pairing), 1e4,
                                    1, 2, 2, 0, zeros)),
        {"window/outside-not-copied", "scaling/amplitude-misapplied"},
        "amplitude alone: m times the window, the rest untouched");
  }
  return family.take();
}

Group unit() {
  Family family(Tier::kSmoke, "smoke-unit",
                "Unit vectors at positions 1 and 257: reads off the matrix "
                "that a kernel applies, one column per token.");
  const Targets targets = {"layout/pairs-swapped",
                           "layout/table-of-other-pairing",
                           "layout/output-of-other-pairing",
                           "rotation/direction-reversed",
                           "rotation/sine-lost",
                           "frequency/wrong-exponent"};
  const Targets window = {"layout/pairs-swapped", "window/outside-overwritten",
                          "window/head-dim-for-rotary-dim", "window/wrong-end"};
  for (const Pairing pairing : kCommonPairings) {
    for (const Format dtype : kSmokeDtypes) {
      family.add(unit_vectors(dtype, leading(8, 8, pairing)), targets,
                 "the whole matrix of a full head");
    }
    family.add(unit_vectors(Format::kF32, leading(12, 8, pairing)), window,
               "window at the front");
    family.add(unit_vectors(Format::kF32, trailing(12, 8, pairing)), window,
               "window at the end");
    family.add(adjoint(unit_vectors(Format::kF32, leading(8, 8, pairing))),
               {"rotation/direction-reversed", "rotation/backward-wrong"},
               "the adjoint: the transposed matrix");
  }
  return family.take();
}

Group odd_long() {
  Family family(Tier::kSmoke, "smoke-odd-long",
                "Long positions that no 16-bit type holds: precision of "
                "positions, frequencies and angles.");
  const Targets targets = {"frequency/rounded-to-half",
                           "position/rounded-to-half",
                           "angle/rounded-to-half",
                           "angle/rounded-to-f32",
                           "angle/no-range-reduction",
                           "angle/by-recurrence",
                           "table/too-short"};
  const auto count = static_cast<std::int64_t>(kOddLong.size());
  for (const Pairing pairing : kCommonPairings) {
    for (const auto& [dtype, base] : {std::pair{Format::kF32, 1e4},
                                      {Format::kF32, 5e5},
                                      {Format::kBF16, 5e5}}) {
      family.add(make_problem(dtype, leading(16, 16, pairing), base, 1, count,
                              1, 0, kOddLong),
                 targets, "257 .. 1048575");
    }
    family.add(make_problem(Format::kF32, leading(128, 128, pairing), 5e5, 1, 3,
                            1, 0, {32769, 65791, 131071}),
               targets, "the 64 pairs of a large model");
  }
  return family.take();
}

Group decode() {
  Family family(Tier::kSmoke, "smoke-decode",
                "One token per batch row, as in generation: own positions, "
                "dense and with gaps, in place and out of place.");
  const Targets targets = {
      "position/offset-lost",       "position/shared-across-batch",
      "position/single-token-path", "position/wrong-index",
      "memory/strides-ignored",     "memory/aliasing",
      "shape/heads-miscounted"};
  for (const Pairing pairing : kCommonPairings) {
    for (const Format dtype : kSmokeDtypes) {
      for (const Storage& storage : {kDense, kStridedInPlace}) {
        family.add(
            in_storage(storage, make_problem(dtype, leading(16, 16, pairing),
                                             1e4, 3, 1, 5, 2, {7, 4097, 511})),
            targets, "batch 3, sequence 1, 5 query and 2 key heads");
      }
    }
  }
  return family.take();
}

Group smoke_dims() {
  Family family(Tier::kSmoke, "smoke-dims",
                "Every awkward rotary_dim and number of heads, far enough out "
                "that a pair left unrotated shows.");
  struct Row {
    std::int64_t head_dim, rotary_dim, offset, heads, seq;
  };
  constexpr Row kRows[] = {
      {2, 2, 0, 71, 1},    {6, 6, 0, 7, 2},     {10, 10, 0, 3, 2},
      {18, 18, 0, 1, 2},   {24, 24, 0, 7, 1},   {40, 40, 0, 3, 1},
      {72, 72, 0, 1, 2},   {80, 80, 0, 1, 2},   {92, 92, 0, 3, 1},
      {96, 96, 0, 1, 1},   {112, 112, 0, 1, 1}, {120, 120, 0, 1, 1},
      {192, 192, 0, 1, 1}, {256, 256, 0, 1, 1}, {80, 20, 0, 3, 1},
      {96, 32, 64, 3, 1}};
  std::size_t i = 0;
  for (const Row& row : kRows) {
    // Dtype changes every row and pairing every second one: each meets each.
    const reference::Layout layout{row.head_dim, row.rotary_dim, row.offset,
                                   kCommonPairings[i / 2 % 2]};
    std::vector<double> positions = {259, 1021};
    positions.resize(static_cast<std::size_t>(row.seq));
    family.add(make_problem(kSmokeDtypes[i % 2], layout, 1e4, 1, row.seq,
                            row.heads, 0, positions),
               {"rotation/sine-lost", "window/outside-overwritten",
                "shape/simd-tail", "shape/odd-size", "shape/heads-miscounted"},
               "rotary_dim " + std::to_string(row.rotary_dim) + " of " +
                   std::to_string(row.head_dim) + ", " +
                   std::to_string(row.heads) + " heads");
    ++i;
  }
  return family.take();
}

}  // namespace

std::vector<Group> smoke_families() {
  return {rich(), zero(), unit(), odd_long(), decode(), smoke_dims()};
}

}  // namespace ropeproof::conformance::cases
