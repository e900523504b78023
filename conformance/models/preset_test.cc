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

TEST_CASE("presets show what the catalogue says of them",
          "[conformance][models]") {
  const std::pair<const char*, const char*> facts[] = {
      {"deepseek-v3", "range [10, 23]: kept"},
      {"kimi-k2", "range [19, 20]: kept"},
      {"olmo-3", "range [18, 35]: kept"},
      {"qwen2.5-yarn", "range [23, 40]: kept"},
      {"gpt-oss", "not truncated"},
      {"qwen2.5-yarn", "amplitude  1.138629436111989\n"},
      {"gpt-oss", "amplitude  1.3465735902799727\n"},
      {"olmo-3", "amplitude  1.2079441541679836\n"},
      {"phi-3-mini-128k", "amplitude  1.1902380714238083\n"},
      {"phi-4-mini", "amplitude  1.1902380714238083\n"},
      {"phi-4-mini", "48; their frequencies need the factor lists\n"},
      {"deepseek-v3", "amplitude  1\n"},
      {"deepseek-v3", "scores by 1.87385;"},
      {"deepseek-v2", "amplitude  1\n"},
      {"deepseek-v2", "scores by 1.58963;"},
      {"llama-3.1", "amplitude  1\n"},
      {"llama-3.1", "pairs kept 29, blended 6, divided 29"},
      {"llama-3.2-1b", "pairs kept 15, blended 3, divided 14"},
      {"llama-4-scout", ", blended 0, "},  // low = high
      {"phi-2", "channels 0 .. 31 rotate, 32 .. 79 stay"},
      {"stablelm-3b", "channels 0 .. 19 rotate, 20 .. 79 stay"},
      {"gpt-neox-20b", "channels 0 .. 23 rotate, 24 .. 95 stay"},
      {"phi-4-mini", "channels 0 .. 95 rotate, 96 .. 127 stay"},
      {"deepseek-v3", "channels 128 .. 191 rotate, 0 .. 127 stay"},
      {"gemma-4",
       "channels 0 .. 63 and 256 .. 319 rotate, "
       "64 .. 255 and 320 .. 511 stay"},
      {"llama-2", "channels 0 .. 127 rotate\n"}};
  for (const auto& [id, fact] : facts) {
    CAPTURE(id, fact);
    CHECK(has(text_of(preset(id)), fact));
  }
  CHECK_FALSE(has(text_of(preset("phi-4-mini")), "inv_freq"));
  const auto ramp = figures("gpt-oss").resolution.ramps.front();
  CHECK(std::abs(ramp.low - 8.0928) < 5e-5);
  CHECK(std::abs(ramp.high - 17.3980) < 5e-5);
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
  for (const char* part :
       {"new-model  A new model\nnot confirmed; from\n  this test\n",
        "rotary_dim 48: channels 0 .. 47 rotate, 48 .. 95 stay",
        "interleaved (preset)", "amplitude  1.2079441541679836"}) {
    CHECK(has(text, part));
  }
  std::ostringstream list;
  print_models(list, {model});
  CHECK(has(list.str(),
            "new-model  96        48          interleaved  20000  "
            "yarn     unconfirmed  A new model\n"
            "1 models, 0 confirmed by two sources\n"));

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
        "x.json: config: says nothing of a RoPE; expected model_type, or "
        "rope_theta, rope_scaling or rope_parameters");
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
