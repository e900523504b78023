// What a position is, and which channels pair up.
#include <numbers>

#include "conformance/cases/families.h"
#include "conformance/cases/family.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Axes;
using reference::Format;
using reference::Layout;
using reference::leading;
using reference::Pairing;
using reference::Scheme;

constexpr Pairing kHalf = Pairing::kHalfSplit;
constexpr Pairing kInter = Pairing::kInterleaved;

// `count` axes with ids that differ from axis to axis and token to token.
std::vector<double> distinct_ids(std::int64_t count, std::int64_t tokens) {
  std::vector<double> ids;
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t s = 0; s < tokens; ++s) {
      ids.push_back(static_cast<double>(1 + 37 * a + (5 + 2 * a) * s));
    }
  }
  return ids;
}

RopeCase sections(const Axes& axes, Pairing pairing,
                  Format dtype = Format::kF32) {
  RopeCase c = make_case(dtype, leading(16, 16, pairing), 1e6, 1, 4, 2, 1,
                         distinct_ids(axes.count, 4));
  c.spec.axes = axes;
  return c;
}

RopeCase with_scheme(const Scheme& scheme, const Layout& layout, double base,
                     std::int64_t seq, std::vector<double> positions) {
  RopeCase c =
      make_case(Format::kF32, layout, base, 1, seq, 1, 0, std::move(positions));
  c.spec.axes = scheme.axes;
  c.spec.frequencies.exponents = scheme.exponents;
  return c;
}

void add_sections(Family& family) {
  const std::vector<std::string> targets = {"axes/mrope-sections"};
  const std::int64_t three[] = {2, 3, 3}, four[] = {3, 2, 2, 1};
  const std::int64_t interleaved[] = {4, 2, 2}, ernie[] = {3, 3, 2};
  family.add(sections(reference::contiguous_sections(three), kHalf), targets,
             "M-RoPE: sections t, h, w, as Qwen2-VL");
  family.add(sections(reference::interleaved_sections(interleaved), kHalf),
             targets, "interleaved M-RoPE, as Qwen3-VL");
  family.add(sections(reference::interleaved_sections_ggml(four), kHalf),
             targets, "interleaved M-RoPE with a fourth axis, as ggml");
  family.add(
      sections(reference::contiguous_sections(four), kHalf, Format::kBF16),
      targets, "four sections, as Hunyuan-VL");
  family.add(sections(reference::round_robin_sections(three), kInter), targets,
             "axes in turn until used up, as GLM-4.5V");
  family.add(sections(reference::ernie_sections(ernie), kInter), targets,
             "h and w by turns, then t, as Ernie 4.5-VL");
}

void add_grids(Family& family) {
  const std::int64_t grid[] = {3, 5};
  const std::vector<double> rows_columns = reference::grid_positions(grid);
  const auto axial = [&](std::int64_t first, reference::Spectrum spectrum,
                         const char* comment) {
    family.add(with_scheme(reference::axial_2d(8, first, spectrum),
                           leading(16, 16, kHalf), 1e4, 15, rows_columns),
               {"axes/2d-swapped"}, comment);
  };
  axial(0, reference::Spectrum::kShared, "3 x 5 grid, height first");
  axial(1, reference::Spectrum::kShared, "3 x 5 grid, width first");
  axial(0, reference::Spectrum::kEvenOdd,
        "3 x 5 grid, even frequencies for height, odd for width: Pixtral");
  const std::int64_t video[] = {2, 3, 3};
  family.add(with_scheme(reference::n_axis(video), leading(16, 16, kInter), 256,
                         4, distinct_ids(3, 4)),
             {"axes/2d-swapped"},
             "time, height, width with own frequencies: HunyuanVideo");

  std::vector<double> weights;
  for (int j = 0; j < 16; ++j) weights.push_back(0.5 - 0.0625 * j);
  RopeCase mixed = make_case(Format::kF32, leading(16, 16, kInter), 1, 1, 4, 1,
                             0, {-2, -1, 0, 3, 7, -5, 0, 1});
  mixed.spec.axes = reference::mixed_axes(2, weights);
  family.add(mixed, {"axes/2d-swapped"},
             "mixed 2-D: every pair follows both axes");

  RopeCase centred =
      with_scheme(reference::axial_2d(8, 0, reference::Spectrum::kShared),
                  leading(16, 16, kHalf), 100, 4,
                  {-0.5, -0.25, 0.125, 0.75, 0.9375, 0.5, -0.0625, -1});
  centred.spec.axes =
      reference::weighted(centred.spec.axes, 8, 2 * std::numbers::pi);
  family.add(centred, {"axes/2d-swapped"},
             "real coordinates times 2 pi: DINOv3");
}

