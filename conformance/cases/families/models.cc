// Axes, positions and frequencies of models of 2026, with the sizes cut down.
#include <numbers>

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Axes;
using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::Scheme;

namespace {

using Ints = std::vector<std::int64_t>;
using Ids = std::vector<double>;  // [axes, tokens]

struct ModelRow {
  const char* comment;
  Targets targets;
  reference::Layout layout;
  reference::Frequencies frequencies;
  Axes axes;
  Ids positions;
};
using ModelRows = std::vector<ModelRow>;

const Targets kGridOfModel = {"axes/2d-swapped", "frequency/wrong-exponent"};

ModelRow row_of(const char* comment, const Targets& targets,
                const reference::Layout& layout, double base,
                const Scheme& scheme, const Ids& positions) {
  return {comment,     targets,
          layout,      {.base = base, .exponents = scheme.exponents},
          scheme.axes, positions};
}

// transformers, kimi_k25: at each frequency one pair for the width, axis 1,
// then one for the height.
Scheme alternating(std::int64_t pairs) {
  Scheme scheme{{2, {}, {}}, {}};
  for (std::int64_t j = 0; j < pairs; ++j) {
    scheme.axes.axis_of_pair.push_back(1 - j % 2);
    scheme.exponents.push_back({j / 2 * 2, pairs});
  }
  return scheme;
}

// transformers, esmfold2: two pairs for each of x, y, z of base 20, two for the
// id of a residue of base 1e4, and one that stands still.
ModelRow atoms() {
  ModelRow row;
  row.comment =
      "real x, y, z, then an id, of two bases; the last pair stands still, as "
      "EsmFold2";
  row.targets = {"axes/2d-swapped", "frequency/wrong-base",
                 "position/rounded-to-half"};
  row.layout = leading(18, 18, kHalf);
  row.axes = {4, {0, 0, 1, 1, 2, 2, 3, 3, 3}, {}};
  auto& f = row.frequencies;
  f.exponents = {{0, 4}, {2, 4}, {0, 4}, {2, 4}, {0, 4},
                 {2, 4}, {0, 4}, {2, 4}, {0, 0}};
  f.bases = {20, 20, 20, 20, 20, 20, 1e4, 1e4, 1e4};
  row.positions = {-12.375, 3.25, 0.707,  // x
                   1.5,     -2.0, 41.03,  // y
                   7.125,   0.5,  -28.9,  // z
                   0,       3,    257};   // id
  return row;
}

// transformers, musicflamingo: a window n of 1200 and a step m of 1200, each
// times the time in seconds: theta (n/1200)(-2 pi t), theta (2 pi m/1200)(-2 pi
// t). The coordinates are n t/1200 and m t/1200, the rest is weights.
ModelRow seconds() {
  constexpr double kCircle = 2 * std::numbers::pi;
  const Ints pairs_of_axis = {2, 2};
  ModelRow row = row_of(
      "times in seconds with weights -2 pi and -4 pi^2, as MusicFlamingo",
      {"rotation/direction-reversed", "axes/2d-swapped",
       "position/rounded-to-half"},
      leading(10, 8, kInter), 1200, reference::n_axis(pairs_of_axis), {});
  constexpr double kWindow = -kCircle, kStep = -kCircle * kCircle;
  row.axes = {2, {}, {kWindow, kWindow, 0, 0, 0, 0, kStep, kStep}};
  const Ids times = {0.04, 29.96, 90.12, 1199.96};
  const Ids windows = {0, 0, 3, 39}, steps = {1, 749, 3, 749};
  for (const Ids& counts : {windows, steps}) {
    for (std::size_t s = 0; s < times.size(); ++s) {
      row.positions.push_back(counts[s] / 1200 * times[s]);
    }
  }
  return row;
}

// exp(alpha) of alpha = 0.25, -0.5, 0.125, 1, -2, 0.0625, -0.03125, 0.75.
const std::vector<double> kLearned = {1.2840254166877414, 0.6065306597126334,
                                      1.1331484530668263, 2.718281828459045,
                                      0.1353352832366127, 1.0644944589178593,
                                      0.9692332344763441, 2.117000016612675};

// transformers, mistral_large4: YaRN with an amplitude of 1, read as
// interleaved pairs and written as halves, at the end of a head.
ModelRows learned_rows() {
  ModelRow yarn, llama3;
  yarn.comment =
      "YaRN, then learned factors, one for each pair, as LeRoPE of Mistral "
      "Large 4";
  yarn.targets = {"scaling/factors-lost", "scaling/yarn-ramp"};
  yarn.layout = reference::trailing(20, 16, Pairing::kInterleavedToHalf);
  yarn.frequencies.scaling = reference::Yarn{
      .factor = 2048, .original_length = 512, .attention_factor = 1};
  llama3.comment = "bands of llama3, then a factor for each pair";
  llama3.targets = {"scaling/factors-lost", "scaling/llama3-smoothing"};
  llama3.layout = leading(16, 16, kHalf);
  llama3.frequencies.base = 5e5;
  llama3.frequencies.scaling = reference::Llama3{8, 1, 4, 8192};
  for (ModelRow* row : {&yarn, &llama3}) {
    row->frequencies.pair_factors = kLearned;
    row->positions = {513, 32769};
  }
  return {yarn, llama3};
}

ModelRows vision_rows() {
  const Ints thirds = {2, 2, 2};
  return {
      row_of("time, height, width in the first 12 of 14 channels, as the "
             "vision tower of MiniMax-M3",
             {"axes/2d-swapped", "window/outside-not-copied"},
             leading(14, 12, kHalf), 1e4, reference::n_axis(thirds),
             {0, 0, 1, 3,    // time
              0, 2, 1, 5,    // height
              1, 0, 7, 2}),  // width
      row_of("width and height by turns at each frequency, as Kimi-K2.5",
             kGridOfModel, leading(8, 8, kHalf), 1e4, alternating(4),
             reference::grid_positions(Ints{2, 3})),
      row_of("the pairs of the width, then those of the height, as Step-3.7",
             kGridOfModel, leading(8, 8, kHalf), 1e4,
             reference::axial_2d(4, 1, reference::Spectrum::kShared),
             reference::grid_positions(Ints{2, 3}))};
}

// diffusers: transformer_ideogram4, transformer_qwenimage21,
// transformer_anyflow_far.
ModelRows image_rows() {
  const Ints sections = {2, 1, 1}, frozen = {1, 2, 2}, flow = {2, 1, 1};
  return {
      row_of("interleaved M-RoPE, text from 0 and an image from 65536, as "
             "Ideogram 4",
             {"axes/mrope-sections", "position/rounded-to-half",
              "frequency/rounded-to-half"},
             leading(8, 8, kHalf), 5e6,
             {reference::interleaved_sections(sections), {}},
             {1, 65536, 65536, 65536, 65536,    // time
              1, 65536, 65536, 65537, 65537,    // height
              1, 65536, 65537, 65536, 65539}),  // width
      row_of("text on all axes, then a grid centred on zero while time stands "
             "still, as Qwen-Image 2.1",
             {"axes/2d-swapped", "position/shift-lost"},
             leading(10, 10, kInter), 1e4, reference::n_axis(frozen),
             {1, 2, 2, 2, 2, 5,      // time
              1, -2, -2, -1, 0, 5,   // height
              1, -1, 0, -1, 0, 5}),  // width
      row_of("a video centred on zero on every axis: all signs occur",
             {"axes/2d-swapped", "position/shift-lost"},
             leading(10, 10, kInter), 1e4, reference::n_axis(frozen),
             {-1, -1, 0, 1, 1,              // time
              -1.5, 1.5, -0.5, -1.5, 1.5,   // height
              -3.5, 2.5, 0.5, 3.5, -2.5}),  // width
      row_of("the mean direction of two rows and of two columns, which is that "
             "half way, as the compressed frames of AnyFlow",
             {"position/rounded-to-half", "position/wrong-index"},
             leading(8, 8, kInter), 1e4, reference::n_axis(flow),
             {0, 0, 0, 1,           // time
              0.5, 0.5, 2.5, 2.5,   // height
              0.5, 2.5, 0.5, 4.5})  // width
  };
}

}  // namespace

Group core_models() {
  Family family(
      Tier::kCore, "core-models",
      "Axes, positions and frequencies of models of 2026: partial and "
      "alternating axes, bases of an axis's own, real coordinates, "
      "seconds, grids centred on zero, learned factors.");
  for (const ModelRows& rows :
       {vision_rows(), image_rows(), ModelRows{atoms(), seconds()},
        learned_rows()}) {
    for (const ModelRow& row : rows) {
      for (const Format dtype : {Format::kF32, Format::kBF16, Format::kF64}) {
        const auto seq =
            static_cast<std::int64_t>(row.positions.size()) / row.axes.count;
        Problem problem = with_frequencies(
            row.frequencies,
            make_problem(dtype, row.layout, 0, 1, seq, 1, 0, row.positions));
        problem.spec.axes = row.axes;
        family.add(problem, row.targets, row.comment);
      }
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
