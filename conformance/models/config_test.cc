#include "conformance/models/config.h"

#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>
#include <variant>

#include "conformance/models/figures.h"
#include "conformance/models/model_text.h"

namespace ropeproof::conformance::models {
namespace {

using reference::Pairing;
using reference::Yarn;

std::vector<ModelRope> parse(const std::string& text,
                             ConfigOptions options = {}) {
  static const ModelTypes kTypes =
      load_types(std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models");
  options.types = kTypes;
  return ropes_of_config(nlohmann::json::parse(text), "config.json", options)
      .ropes;
}

ModelRope parse_one(const std::string& text,
                    const ConfigOptions& options = {}) {
  const auto ropes = parse(text, options);
  REQUIRE(ropes.size() == 1);
  return ropes.front();
}

// Layout, pairing, base, scaling, amplitude, every frequency, channel and axis.
std::string shown(const std::string& text) {
  Model model;
  model.ropes = parse(text);
  std::ostringstream out;
  print_model(out, model);
  return out.str();
}

// A model with `keys`, too.
std::string with(const std::string& keys) {
  return R"({"head_dim": 64, "max_position_embeddings": 131072, )" + keys + "}";
}

double amplitude(const std::string& text) {
  return figures_of(parse_one(text)).resolution.amplitude;
}

constexpr const char* kLlama3 =
    R"("factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
       "original_max_position_embeddings": 8192)";

TEST_CASE("the spellings of transformers 4 and 5 give the same specification",
          "[conformance][models]") {
  const std::string llama3(kLlama3);
  const std::string old = shown(with(R"("rope_theta": 500000.0,
      "rope_scaling": {"rope_type": "llama3", )" +
                                     llama3 + "}"));
  CHECK(old == shown(with(R"("rope_parameters": {"rope_theta": 500000.0,
      "rope_type": "llama3", )" +
                          llama3 + "}")));
  CHECK(old == shown(with(R"("rope_theta": 500000, "rope_parameters":
      {"rope_theta": 500000.0, "type": "llama3", "rope_type": "llama3", )" +
                          llama3 + "}")));

  CHECK(shown(with(R"("rope_theta": 1e6, "rope_local_base_freq": 10000.0,
      "rope_scaling": {"type": "linear", "factor": 8})")) ==
        shown(with(R"("rope_parameters": {
      "full_attention":
        {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
      "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}})")));

  CHECK(shown(with(R"("rope_theta": 1e4, "partial_rotary_factor": 0.5,
      "rope_scaling": null)")) ==
        shown(with(R"("rope_parameters": {"rope_theta": 1e4,
      "partial_rotary_factor": 0.5})")));
  CHECK(shown(with(R"("rope_theta": 1e6, "rope_scaling": {"type": "mrope",
      "mrope_section": [8, 12, 12]})")) ==
        shown(with(R"("rope_theta": 1e6, "rope_scaling": {"type": "mrope",
      "rope_type": "default", "mrope_section": [8, 12, 12]})")));
  CHECK(shown(with(R"("rope_theta": 1e4)")) ==
        shown(R"({"model_type": "vl", "vision_config": {"rope_theta": 1},
      "text_config": )" +
              with(R"("rope_theta": 1e4)") + "}"));
}

TEST_CASE("an absent head_dim is hidden_size over heads, as in Qwen2",
          "[conformance][models]") {
  const std::string qwen2 =
      R"({"hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1e6)";
  CHECK(parse_one(qwen2 + "}").spec.layout.head_dim == 128);
  CHECK(parse_one(qwen2 + R"(, "head_dim": null})").spec.layout.head_dim ==
        128);
  CHECK(parse_one(qwen2 + R"(, "head_dim": 64})").spec.layout.head_dim == 64);
  CHECK(parse_one(R"({"n_embd": 4096, "n_head": 16, "rope_theta": 1e4,
      "rotary_dim": 64})")
            .spec.layout.rotary_dim == 64);
}

TEST_CASE("rotary_dim is the product in binary64, cut",
          "[conformance][models]") {
  const auto rotary_dim = [](int head_dim, const std::string& factor) {
    return parse_one(R"({"rope_theta": 1e4, "head_dim": )" +
                     std::to_string(head_dim) +
                     R"(, "partial_rotary_factor": )" + factor + "}")
        .spec.layout.rotary_dim;
  };
  CHECK(rotary_dim(80, "0.4") == 32);
  CHECK(rotary_dim(128, "0.75") == 96);
  CHECK(rotary_dim(96, "0.25") == 24);
  CHECK(rotary_dim(100, "0.29") == 28);   // 28.999999999999996
  CHECK(rotary_dim(192, "0.334") == 64);  // 64.128
}

TEST_CASE("latent attention rotates the last channels",
          "[conformance][models]") {
  const std::string rest = R"("qk_rope_head_dim": 64, "rope_theta": 1e4,
      "model_type": "deepseek_v3"})";
  for (const char* keys :
       {R"({"qk_nope_head_dim": 128, )", R"({"head_dim": 192, )",
        R"({"qk_nope_head_dim": 128, "head_dim": 64, )"}) {
    const auto layout = parse_one(keys + rest).spec.layout;
    CHECK(layout.head_dim == 192);
    CHECK(layout.rotary_dim == 64);
    CHECK(layout.rotary_offset == 128);
    CHECK(layout.pairing == Pairing::kInterleaved);
  }
}

TEST_CASE("pairing is the option's, the flag's, the type's, or assumed",
          "[conformance][models]") {
  const auto pairing = [](const std::string& keys,
                          const ConfigOptions& options = {}) {
    return parse_one(with(R"("rope_theta": 1e4)" + keys), options)
        .spec.layout.pairing;
  };
  CHECK(pairing("") == Pairing::kHalfSplit);
  CHECK(pairing(R"(, "model_type": "llama")") == Pairing::kHalfSplit);
  CHECK(pairing(R"(, "model_type": "glm4_moe")") == Pairing::kHalfSplit);
  for (const char* type : {"cohere", "cohere2_moe", "glm4", "helium",
                           "llama4_text", "ernie4_5", "deepseek_v32"}) {
    CHECK(pairing(R"(, "model_type": ")" + std::string(type) + "\"") ==
          Pairing::kInterleaved);
  }
  const std::string flag =
      R"(, "model_type": "deepseek_v3", "rope_interleave": false)";
  CHECK(pairing(flag) == Pairing::kHalfSplit);
  ConfigOptions options;
  options.pairing = Pairing::kInterleavedToHalf;
  CHECK(pairing(flag, options) == Pairing::kInterleavedToHalf);
}

