// The plain call in every combination.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Pairing;
using reference::Scaling;
using reference::Scheme;
using reference::Yarn;

namespace {

using Ids = std::vector<double>;
using Sections = std::vector<std::int64_t>;

// Most kernels take positions up to here.
constexpr double kNear = 2047;

struct PlainScaling {
  const char* comment;
  Targets targets;
  std::int64_t head_dim;
  double base;
  Scaling scaling;
};

const Targets kNtkBugs = {"frequency/wrong-base", "scaling/dynamic-ntk"},
              kYarnBugs = {"scaling/yarn-ramp", "scaling/amplitude-misapplied"},
              kLlama3Bugs = {"scaling/llama3-smoothing"},
              kLinearBugs = {"scaling/linear-misapplied"},
              kFactorsBugs = {"scaling/factors-lost"};

// Three of each scaling that no length decides; core-lengths has the others.
std::vector<PlainScaling> plain_scalings() {
  return {{"linear, factor 8", kLinearBugs, 16, 1e6, reference::Linear{8}},
          {"linear, factor 2.7", kLinearBugs, 8, 1e4, reference::Linear{2.7}},
          {"linear, factor 3", kLinearBugs, 12, 5e5, reference::Linear{3}},
          {"NTK-aware, alpha 4", kNtkBugs, 16, 1e4, reference::Ntk{4}},
          {"NTK-aware, alpha 1000", kNtkBugs, 8, 1e4, reference::Ntk{1000}},
          {"NTK-aware, two pairs", kNtkBugs, 4, 5e5, reference::Ntk{2.5}},
          {"YaRN, its own amplitude", kYarnBugs, 16, 1e4, Yarn{4, 2048}},
          {"YaRN, amplitude given, ramp not truncated", kYarnBugs, 20, 150000,
           Yarn{.factor = 32,
                .original_length = 4096,
                .truncate = false,
                .attention_factor = 1.25}},
          {"YaRN, mscale over mscale_all_dim", kYarnBugs, 16, 1e4,
           Yarn{.factor = 40,
                .original_length = 4096,
                .mscale = 1,
                .mscale_all_dim = 0.707}},
          {"Llama 3, factor 8", kLlama3Bugs, 16, 5e5,
           reference::Llama3{8, 1, 4, 8192}},
          {"Llama 3, factor 32", kLlama3Bugs, 20, 5e5,
           reference::Llama3{32, 1, 4, 8192}},
          {"Llama 3, a narrow band of another base", kLlama3Bugs, 16, 1e4,
           reference::Llama3{4, 1, 2, 1024}},
          {"frequency factors", kFactorsBugs, 16, 5e5,
           reference::FrequencyFactors{distinct(8, 1, 0.75)}},
          {"frequency factors below 1", kFactorsBugs, 8, 1e4,
           reference::FrequencyFactors{distinct(4, 0.5, 0.125)}},
          {"frequency factors that stop the last pair", kFactorsBugs, 8, 1e6,
           reference::FrequencyFactors{{1, 1, 2, 1e30}}}};
}

struct PlainAxes {
  const char* comment;
  const char* target;
  double base;
  Scheme scheme;
};

// Three of each kind of axis map.
std::vector<PlainAxes> plain_axes() {
  const Sections four = {2, 1, 1}, six = {1, 2, 3}, eight = {4, 2, 2},
                 even = {2, 2, 2, 2}, nine = {3, 3, 3}, ernie = {1, 1, 2},
                 ggml = {2, 1, 1, 1};
  const auto on = [](const reference::Axes& axes) { return Scheme{axes, {}}; };
  const auto axial = [](std::int64_t pairs) {
    return reference::axial_2d(pairs, 0, reference::Spectrum::kShared);
  };
  constexpr const char *kSectionBugs = "axes/mrope-sections",
                       *kGridBugs = "axes/2d-swapped";
  return {
      {"sections 2, 1, 1", kSectionBugs, 1e6,
       on(reference::contiguous_sections(four))},
      {"sections 1, 2, 3", kSectionBugs, 1e4,
       on(reference::contiguous_sections(six))},
      {"four equal sections, one spectrum", kSectionBugs, 1e4,
       on(reference::contiguous_sections(even))},
      {"sections 2, 1, 1 interleaved", kSectionBugs, 5e6,
       on(reference::interleaved_sections(four))},
      {"sections 4, 2, 2 interleaved", kSectionBugs, 1e6,
       on(reference::interleaved_sections(eight))},
      {"sections 3, 3, 3 interleaved", kSectionBugs, 1e7,
       on(reference::interleaved_sections(nine))},
      {"two axes with the frequencies of two pairs", kGridBugs, 1e4, axial(4)},
      {"two axes with the frequencies of four pairs", kGridBugs, 100, axial(8)},
      {"four axes with the frequencies of two pairs", kGridBugs, 2000,
       reference::n_axis(even)},
      {"sections 2, 1, 1 and 1 of a fourth axis", kSectionBugs, 1e6,
       on(reference::interleaved_sections_ggml(ggml))},
      {"axes in turn until used up", kSectionBugs, 1e4,
       on(reference::round_robin_sections(six))},
      {"h and w by turns, then t", kSectionBugs, 5e5,
       on(reference::ernie_sections(ernie))}};
}

// Two tokens whose positions differ on every axis.
Ids ids_of(std::int64_t axes) {
  Ids ids;
  for (std::int64_t a = 0; a < axes; ++a) {
    ids.push_back(static_cast<double>(2 + 41 * a));
    ids.push_back(static_cast<double>(9 + 257 * a));
  }
  return ids;
}

Problem on_axes(const Scheme& scheme, Format dtype, Pairing pairing,
                double base) {
  const auto head_dim =
      2 * static_cast<std::int64_t>(scheme.axes.axis_of_pair.size());
  return with_scheme(
      scheme, make_problem(dtype, window(head_dim, head_dim, 0, pairing), base,
                           1, 2, 1, 0, ids_of(scheme.axes.count)));
}

}  // namespace

