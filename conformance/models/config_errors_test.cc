// Bad input: one line that names the file, the key, the value and what is
// accepted. Each case is a whole configuration and the whole message.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "conformance/models/config.h"

namespace ropeproof::conformance::models {
namespace {

// The message without the name of the file, which must lead it.
std::string refusal(const std::string& text) {
  try {
    ropes_of_config(nlohmann::json::parse(text), "config.json");
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    const std::string file = "config.json: ";
    CHECK(message.starts_with(file));
    return message.substr(file.size());
  }
  return "accepted";
}

std::string why_not(const std::string& keys) {
  return refusal(R"({"head_dim": 8, "rope_theta": 1e4, )" + keys + "}");
}

std::string scaled(const std::string& keys) {
  return why_not(R"("max_position_embeddings": 8192, "rope_scaling": {)" +
                 keys + "}");
}

TEST_CASE("what is no JSON object is refused", "[conformance][models]") {
  CHECK(refusal("[1, 2]") == "is [1,2]; expected a JSON object");
  CHECK(why_not(R"("rope_scaling": "yarn")") ==
        "rope_scaling is \"yarn\"; expected a JSON object");
  CHECK(refusal(R"({"text_config": {"rope_scaling": []}})") ==
        "text_config.rope_scaling is []; expected a JSON object");
}

TEST_CASE("a base that is missing or not positive is refused",
          "[conformance][models]") {
  CHECK(refusal(R"({"head_dim": 8})") ==
        "says nothing of a RoPE; expected model_type, or rope_theta, "
        "rope_scaling or rope_parameters");
  CHECK(refusal(R"({"head_dim": 8, "model_type": "florp"})") ==
        "model_type florp is not known, and rope_theta is missing; expected a "
        "finite number > 0, here or in the rope dictionary");
  CHECK(refusal(R"({"head_dim": 8, "rope_theta": -10000.0})") ==
        "rope_theta is -10000; expected a finite number > 0");
  CHECK(refusal(R"({"head_dim": 8, "rope_theta": "1e4"})") ==
        "rope_theta is \"1e4\"; expected a finite number > 0");
  CHECK(why_not(R"("rope_ratio": 500, "model_type": "florp")") ==
        "model_type florp is not known, and rope_ratio is 500; expected none: "
        "multiply rope_theta by it");
  CHECK(refusal(R"({"head_dim": 64, "rope_theta": 1.0,
      "max_position_embeddings": 8192,
      "rope_scaling": {"type": "yarn", "factor": 2}})") ==
        "base is 1; expected a finite number > 1 with YaRN");
}

TEST_CASE("a head without a size is refused", "[conformance][models]") {
  const auto head = [](const std::string& keys) {
    return refusal(R"({"rope_theta": 1e4)" + keys + "}");
  };
  CHECK(head("") ==
        "head_dim is missing; expected an integer >= 2, or hidden_size and "
        "num_attention_heads");
  CHECK(head(R"(, "hidden_size": 100)") ==
        "num_attention_heads is missing; expected an integer 1 .. "
        "1099511627776");
  CHECK(head(R"(, "hidden_size": 100, "num_attention_heads": 12)") ==
        "hidden_size is 100; expected a multiple of num_attention_heads, 12");
  CHECK(head(R"(, "head_dim": 0)") ==
        "head_dim is 0; expected an integer 2 .. 65536");
  CHECK(head(R"(, "head_dim": 64.5)") ==
        "head_dim is 64.5; expected an integer 2 .. 65536");
  CHECK(head(R"(, "head_dim": 65)") ==
        "head_dim is 65; expected an even number");
  CHECK(head(R"(, "head_dim": 80, "partial_rotary_factor": 0.29)") ==
        "partial_rotary_factor is 0.29; expected one that makes int(80 * "
        "partial_rotary_factor) even and at least 2, not 23");
  CHECK(head(R"(, "head_dim": 80, "partial_rotary_factor": 1.5)") ==
        "partial_rotary_factor is 1.5; expected a number > 0 and <= 1");
  CHECK(head(R"(, "head_dim": 80, "partial_rotary_factor": 0)") ==
        "partial_rotary_factor is 0; expected a number > 0 and <= 1");
  CHECK(head(R"(, "head_dim": 128, "rotary_dim": 64,
      "partial_rotary_factor": 0.25)") ==
        "rotary_dim is 64; expected int(head_dim * partial_rotary_factor), 32");
  CHECK(head(R"(, "head_dim": 128, "rotary_dim": 63)") ==
        "rotary_dim is 63; expected an even number");
  CHECK(head(R"(, "qk_rope_head_dim": 64)") ==
        "qk_nope_head_dim is missing; expected an integer >= 0, or head_dim");
  CHECK(head(R"(, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
      "head_dim": 100)") ==
        "head_dim is 100; expected qk_nope_head_dim + qk_rope_head_dim, 192");
}

TEST_CASE("an unknown type, an unknown key, and two that differ are refused",
          "[conformance][models]") {
  const std::string types =
      "one of default, linear, dynamic, yarn, longrope, su, llama3, "
      "proportional, axial, mrope, xdrope";
  CHECK(scaled(R"("rope_type": "ntk")") ==
        "rope_scaling.rope_type is \"ntk\"; expected " + types);
  CHECK(scaled(R"("type": "Yarn", "factor": 2)") ==
        "rope_scaling.type is \"Yarn\"; expected " + types);
  CHECK(scaled(R"("type": "linear", "rope_type": "yarn", "factor": 2)") ==
        "rope_scaling.rope_type is \"yarn\"; expected what type says, "
        "\"linear\"");
  CHECK(scaled(R"("type": "linear", "factors": 2)") ==
        "rope_scaling.factors is 2; expected no such key: a scaling of type "
        "linear takes factor, rope_type, type, rope_theta, "
        "partial_rotary_factor, mrope_section, xdrope_section, "
        "mrope_interleaved, "
        "interleaved, finetuned");
  CHECK(scaled(R"("factor": 8)")
            .starts_with("rope_scaling.factor is 8; expected no such key: a "
                         "scaling of type "
                         "default takes "));
}

TEST_CASE("parameters that contradict one another are refused",
          "[conformance][models]") {
  CHECK(why_not(R"("rope_parameters": {"rope_theta": 1e6})") ==
        "rope_parameters.rope_theta is 1000000; expected what rope_theta says, "
        "10000");
  CHECK(why_not(R"("partial_rotary_factor": 0.5,
      "rope_parameters": {"partial_rotary_factor": 0.25})") ==
        "rope_parameters.partial_rotary_factor is 0.25; expected what "
        "partial_rotary_factor says, 0.5");
  CHECK(why_not(R"("original_max_position_embeddings": 4096,
      "rope_scaling": {"type": "yarn", "factor": 2,
        "original_max_position_embeddings": 8192})") ==
        "rope_scaling.original_max_position_embeddings is 8192; expected what "
        "original_max_position_embeddings says, 4096");
  CHECK(why_not(R"("rope_scaling": {"type": "linear", "factor": 2},
      "rope_parameters": {"type": "linear", "factor": 4})") ==
        "rope_scaling is {\"factor\":2,\"type\":\"linear\"}; expected the same "
        "as rope_parameters beside it");
  CHECK(
      why_not(R"("rotary_pct": 0.5, "partial_rotary_factor": 0.25)") ==
      "rotary_pct is 0.5; expected partial_rotary_factor beside it, the same");
  CHECK(why_not(R"("rope_parameters":
      {"full_attention": {}, "rope_type": "yarn"})") ==
        "rope_parameters.rope_type is \"yarn\"; expected a JSON object");
}

TEST_CASE("a scaling without its parameters, or with bad ones, is refused",
          "[conformance][models]") {
  const std::string at_least_one = "; expected a finite number >= 1";
  const std::string positive = "; expected a finite number > 0";
  CHECK(scaled(R"("type": "linear", "factor": 0.125)") ==
        "rope_scaling.factor is 0.125" + at_least_one);
  CHECK(why_not(R"("rope_scaling": {"type": "dynamic", "factor": 2})") ==
        "max_position_embeddings is missing; expected an integer 1 .. "
        "9007199254740992");
  CHECK(scaled(R"("type": "dynamic", "alpha": 0.5)") ==
        "rope_scaling.alpha is 0.5" + at_least_one);

  CHECK(why_not(R"("rope_scaling": {"type": "yarn", "factor": 2})") ==
        "rope_scaling.original_max_position_embeddings is missing; expected an "
        "integer >= 1, here or as max_position_embeddings");
  CHECK(
      scaled(R"("type": "yarn", "original_max_position_embeddings": 16384)") ==
      "rope_scaling.factor is missing" + at_least_one);
  CHECK(scaled(R"("type": "yarn", "factor": 2, "beta_slow": 40)") ==
        "rope_scaling.beta_fast is 32; expected at least beta_slow, 40");
  CHECK(scaled(R"("type": "yarn", "factor": 2, "truncate": 1)") ==
        "rope_scaling.truncate is 1; expected true or false");

  const std::string llama3 = R"("type": "llama3", "factor": 8)";
  CHECK(scaled(llama3) == "rope_scaling.low_freq_factor is missing" + positive);
  CHECK(scaled(llama3 + R"(, "low_freq_factor": 4, "high_freq_factor": 1)") ==
        "rope_scaling.high_freq_factor is 1; expected at least "
        "low_freq_factor, 4");
  CHECK(scaled(llama3 + R"(, "low_freq_factor": 1, "high_freq_factor": 4)") ==
        "rope_scaling.original_max_position_embeddings is missing; expected an "
        "integer >= 1");
}

TEST_CASE("a list of a wrong length or with a wrong entry is refused",
          "[conformance][models]") {
  const std::string list = "a list of 4 finite numbers > 0";
  const auto long_rope = [](const std::string& keys) {
    return scaled(R"("type": "longrope", "original_max_position_embeddings":
        4096)" + keys);
  };
  CHECK(long_rope("") ==
        "rope_scaling.short_factor is missing; expected " + list);
  CHECK(long_rope(R"(, "short_factor": [1, 1, 1])") ==
        "rope_scaling.short_factor has 3 entries; expected " + list);
  CHECK(long_rope(R"(, "short_factor": 1)") ==
        "rope_scaling.short_factor is 1; expected " + list);
  const std::string lists =
      R"(, "short_factor": [1, 1, 1, 1], "long_factor": )";
  CHECK(long_rope(lists + "[1, 1, 0, 1]") ==
        "rope_scaling.long_factor[2] is 0; expected a finite number > 0");
  CHECK(long_rope(lists + R"([1, 1, 1, 1], "long_mscale": 1.2)") ==
        "rope_scaling.short_mscale is missing; expected a number, as "
        "long_mscale has");
}

TEST_CASE("sections that do not sum to the pairs are refused",
          "[conformance][models]") {
  const std::string sections =
      "; expected 3 integers with the sum 4, the number of pairs";
  const std::string key = "rope_scaling.mrope_section is ";
  CHECK(scaled(R"("type": "mrope", "mrope_section": [1, 1, 1])") ==
        key + "[1,1,1]" + sections);
  CHECK(scaled(R"("type": "mrope", "mrope_section": [2, 3, -1])") ==
        key + "[2,3,-1]; expected a list of integers >= 0");
  CHECK(scaled(R"("type": "xdrope")") ==
        "rope_scaling.xdrope_section is missing; expected a list of 4 integers "
        ">= 0");
}

}  // namespace
}  // namespace ropeproof::conformance::models