void add_lines(Family& family) {
  const Layout layout = leading(16, 16, kHalf);
  family.add(make_case(Format::kF32, layout, 1e4, 1, 5, 1, 0,
                       {-1048575, -257, -1, 3, 131071}),
             {"position/shift-lost"}, "negative positions");
  const std::int64_t starts[] = {0, 3, 4, 9};
  family.add(make_case(Format::kF32, layout, 1e4, 1, 9, 1, 0,
                       reference::packed_positions(starts)),
             {"position/packed-not-restarted"}, "three packed sequences");
  family.add(make_case(Format::kBF16, layout, 1e4, 1, 3, 1, 0,
                       reference::consecutive_positions(3, 1023)),
             {"position/offset-lost", "position/shift-lost"},
             "a cache with 1023 tokens");
  family.add(make_case(Format::kF32, layout, 1e4, 1, 3, 1, 0,
                       {16777217, 2147483647, 9007199254740992}),
             {"angle/rounded-to-f32", "position/int64-as-int32"},
             "2^24 + 1, 2^31 - 1, 2^53");
}

}  // namespace

Group position_family() {
  Family family("core", "positions",
                "Position schemes: several axes, grids, weights, negative and "
                "real positions.");
  add_sections(family);
  add_grids(family);
  add_lines(family);
  return family.take();
}

Group layout_family() {
  Family family("core", "layouts",
                "Layouts beyond the two common ones, and scaling, positions "
                "and layout combined.");
  const std::vector<double> ids = {3, 0, 17, 259};
  const auto add = [&](const Layout& layout, const char* comment) {
    family.add(make_case(Format::kF32, layout, 1e4, 2, 2, 2, 0, ids),
               {"layout/pairs-swapped", "layout/output-of-other-pairing",
                "window/outside-overwritten"},
               comment);
  };
  Layout to_half = leading(16, 16, Pairing::kInterleavedToHalf);
  add(to_half, "read interleaved, written half-split: HF DeepSeek");
  to_half = {24, 16, 8, Pairing::kInterleavedToHalf};
  add(to_half, "the same in a window at the end");
  RopeCase adjoint = make_case(Format::kF32, to_half, 1e4, 2, 2, 1, 0, ids);
  adjoint.spec.direction = reference::Direction::kAdjoint;
  family.add(adjoint,
             {"layout/output-of-other-pairing", "rotation/backward-wrong"},
             "its adjoint: read half-split, written interleaved");
  Layout nested = leading(16, 16, Pairing::kNestedHalfSplit);
  nested.blocks = 2;
  add(nested, "half-split inside two blocks: Gemma 4 vision");

  RopeCase proportional =
      make_case(Format::kF32, reference::proportional_layout(32, 4), 1e6, 2, 2,
                1, 0, ids);
  proportional.spec.frequencies.exponents =
      reference::proportional_exponents(32, 4);
  family.add(proportional, {"window/head-dim-for-rotary-dim"},
             "proportional: 4 of 16 pairs, half a head apart: Gemma 4");

  const std::int64_t three[] = {2, 3, 3};
  RopeCase combined = make_case(Format::kBF16, nested, 1e6, 1, 4, 2, 1,
                                {3, 40, 77, 1, 9, 5, 2, 11, 6, 0, 13, 8});
  combined.spec.axes = reference::contiguous_sections(three);
  combined.spec.frequencies.scaling = reference::Linear{3};
  family.add(combined,
             {"layout/pairs-swapped", "scaling/linear-misapplied",
              "axes/mrope-sections"},
             "linear scaling, three axes, nested blocks");
  RopeCase yarn = make_case(Format::kF32, {40, 32, 8, kInter}, 1e6, 1, 4, 1, 0,
                            {513, 4097, 1, 9, 5, 2047, 11, 6, 8191, 0, 13, 8});
  const std::int64_t sixteen[] = {4, 6, 6};
  yarn.spec.axes = reference::interleaved_sections(sixteen);
  reference::Yarn s;
  s.factor = 4;
  s.original_length = 32768;
  yarn.spec.frequencies.scaling = s;
  family.add(yarn,
             {"window/wrong-end", "scaling/yarn-ramp",
              "scaling/amplitude-misapplied", "axes/mrope-sections"},
             "YaRN, interleaved sections, a window at the end");
  return family.take();
}

}  // namespace ropeproof::conformance::cases
