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

void check_map(const char* model, const Scheme& scheme, std::uint32_t kind,
               const Sections& sections) {
  CAPTURE(model);
  const reference::Spec spec = spec_of(scheme);
  CHECK(axis_map_of(spec) == kind);
  CHECK(axis_sections(spec) == sections);
}

TEST_CASE("a model's axes are of the kind that its engine would say",
          "[conformance][axis_map]") {
  using namespace reference;
  constexpr std::uint32_t kAny = ROPEPROOF_AXES_ANY,
                          kGrid = ROPEPROOF_AXES_GRID,
                          kSections = ROPEPROOF_AXES_SECTIONS,
                          kInterleaved = ROPEPROOF_AXES_INTERLEAVED;
  const Sections qwen2 = {16, 24, 24}, qwen3 = {24, 20, 20}, glm = {8, 12, 12},
                 ggml = {24, 20, 20, 0}, ernie = {22, 22, 20},
                 flux = {8, 28, 28}, chatglm = {16, 16};
  check_map("Qwen2-VL", {contiguous_sections(qwen2), {}}, kSections, qwen2);
  check_map("Qwen3-VL", {interleaved_sections(qwen3), {}}, kInterleaved, qwen3);
  // Slices that end with the head: t takes what h and w leave.
  check_map("GLM by the slices of Qwen3-VL", {interleaved_sections(glm), {}},
            kInterleaved, {11, 11, 10});
  check_map("ggml's fourth axis", {interleaved_sections_ggml(ggml), {}}, kAny,
            {22, 20, 20, 2});
  check_map("GLM-4.5V", {round_robin_sections(glm), {}}, kAny, glm);
  check_map("Ernie 4.5-VL", {ernie_sections(ernie), {}}, kAny, {20, 22, 22});
  check_map("Qwen2-VL's ViT", axial_2d(40, 0, Spectrum::kShared), kGrid,
            {20, 20});
  check_map("width first", axial_2d(32, 1, Spectrum::kShared), kAny, {16, 16});
  check_map("Pixtral", axial_2d(32, 0, Spectrum::kEvenOdd), kSections,
            {16, 16});
  check_map("ChatGLM's 2-D", n_axis(chatglm), kGrid, chatglm);
  check_map("Flux.1", n_axis(flux), kSections, flux);
  check_map("one axis", {{1, {0, 0, 0}}, {}}, 0, {3});
  const std::vector<double> weights = {1, 2, 3, 4};
  check_map("mixed 2-D", {mixed_axes(2, weights), {}}, 0, {});
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
