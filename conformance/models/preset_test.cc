#include "conformance/models/preset.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <sstream>
#include <string>

#include "conformance/cases/test_groups.h"
#include "conformance/models/figures.h"
#include "conformance/models/model_text.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::models {
namespace {

const std::filesystem::path kModels =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

Model preset(const std::string& id) {
  const auto model = find_preset(kModels, id);
  REQUIRE(model);
  return *model;
}

Figures figures(const std::string& id, std::size_t rope = 0) {
  return figures_of(preset(id).ropes.at(rope));
}

std::string text_of(const Model& model) {
  std::ostringstream out;
  print_model(out, model);
  return out.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("every preset is a RoPE", "[conformance][models]") {
  const auto models = load_presets(kModels);
  int with_frequencies = 0, confirmed = 0;
  for (const Model& model : models) {
    CAPTURE(model.id);
    confirmed += model.confirmed ? 1 : 0;
    for (const ModelRope& rope : model.ropes) {
      const Figures figures = figures_of(rope);
      CHECK(figures.pairs.size() ==
            static_cast<std::size_t>(rope.spec.layout.rotary_dim / 2));
      CHECK(figures.resolution.amplitude >= 1);
      for (const PairFigures& pair : figures.pairs) {
        CHECK(pair.inv_freq > 0);
        CHECK(pair.inv_freq <= 1);
        CHECK(pair.unscaled >= pair.inv_freq);
      }
    }
    with_frequencies += model.ropes.front().has_frequencies ? 1 : 0;
  }
  CHECK(with_frequencies >= 40);
  CHECK(confirmed >= 30);
}

TEST_CASE("presets show the catalogue's YaRN ranges", "[conformance][models]") {
  const auto range = [](const std::string& id) {
    const auto ramp = figures(id).resolution.ramps.front();
    return std::pair(ramp.low, ramp.high);
  };
  CHECK(range("deepseek-v3") == std::pair(10.0, 23.0));
  CHECK(range("kimi-k2") == std::pair(19.0, 20.0));
  CHECK(range("olmo-3") == std::pair(18.0, 35.0));
  CHECK(range("qwen2.5-yarn") == std::pair(23.0, 40.0));
  const auto [low, high] = range("gpt-oss");  // not truncated
  CHECK(std::abs(low - 8.0928) < 5e-5);
  CHECK(std::abs(high - 17.3980) < 5e-5);
  CHECK(has(text_of(preset("deepseek-v3")), "range [10, 23]: kept"));
  CHECK(has(text_of(preset("gpt-oss")), "not truncated"));
}

TEST_CASE("presets show the catalogue's amplitudes", "[conformance][models]") {
  const auto amplitude = [](const std::string& id) {
    return figures(id).resolution.amplitude;
  };
  CHECK(amplitude("qwen2.5-yarn") == 1.138629436111989);
  CHECK(amplitude("gpt-oss") == 1.3465735902799727);
  CHECK(amplitude("olmo-3") == 1.2079441541679836);
  CHECK(amplitude("phi-3-mini-128k") == 1.1902380714238083);
  CHECK(amplitude("phi-4-mini") == 1.1902380714238083);
  CHECK(amplitude("deepseek-v3") == 1);
  CHECK(amplitude("deepseek-v2") == 1);
  CHECK(amplitude("llama-3.1") == 1);
  CHECK(has(text_of(preset("deepseek-v3")), "scores by 1.87385;"));
  CHECK(has(text_of(preset("deepseek-v2")), "scores by 1.58963;"));
}

TEST_CASE("presets show the catalogue's llama3 bands",
          "[conformance][models]") {
  using reference::Band;
  const auto bands = [](const std::string& id) {
    std::vector<std::int64_t> counts(3);
    for (const Band band : figures(id).resolution.bands) {
      ++counts[static_cast<std::size_t>(band)];
    }
    return counts;
  };
  CHECK(bands("llama-3.1") == std::vector<std::int64_t>{29, 6, 29});
  CHECK(bands("llama-3.2-1b") == std::vector<std::int64_t>{15, 3, 14});
  CHECK(bands("llama-4-scout")[1] == 0);  // low = high: nothing to blend
  CHECK(has(text_of(preset("llama-3.1")),
            "pairs kept 29, blended 6, divided 29"));
  const auto pairs = figures("llama-3.1").pairs;
  CHECK(pairs[28].inv_freq == pairs[28].unscaled);
  CHECK(pairs[35].inv_freq == pairs[35].unscaled / 8);
}

TEST_CASE("presets show the catalogue's slowest pairs",
          "[conformance][models]") {
  const auto slowest = [](const std::string& id) {
    return figures(id).pairs.back();
  };
  CHECK(std::abs(slowest("llama-2").inv_freq - 1.1548e-4) < 5e-9);
  CHECK(std::abs(slowest("llama-2").wavelength - 54410) < 1);
  CHECK(std::abs(slowest("llama-3.1").unscaled - 2.455e-6) < 5e-10);
  CHECK(std::abs(slowest("falcon-h1").inv_freq - 2.2e-11) < 1e-12);
  CHECK(std::abs(slowest("qwen3-vl").inv_freq - 2.55e-7) < 1e-9);
}

TEST_CASE("presets show which channels rotate", "[conformance][models]") {
  const auto channels = [](const std::string& id) {
    return channels_fact(preset(id).ropes.front().spec.layout, figures(id));
  };
  CHECK(channels("phi-2") == "channels 0 .. 31 rotate, 32 .. 79 stay");
  CHECK(channels("stablelm-3b") == "channels 0 .. 19 rotate, 20 .. 79 stay");
  CHECK(channels("gpt-neox-20b") == "channels 0 .. 23 rotate, 24 .. 95 stay");
  CHECK(channels("phi-4-mini") == "channels 0 .. 95 rotate, 96 .. 127 stay");
  CHECK(channels("deepseek-v3") == "channels 128 .. 191 rotate, 0 .. 127 stay");
  CHECK(
      channels("gemma-4") ==
      "channels 0 .. 63 and 256 .. 319 rotate, 64 .. 255 and 320 .. 511 stay");
  CHECK(channels("llama-2") == "channels 0 .. 127 rotate");
}

TEST_CASE("presets with several axes show the catalogue's maps",
          "[conformance][models]") {
  const auto axes = [](const std::string& id) {
    const Model model = preset(id);
    std::string text;
    for (const PairFigures& pair : figures(id).pairs) {
      text +=
          model.ropes.front().axis_names[static_cast<std::size_t>(pair.axis)];
    }
    return text;
  };
  const auto times = [](std::size_t n, const std::string& part) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += part;
    return text;
  };
  CHECK(axes("qwen2.5-vl") == times(16, "t") + times(24, "h") + times(24, "w"));
  CHECK(axes("qwen3-vl") == times(20, "thw") + "tttt");
  CHECK(axes("qwen3.5") == times(10, "thw") + "th");
  CHECK(axes("ernie-4.5-vl") == times(22, "hw") + times(20, "t"));
  CHECK(axes("wan-2.1") == times(22, "t") + times(21, "y") + times(21, "x"));
  CHECK(axes("pixtral-vit") == times(16, "y") + times(16, "x"));
  CHECK(axes("dinov3") == times(16, "y") + times(16, "x"));

  const auto wan = figures("wan-2.1").pairs;
  CHECK(wan[22].inv_freq == 1);  // each axis starts anew
  CHECK(wan[43].inv_freq == 1);
  const auto pixtral = figures("pixtral-vit").pairs;
  CHECK(pixtral[16].inv_freq == figures("llama-3.2-1b").pairs[0].unscaled *
                                    std::pow(10000.0, -2.0 / 64));
  CHECK(std::abs(figures("dinov3").pairs[0].wavelength - 1) < 1e-12);
  const auto gemma4 = figures("gemma-4-vision").pairs;
  CHECK(gemma4[0].in.v == 16);
  CHECK(gemma4[16].in.u == 32);
}

TEST_CASE("a preset without its lists shows layout and amplitude only",
          "[conformance][models]") {
  const std::string text = text_of(preset("phi-4-mini"));
  CHECK(has(text, "amplitude  1.1902380714238083\n"));
  CHECK(has(text, "48; their frequencies need the factor lists\n"));
  CHECK_FALSE(has(text, "inv_freq"));
}

TEST_CASE("a new model is new data", "[conformance][models]") {
  const Model model = read_preset(R"({
      "id": "new-model", "title": "A new model", "confirmed": false,
      "sources": ["this test"], "pairing": "interleaved",
      "config": {"model_type": "never_heard_of", "head_dim": 96,
        "max_position_embeddings": 32768, "rope_parameters": {
          "rope_type": "yarn", "rope_theta": 20000.0, "factor": 8.0,
          "original_max_position_embeddings": 4096,
          "partial_rotary_factor": 0.5}}})",
                                  "new-model.json");
  const std::string text = text_of(model);
  CHECK(
      has(text, "new-model  A new model\nnot confirmed; from\n  this test\n"));
  CHECK(has(text, "rotary_dim 48: channels 0 .. 47 rotate, 48 .. 95 stay"));
  CHECK(has(text, "interleaved (preset)"));
  CHECK(has(text, "amplitude  1.2079441541679836"));
  std::ostringstream list;
  print_models(list, {model});
  CHECK(
      has(list.str(),
          "new-model  96        48          interleaved  20000  yarn     "
          "unconfirmed  A new model\n1 models, 0 confirmed by two sources\n"));

  const Model video = read_preset(R"({
      "id": "new-video", "title": "A new video model", "confirmed": false,
      "sources": ["this test"], "pairing": "interleaved",
      "rope": {"head_dim": 12, "base": 100.0, "context_length": 64,
        "axes": {"scheme": "blocks", "names": ["t", "y", "x"],
          "pairs": [2, 2, 2]}}})",
                                  "new-video.json");
  CHECK(figures_of(video.ropes.front()).pairs[5].inv_freq == 0.1);
}

