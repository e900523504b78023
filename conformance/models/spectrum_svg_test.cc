#include "conformance/models/spectrum_svg.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

namespace ropeproof::conformance::models {
namespace {

const std::filesystem::path kDrawn =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

bool draws(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("every preset with frequencies has a spectrum",
          "[conformance][models]") {
  for (const Model& model : load_presets(kDrawn)) {
    CAPTURE(model.id);
    if (!model.ropes.front().has_frequencies) {
      CHECK_THROWS_AS(spectrum_svg(model), std::invalid_argument);
      continue;
    }
    const std::string svg = spectrum_svg(model);
    CHECK(draws(svg, "prefers-color-scheme: dark"));
    CHECK(draws(svg, ">pair j</text>"));
    CHECK(draws(svg, ">positions per full circle, 2π / inv_freq</text>"));
  }
}

TEST_CASE("a spectrum shows both curves, the contexts and what is blended",
          "[conformance][models]") {
  const std::string svg = spectrum_svg(*find_preset(kDrawn, "llama-3.1"));
  CHECK(draws(svg, "Llama 3.1 and 3.3, 8B to 405B: wavelength of each pair"));
  for (const char* text : {"original context 8192", "context 131072", "llama3",
                           "unscaled", "blended pairs"}) {
    CHECK(draws(svg, ">" + std::string(text) + "</text>"));
  }
  CHECK(draws(svg, "<title>pair 0: 6.28319</title>"));
  const std::string axes = spectrum_svg(*find_preset(kDrawn, "wan-2.1"));
  CHECK(draws(axes, ">axis t</text>"));
  CHECK(draws(axes, "<title>pair 22, axis y: 6.28319</title>"));
  const std::string layers = spectrum_svg(*find_preset(kDrawn, "gemma-3-4b"));
  CHECK(draws(layers, ">full_attention, linear</text>"));
  CHECK(draws(layers, ">sliding_attention, unscaled</text>"));
}

TEST_CASE("names are escaped", "[conformance][models]") {
  Model model = *find_preset(kDrawn, "llama-2");
  model.title = "a < b & \"c\"\n> d";
  const std::string svg = spectrum_svg(model);
  CHECK(draws(svg, "a &lt; b &amp; &quot;c&quot;\n&gt; d: wavelength"));
}

}  // namespace
}  // namespace ropeproof::conformance::models
