#include "conformance/models/spectrum_svg.h"

#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <string>
#include <vector>

namespace ropeproof::conformance::models {
namespace {

const std::filesystem::path kModels =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_entity(const std::string& text, std::size_t at) {
  for (const char* name : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
    if (text.compare(at, std::string(name).size(), name) == 0) return true;
  }
  return false;
}

// What is wrong with one start tag `<name a="b" ...>`, without its brackets.
std::string tag_fault(const std::string& tag) {
  std::size_t i = tag.find_first_of(" /");
  while (i != std::string::npos && i < tag.size() && tag[i] != '/') {
    i = tag.find_first_not_of(' ', i);
    const std::size_t equals = tag.find("=\"", i);
    if (equals == std::string::npos) return "an attribute without a value";
    const std::size_t quote = tag.find('"', equals + 2);
    if (quote == std::string::npos) return "a value without an end";
    for (std::size_t k = i; k < equals; ++k) {
      const char c = tag[k];
      if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '-' &&
          std::isdigit(static_cast<unsigned char>(c)) == 0) {
        return "an attribute called " + tag.substr(i, equals - i);
      }
    }
    i = quote + 1;
  }
  return "";
}

// The first reason why `text` is no well-formed XML; empty if it is. Knows no
// comments, CDATA or processing instructions: the pictures have none.
std::string fault(const std::string& text) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&' && !is_entity(text, i)) return "a bare &";
    if (text[i] == '>') return "a bare >";
    if (text[i] != '<') {
      if (open.empty() && text[i] != '\n') return "text outside the root";
      continue;
    }
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = text.substr(i + 1, end - i - 1);
    i = end;
    if (tag.find('<') != std::string::npos) return "a < in a tag";
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag;
      open.pop_back();
      continue;
    }
    const std::string wrong = tag_fault(tag);
    if (!wrong.empty()) return wrong + " in <" + tag + ">";
    if (open.empty() && ++roots > 1) return "two roots";
    if (!tag.ends_with("/")) open.push_back(tag.substr(0, tag.find(' ')));
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

TEST_CASE("the check of well-formedness notices faults",
          "[conformance][models]") {
  CHECK(fault("<a><b c=\"d\"/>e</a>\n").empty());
  for (const char* broken :
       {"<a>", "<a></b>", "<a b></a>", "<a b=\"c></a>", "<a>&</a>", "<a/><a/>",
        "x<a/>", "<a>></a>", "<a b=\"c\" d=e/>"}) {
    CAPTURE(broken);
    CHECK_FALSE(fault(broken).empty());
  }
}

TEST_CASE("the spectrum of every preset is well-formed and self-contained",
          "[conformance][models]") {
  for (const Model& model : load_presets(kModels)) {
    CAPTURE(model.id);
    if (!model.ropes.front().has_frequencies) {
      CHECK_THROWS_AS(spectrum_svg(model), std::invalid_argument);
      continue;
    }
    const std::string svg = spectrum_svg(model);
    CHECK(fault(svg).empty());
    CHECK(has(svg, "prefers-color-scheme: dark"));
    CHECK_FALSE(has(svg, "href"));
    CHECK_FALSE(has(svg, "@import"));
    CHECK_FALSE(has(svg, "nan"));
    CHECK_FALSE(has(svg, "inf\""));
    CHECK(has(svg, ">pair j</text>"));
    CHECK(has(svg, ">positions per turn, 2π / inv_freq</text>"));
  }
}

TEST_CASE("a spectrum shows both curves, the contexts and what is blended",
          "[conformance][models]") {
  const std::string svg = spectrum_svg(*find_preset(kModels, "llama-3.1"));
  CHECK(has(svg, "Llama 3.1 and 3.3, 8B to 405B: wavelength of each pair"));
  for (const char* text : {"original context 8192", "context 131072", "llama3",
                           "unscaled", "blended pairs"}) {
    CHECK(has(svg, ">" + std::string(text) + "</text>"));
  }
  CHECK(has(svg, "<title>pair 0: 6.28319</title>"));
  const std::string axes = spectrum_svg(*find_preset(kModels, "wan-2.1"));
  CHECK(has(axes, ">axis t</text>"));
  CHECK(has(axes, "<title>pair 22, axis y: 6.28319</title>"));
  const std::string layers = spectrum_svg(*find_preset(kModels, "gemma-3-4b"));
  CHECK(has(layers, ">full_attention, linear</text>"));
  CHECK(has(layers, ">sliding_attention, unscaled</text>"));
}

TEST_CASE("names are escaped", "[conformance][models]") {
  Model model = *find_preset(kModels, "llama-2");
  model.title = "a < b & \"c\"\n> d";
  const std::string svg = spectrum_svg(model);
  CHECK(fault(svg).empty());
  CHECK(has(svg, "a &lt; b &amp; &quot;c&quot;&gt; d: wavelength"));
}

}  // namespace
}  // namespace ropeproof::conformance::models