TEST_CASE("zero betas are absent ones, and truncate is heard",
          "[conformance][models]") {
  const auto yarn = [](const std::string& keys) {
    return std::get<Yarn>(
        parse_one(with(R"("rope_theta": 1e4, "rope_scaling": {"type": "yarn",
            "factor": 4, "original_max_position_embeddings": 4096)" +
                       keys + "}"))
            .spec.frequencies.scaling);
  };
  CHECK(yarn("").beta_fast == 32);
  CHECK(yarn("").beta_slow == 1);
  CHECK(yarn("").truncate);
  CHECK(yarn(R"(, "beta_fast": 0, "beta_slow": 0)").beta_fast == 32);
  CHECK(yarn(R"(, "beta_fast": 0, "beta_slow": 0)").beta_slow == 1);
  CHECK_FALSE(yarn(R"(, "truncate": false)").truncate);
  CHECK_FALSE(yarn(R"(, "truncate": null)").truncate);
}

TEST_CASE("YaRN takes its length and factor from the model where it has none",
          "[conformance][models]") {
  const auto yarn = [](const std::string& keys) {
    return std::get<Yarn>(parse_one(with(R"("rope_theta": 1e4, )" + keys))
                              .spec.frequencies.scaling);
  };
  CHECK(yarn(R"("rope_scaling": {"type": "yarn", "factor": 4})")
            .original_length == 131072);
  const auto outside = yarn(R"("original_max_position_embeddings": 4096,
      "rope_scaling": {"type": "yarn", "factor": null})");
  CHECK(outside.original_length == 4096);
  CHECK(outside.factor == 32);
}

