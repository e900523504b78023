// The table of model types: vectors/models/types/configs.json has small
// configurations, each of a kind, and what must be said of them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "conformance/models/model_text.h"
#include "conformance/models/profiles.h"
#include "conformance/text/file.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::models {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::filesystem::path kFolder =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

// What `show` prints, or the line of the refusal.
std::string said_of(const nlohmann::json& config) {
  ConfigOptions options;
  options.types = load_types(kFolder);
  try {
    Model model;
    model.set(ropes_of_config(config, "config.json", options));
    std::ostringstream out;
    print_model(out, model);
    return out.str();
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST_CASE("of each kind of configuration the right thing is said",
          "[conformance][models]") {
  const std::string file = (kFolder / "types" / "configs.json").string();
  for (const auto& row : text::parse_json(text::read_file(file), file)) {
    CAPTURE(row.at("why"));
    const std::string said = said_of(row.at("config"));
    for (const std::string part : row.at("says")) {
      CHECK_THAT(said, ContainsSubstring(part));
    }
    for (const std::string part : row.value("never", nlohmann::json::array())) {
      CHECK_THAT(said, !ContainsSubstring(part));
    }
  }
}

TEST_CASE("a kernel is not judged by a pairing that nobody gave",
          "[conformance][models]") {
  const auto path = std::filesystem::temp_directory_path() / "florp.json";
  std::ofstream(path) << R"({"model_type": "florp", "head_dim": 8,
      "rope_theta": 1e4, "max_position_embeddings": 64,
      "limit": Infinity, "words": "NaN \" Infinity"})";
  ProfileParts parts;
  parts.config = path;
  CHECK_THROWS_WITH(
      make_profile(parts, kFolder),
      ContainsSubstring("unknown for model_type florp; say --pairing"));
  parts.pairing = reference::Pairing::kInterleaved;
  CHECK(make_profile(parts, kFolder).positions == 64);
  std::filesystem::remove(path);
}

TEST_CASE("a kernel is not judged by keys that nobody can read",
          "[conformance][models]") {
  const auto path = std::filesystem::temp_directory_path() / "keys.json";
  std::ofstream(path) << R"({"model_type": "florp", "head_dim": 8,
      "rope_theta": 1e4, "no_rope_layers": [1, 0]})";
  ProfileParts parts;
  parts.config = path;
  parts.pairing = reference::Pairing::kInterleaved;
  CHECK_THROWS_WITH(
      make_profile(parts, kFolder),
      ContainsSubstring("nobody knows what florp does with no_rope_layers"));
  std::filesystem::remove(path);
}

TEST_CASE("an indexer is asked by its name", "[conformance][models]") {
  const auto path = std::filesystem::temp_directory_path() / "indexer.json";
  std::ofstream(path) << R"({"model_type": "deepseek_v32", "rope_theta": 1e4,
      "max_position_embeddings": 64})";
  ProfileParts parts;
  parts.config = path;
  const Profile attention = make_profile(parts, kFolder);
  CHECK(attention.spec.layout.rotary_offset == 128);
  CHECK(attention.note == "not asked: indexer");
  parts.layers = "indexer";
  const Profile indexer = make_profile(parts, kFolder);
  CHECK(indexer.spec.layout.rotary_offset == 0);
  CHECK(indexer.spec.layout.pairing == reference::Pairing::kHalfSplit);
  CHECK(indexer.note.empty());
  std::filesystem::remove(path);
}

TEST_CASE("presets and the table of types do not contradict each other",
          "[conformance][models]") {
  const ModelTypes types = load_types(kFolder);
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().string();
    const auto preset = text::parse_json(text::read_file(file), file);
    if (!preset.contains("config")) continue;
    const TypedConfig config =
        models_of(preset.at("config"), file, types).front();
    CAPTURE(file, config.type);
    if (config.entry == nullptr) continue;
    CHECK_FALSE(why_no_rope(config));
    REQUIRE(config.field("pairing") != nullptr);
    CHECK(*config.field("pairing") == preset.at("pairing"));
    ++compared;
  }
  CHECK(compared > 50);
}

}  // namespace
}  // namespace ropeproof::conformance::models
