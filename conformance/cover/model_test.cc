#include "conformance/cover/model.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <utility>

#include "conformance/cases/corpus_files.h"
#include "conformance/cases/test_groups.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/file.h"

namespace ropeproof::conformance::cover {
namespace {

using Catch::Matchers::ContainsSubstring;

// Three dimensions; `rules` are those of `never`.
std::string model_with(const std::string& rules, const std::string& more = "",
                       const std::string& masking = "") {
  return R"({"format": "ropeproof-coverage/1", "dimensions": [
    {"name": "dtype", "classes": ["f32", "bf16"]},
    {"name": "place", "classes": ["out", "in"]},
    {"name": "batch", "low": [1, 2], "high": [1, 7]})" +
         more + R"(], "never": [)" + rules + R"(], "masking": [)" + masking +
         R"(], "at_most": []})";
}

std::string fault_of(const std::string& text) {
  return cases::refusal([&] { const Model model(text, "m.json"); });
}

TEST_CASE("a model that makes no sense is refused in a line that says why",
          "[conformance][cover]") {
  CHECK(fault_of(model_with("")) == "accepted");
  CHECK_THAT(fault_of("{"), ContainsSubstring("m.json"));
  const std::string never = R"(, "because": "x"})";
  const std::pair<std::string, const char*> rows[] = {
      {model_with("", R"(, {"name": "colour", "classes": ["a", "b"]})"),
       "\"colour\" is no known dimension"},
      {model_with("", R"(, {"name": "edge", "classes": ["end", "up"]})"),
       "\"up\" is no known class"},
      {model_with("", R"(, {"name": "edge", "classes": ["end"]})"),
       "expected 2 .. 36"},
      {model_with("", R"(, {"name": "dtype", "classes": ["f16", "f64"]})"),
       "\"dtype\" is there twice"},
      {model_with("", R"(, {"name": "seq", "low": [1, 3], "high": [3, 4]})"),
       "overlap"},
      {model_with(R"({"of": {"shape": ["a"], "dtype": ["f32"]})" + never),
       "\"shape\" is no dimension"},
      {model_with(R"({"of": {"place": ["up"], "dtype": ["f32"]})" + never),
       "\"up\" is no class of place"},
      {model_with(R"({"of": {"place": ["in"]})" + never),
       "2 dimensions or more"},
      {model_with(R"({"of": {"place": ["in", "out"], "dtype": ["bf16"]})" +
                  never),
       "no row can have dtype bf16"},
      {model_with("", "", R"({"of": {"place": ["out"]})" + never),
       "hides nothing"}};
  for (const auto& [text, error] : rows) {
    CHECK_THAT(fault_of(text), ContainsSubstring(error));
  }
}

TEST_CASE("a model that kernels are asked by has every known dimension",
          "[conformance][cover]") {
  const cases::Folder folder;
  cases::write_corpus({{"model.json", model_with("")}},
                      folder.path() / "coverage");
  CHECK_THAT(cases::refusal([&] { load_arrays(folder.path()); }),
             ContainsSubstring("has no dimension \"pairs\""));
}

TEST_CASE("rows that are none, or contradict themselves, are refused by line",
          "[conformance][cover]") {
  const Model model(
      model_with(
          R"({"of": {"place": ["in"], "dtype": ["bf16"]}, "because": "why"})"),
      "m.json");
  CHECK(read_rows(model, "# head\n000\n101\n", "rows.txt").size() == 2);
  const auto fault = [&](const std::string& text) {
    return cases::refusal([&] { read_rows(model, text, "rows.txt"); });
  };
  CHECK_THAT(fault("000\n0000\n"), ContainsSubstring("rows.txt:2"));
  CHECK_THAT(fault("00\n"), ContainsSubstring("each of 3 dimensions"));
  CHECK_THAT(fault("002\n"), ContainsSubstring("rows.txt:1"));
  CHECK_THAT(fault("110\n"), ContainsSubstring("contradicts itself: why"));
  CHECK_THAT(fault("# nothing\n"), ContainsSubstring("no row"));
}

TEST_CASE("a row with a masking class stands for combinations with it alone",
          "[conformance][cover]") {
  const Model model(
      model_with("", "", R"({"of": {"place": ["in"]}, "because": "x"})"),
      "m.json");
  Combinations pairs(model, 2);
  pairs.add({1, 1, 0});  // bf16, in, batch 1
  CHECK(pairs.has({1, 1, kOpen}));
  CHECK(pairs.has({kOpen, 1, 0}));
  CHECK_FALSE(pairs.has({1, kOpen, 0}));
  pairs.add({1, 0, 0});
  CHECK(pairs.has({1, kOpen, 0}));
  CHECK(pairs.count() == 5);
}

TEST_CASE("every scaling is a class of the committed model",
          "[conformance][cover]") {
  const std::string path = ROPEPROOF_VECTORS_DIR "/coverage/model.json";
  const Model model(text::read_file(path), path);
  std::set<std::uint32_t> asked;
  for (const std::string& word :
       model.dimensions()[model.at("scaling")].classes) {
    asked.insert(plugin::scaling_bit(
        scaling_of(*text::find_word(kScaling.words, word))));
  }
  for (const auto& [bit, word] : plugin::kScalingWords) {
    CAPTURE(word);
    CHECK(asked.contains(bit));
  }
}

}  // namespace
}  // namespace ropeproof::conformance::cover