TEST_CASE("a broken preset is refused in one line", "[conformance][models]") {
  const auto refusal = [](const std::string& keys) {
    return cases::refusal([&] {
      read_preset(
          R"({"id": "x", "title": "X", "pairing": "half_split", )" + keys + "}",
          "x.json");
    });
  };
  const std::string rope = R"("rope": {"head_dim": 8, "base": 1e4)";
  const std::string head = R"("confirmed": false, "sources": ["s"], )";
  CHECK(refusal(head + rope + "}") == "accepted");
  CHECK(refusal(R"("confirmed": true, "sources": ["s"], )" + rope + "}") ==
        "x.json.sources: expected one, or two of a confirmed preset");
  CHECK(refusal(head + R"("surprise": 1, )" + rope + "}")
            .starts_with("x.json.surprise: unknown field"));
  CHECK(refusal(head + R"("config": {}, )" + rope + "}") ==
        "x.json.config: expected it, or else rope");
  CHECK(refusal(head + R"("config": {"head_dim": 8})") ==
        "x.json: config: rope_theta is missing; expected a finite number > 0, "
        "here or in the rope dictionary");
  CHECK(refusal(head + R"("missing": ["long_factor"], )" + rope + "}")
            .starts_with("x.json.missing: expected only where"));
  CHECK(refusal(head + rope + R"(, "theta": 1})") ==
        "x.json: rope: theta is 1; expected no such key: rope takes head_dim, "
        "rotary_dim, rotary_offset, base, context_length, axes");
  const auto axes = [&](const std::string& keys) {
    return refusal(head + rope + R"(, "axes": {"names": ["y", "x"], )" + keys +
                   "}}");
  };
  CHECK(axes(R"("scheme": "blocks", "pairs": [2, 1])") ==
        "x.json: rope: axes.pairs is [2,1]; expected 2 integers with the sum "
        "4, the number of pairs");
  CHECK(axes(R"("scheme": "spiral")")
            .starts_with("x.json: rope: axes.scheme is \"spiral\"; expected "
                         "blocks, axial, "));
}

TEST_CASE("only a plain name finds a preset", "[conformance][models]") {
  CHECK(find_preset(kModels, "llama-2"));
  CHECK_FALSE(find_preset(kModels, "no-such-model"));
  CHECK_FALSE(find_preset(kModels, "schema"));
  CHECK_FALSE(find_preset(kModels, "../schema"));
  CHECK_FALSE(find_preset(kModels, ""));
  CHECK_THROWS_AS(load_presets(kModels / "nowhere"), text::FileError);
  CHECK_THROWS_AS(read_config_file("/no/such/config.json"), ConfigError);
}

}  // namespace
}  // namespace ropeproof::conformance::models