TEST_CASE("mscale alone is read in two ways, so DeepSeek's is refused",
          "[conformance][models]") {
  const auto yarn = [](const std::string& keys, const std::string& type) {
    return with(R"("rope_theta": 1e4, "model_type": ")" + type + R"(",
        "rope_scaling": {"type": "yarn", "factor": 40,
        "original_max_position_embeddings": 4096)" +
                keys + "}");
  };
  constexpr double kG1 = 1.3688879454113936;  // 0.1 ln 40 + 1
  const std::string only = R"(, "mscale": 0.707)";
  CHECK(amplitude(yarn(only, "llama")) == kG1);
  CHECK_THROWS_AS(parse(yarn(only, "deepseek_v3")), ConfigError);
  CHECK(amplitude(yarn(only + R"(, "attention_factor": 2)", "deepseek_v3")) ==
        2);
  CHECK(amplitude(yarn("", "deepseek_v3")) == kG1);
  const std::string both = R"(, "mscale": 0.707, "mscale_all_dim": 0.707)";
  CHECK(amplitude(yarn(both, "llama")) == 1);
  CHECK(amplitude(yarn(both, "deepseek_v3")) == 1);
  CHECK(amplitude(yarn(R"(, "mscale_all_dim": 1)", "llama")) == kG1);
  CHECK_THROWS_AS(parse(yarn(R"(, "mscale_all_dim": 1)", "deepseek_v3")),
                  ConfigError);
  CHECK(amplitude(yarn(both + R"(, "attention_factor": 2)", "llama")) == 2);
}

TEST_CASE("LongRoPE uses the list of the length, and one amplitude",
          "[conformance][models]") {
  const std::string text = R"({"head_dim": 4, "rope_theta": 1e4,
      "max_position_embeddings": 131072,
      "original_max_position_embeddings": 4096,
      "rope_scaling": {"type": "su", "short_factor": [1, 2],
        "long_factor": [4, 8]}})";
  const auto at = [&](std::int64_t seq_len) {
    ConfigOptions options;
    options.seq_len = seq_len;
    return figures_of(parse_one(text, options));
  };
  CHECK(at(0).pairs[0].inv_freq == 0.25);
  CHECK(at(4097).pairs[0].inv_freq == 0.25);
  CHECK(at(4096).pairs[0].inv_freq == 1);
  CHECK(at(4096).resolution.amplitude == 1.1902380714238083);

  CHECK(amplitude(R"({"head_dim": 4, "rope_theta": 1e4,
      "max_position_embeddings": 131072, "rope_scaling": {"type": "longrope",
        "original_max_position_embeddings": 4096, "factor": 1.0,
        "short_factor": [1, 2], "long_factor": [4, 8]}})") == 1);

  const std::string small = R"({"head_dim": 4, "rope_theta": 1e4,
      "max_position_embeddings": 8192, "rope_scaling": {"type": "longrope",
        "original_max_position_embeddings": 4096, "short_mscale": 1.5,
        "long_mscale": 1.25, "short_factor": [1, 2], "long_factor": [4, 8]}})";
  CHECK(amplitude(small) == 1.25);
}

TEST_CASE("dynamic NTK needs a length, and Hunyuan's alpha is static",
          "[conformance][models]") {
  const std::string text = with(R"("rope_theta": 1e4, "rope_scaling":
      {"type": "dynamic", "factor": 2.0})");
  ConfigOptions options;
  CHECK(figures_of(parse_one(text)).pairs[31].inv_freq ==
        figures_of(parse_one(text)).pairs[31].unscaled);
  options.seq_len = 262144;  // alpha = 2 * 2 - 1
  const auto pair = figures_of(parse_one(text, options)).pairs[31];
  CHECK(pair.unscaled / pair.inv_freq > 2.999);
  CHECK(pair.unscaled / pair.inv_freq < 3.001);

  const auto rope = parse_one(with(R"("rope_theta": 1e4, "rope_scaling":
      {"type": "dynamic", "alpha": 1000.0, "factor": 1.0})"));
  CHECK(std::get<reference::Ntk>(rope.spec.frequencies.scaling).alpha == 1000);
}

// preset_test.cc has the other schemes.
TEST_CASE("the sections of xdrope run on", "[conformance][models]") {
  for (const std::string scaling :
       {R"("xdrope", "xdrope_section")", R"("xdrope", "mrope_section")",
        R"("dynamic", "alpha": 2.0, "xdrope_section")"}) {
    CAPTURE(scaling);
    const auto rope = parse_one(R"({"rope_theta": 1e6, "head_dim": 16,
        "rope_scaling": {"type": )" +
                                scaling + ": [1, 2, 2, 3]}}");
    CHECK(rope.spec.axes.axis_of_pair ==
          std::vector<std::int64_t>{0, 1, 1, 2, 2, 3, 3, 3});
  }
}

}  // namespace
}  // namespace ropeproof::conformance::models