Group core_plain() {
  Family family(Tier::kCore, "core-plain",
                "Whole heads, forward, dense, one row of two tokens: every "
                "scaling and every kind of axis map in every dtype and "
                "pairing, three times each, so that a kernel with one of each "
                "is judged on it.");
  const auto add_scaling = [&](const PlainScaling& row, Format dtype,
                               Pairing pairing, const Ids& positions) {
    family.add(
        with_scaling(
            row.scaling,
            make_problem(dtype, window(row.head_dim, row.head_dim, 0, pairing),
                         row.base, 1, 2, 1, 0, positions)),
        row.targets, row.comment);
  };
  const std::vector<PlainScaling> scalings = plain_scalings();
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    for (const PlainScaling& row : scalings) {
      add_scaling(row, dtype, pairing, {513, kNear});
    }
  }
  // Beyond 2^16, where f16 positions end: one of each.
  for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
    for (const Pairing pairing : kPairings) {
      for (std::size_t i = 0; i < scalings.size(); i += 3) {
        add_scaling(scalings[i], dtype, pairing, {4097, 131071});
      }
    }
  }
  const std::vector<PlainAxes> axes = plain_axes();
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    for (const PlainAxes& row : axes) {
      family.add(on_axes(row.scheme, dtype, pairing, row.base), {row.target},
                 row.comment);
    }
  }
  // Axes and a scaling: M-RoPE with YaRN, four sections with NTK.
  struct Both {
    const char* comment;
    Targets targets;
    std::size_t axes;
    Scaling scaling;
  };
  const Both both[] = {{"sections and YaRN",
                        {"axes/mrope-sections", "scaling/yarn-ramp"},
                        1,
                        Yarn{4, 1024}},
                       {"sections 4, 2, 2 interleaved and YaRN",
                        {"axes/mrope-sections", "scaling/yarn-ramp"},
                        4,
                        Yarn{4, 1024}},
                       {"four sections and NTK-aware, as Hunyuan-VL",
                        {"axes/mrope-sections", "scaling/dynamic-ntk"},
                        2,
                        reference::Ntk{1000}}};
  for (const Format dtype : kDtypes) {
    for (const Both& row : both) {
      family.add(with_scaling(row.scaling, on_axes(axes[row.axes].scheme, dtype,
                                                   kHalf, 1e4)),
                 row.targets, row.comment);
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
