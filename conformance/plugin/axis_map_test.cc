#include "conformance/plugin/axis_map.h"

#include <ropeproof_kernel.h>

#include <catch2/catch_test_macros.hpp>

#include "reference/schemes.h"

namespace ropeproof::conformance::plugin {
namespace {

using reference::Scheme;
using reference::Spectrum;
using Sections = std::vector<std::int64_t>;

reference::Spec spec_of(const Scheme& scheme) {
  const auto& axes = scheme.axes;
  const std::size_t pairs =
      axes.weights.empty()
          ? axes.axis_of_pair.size()
          : axes.weights.size() / static_cast<std::size_t>(axes.count);
  const auto channels = static_cast<std::int64_t>(2 * pairs);
  reference::Spec spec;
  spec.layout =
      reference::leading(channels, channels, reference::Pairing::kHalfSplit);
  spec.frequencies.exponents = scheme.exponents;
  spec.axes = axes;
  return spec;
}

TEST_CASE("a model's axes are of the kind that its engine would say",
          "[conformance][axis_map]") {
  const Sections qwen2 = {16, 24, 24}, qwen3 = {24, 20, 20},
                 ggml = {24, 20, 20, 0}, glm = {8, 12, 12},
                 ernie = {22, 22, 20}, flux1 = {8, 28, 28}, chatglm = {16, 16};
  struct Row {
    const char* model;
    Scheme scheme;
    std::uint32_t kind;
    Sections sections;
  };
  const Row rows[] = {
      {"Qwen2-VL",
       {reference::contiguous_sections(qwen2), {}},
       ROPEPROOF_AXES_SECTIONS,
       qwen2},
      {"Qwen3-VL",
       {reference::interleaved_sections(qwen3), {}},
       ROPEPROOF_AXES_INTERLEAVED,
       qwen3},
      // Slices that end with the head: t takes what h and w leave.
      {"GLM by the slices of Qwen3-VL",
       {reference::interleaved_sections(glm), {}},
       ROPEPROOF_AXES_INTERLEAVED,
       {11, 11, 10}},
      {"ggml's fourth axis",
       {reference::interleaved_sections_ggml(ggml), {}},
       ROPEPROOF_AXES_ANY,
       {22, 20, 20, 2}},
      {"GLM-4.5V",
       {reference::round_robin_sections(glm), {}},
       ROPEPROOF_AXES_ANY,
       glm},
      {"Ernie 4.5-VL",
       {reference::ernie_sections(ernie), {}},
       ROPEPROOF_AXES_ANY,
       {20, 22, 22}},
      {"Qwen2-VL's ViT",
       reference::axial_2d(40, 0, Spectrum::kShared),
       ROPEPROOF_AXES_GRID,
       {20, 20}},
      {"width first",
       reference::axial_2d(32, 1, Spectrum::kShared),
       ROPEPROOF_AXES_ANY,
       {16, 16}},
      {"Pixtral",
       reference::axial_2d(32, 0, Spectrum::kEvenOdd),
       ROPEPROOF_AXES_SECTIONS,
       {16, 16}},
      {"ChatGLM's 2-D", reference::n_axis(chatglm), ROPEPROOF_AXES_GRID,
       chatglm},
      {"Flux.1", reference::n_axis(flux1), ROPEPROOF_AXES_SECTIONS, flux1},
      {"one axis", {{1, {0, 0, 0}}, {}}, 0, {3}},
      {"mixed 2-D",
       {reference::mixed_axes(2, std::vector<double>{1, 2, 3, 4}), {}},
       0,
       {}}};
  for (const Row& row : rows) {
    CAPTURE(row.model);
    const reference::Spec spec = spec_of(row.scheme);
    CHECK(axis_map_of(spec) == row.kind);
    CHECK(axis_sections(spec) == row.sections);
  }
}

TEST_CASE("several axes without a map are all pairs on axis 0",
          "[conformance][axis_map]") {
  reference::Spec spec = spec_of({{3, {0, 0}}, {}});
  spec.axes.axis_of_pair.clear();
  CHECK(axis_map_of(spec) == ROPEPROOF_AXES_SECTIONS);
  CHECK(axis_sections(spec) == Sections{2, 0, 0});
}

TEST_CASE("a grid has one base, and exponents that start anew on each axis",
          "[conformance][axis_map]") {
  const reference::Spec grid =
      spec_of(reference::axial_2d(8, 0, Spectrum::kShared));
  reference::Spec spec = grid;
  spec.frequencies.exponents[5] = {6, 24};  // the same number, unreduced
  spec.frequencies.bases.assign(8, 500);
  CHECK(axis_map_of(spec) == ROPEPROOF_AXES_GRID);
  const auto changed = [&](auto change) {
    reference::Spec other = grid;
    change(other.frequencies);
    return axis_map_of(other);
  };
  using F = reference::Frequencies;
  CHECK(changed([](F& f) {
          f.exponents[4] = {0, 0};
        }) == ROPEPROOF_AXES_SECTIONS);
  CHECK(changed([](F& f) {
          f.exponents[5] = {3, 8};
        }) == ROPEPROOF_AXES_SECTIONS);
  CHECK(changed([](F& f) { f.exponents.clear(); }) == ROPEPROOF_AXES_SECTIONS);
  CHECK(changed([](F& f) { f.bases = {1, 1, 1, 1, 2, 2, 2, 2}; }) ==
        ROPEPROOF_AXES_SECTIONS);
  CHECK(changed([](F& f) { f.exponents.clear(), f.inv_freq.assign(8, 1); }) ==
        ROPEPROOF_AXES_SECTIONS);
}

}  // namespace
}  // namespace ropeproof::conformance::plugin
