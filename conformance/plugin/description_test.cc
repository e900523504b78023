#include "conformance/plugin/description.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::ContainsSubstring, Catch::Matchers::StartsWith;

Description good() {
  Description d;
  d.name = "vendor/kernel-1.0_x";
  d.version = "1.0 (build 7)";
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_IN_PLACE;
  d.claims[0].angle_class = ROPEPROOF_A1;
  return d;
}

using Change = std::function<void(Description&)>;

// The words in the second column of the row that is about `field`.
std::vector<std::string> documented(const std::string& field) {
  std::ifstream file(ROPEPROOF_SOURCE_DIR "/conformance/adapters/PROTOCOL.md");
  const std::regex row("\\| `" + field + "` +\\|(.*)\\|"), word("`(\\w+)`");
  std::vector<std::string> words;
  std::smatch cells;
  for (std::string line; words.empty() && std::getline(file, line);) {
    if (!std::regex_match(line, cells, row)) continue;
    const std::string cell = cells[1];
    for (std::sregex_iterator at(cell.begin(), cell.end(), word), end;
         at != end; ++at) {
      words.push_back((*at)[1]);
    }
  }
  std::ranges::sort(words);
  return words;
}

template <std::size_t kSize>
std::vector<std::string> known(const text::Words<std::uint32_t, kSize>& table) {
  std::vector<std::string> words;
  for (const auto& [bit, word] : table) words.emplace_back(word);
  std::ranges::sort(words);
  return words;
}

}  // namespace

TEST_CASE("a description inside its ranges passes", "[conformance][kernel]") {
  const auto change = GENERATE(values<Change>({
      [](Description& d) {
        d.claims[0].angle_class = ROPEPROOF_A3;
        d.claims[0].angle_dtype = ROPEPROOF_F16;
      },
      [](Description& d) { d.claims[0].trig_ulp = 4; },
      [](Description& d) {
        d.operations = ROPEPROOF_PERMUTE;
        d.features = 0;
      },
      [](Description& d) { d.name = std::string(100, 'x'); },
  }));
  Description d = good();
  change(d);
  CHECK_NOTHROW(check_description(d, "k"));
}

TEST_CASE("the first claim that names a dtype is its claim",
          "[conformance][kernel]") {
  Description d = good();
  d.dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d.claims = {{ROPEPROOF_BF16, ROPEPROOF_A2, 0, 0, 1, 1, 0, 0},
              {0, ROPEPROOF_A1, 0, 0, 1, 1, 0, 0}};
  CHECK_NOTHROW(check_description(d, "k"));
  CHECK(d.claim(ROPEPROOF_BF16).angle_class == ROPEPROOF_A2);
  CHECK(d.claim(ROPEPROOF_F32).angle_class == ROPEPROOF_A1);
  CHECK(d.claim(ROPEPROOF_F16).angle_class == ROPEPROOF_A1);
}

TEST_CASE("a claim behind one for all dtypes is refused",
          "[conformance][kernel]") {
  ropeproof_description d{};
  d.claims[1].angle_class = ROPEPROOF_A1;
  CHECK(description_of(d, "k", "1").claims.size() == 2);
  Description described = good();
  described.claims = description_of(d, "k", "1").claims;
  CHECK_THROWS_WITH(
      check_description(described, "k"),
      "k: a claim without dtypes is for all that are left: it must be the "
      "last one");
  d.claims[1] = {};
  CHECK(description_of(d, "k", "1").claims.size() == 1);
}

TEST_CASE("an unknown bit and a number that means nothing are refused by name",
          "[conformance][kernel]") {
  using D = Description;
  const auto [name, bits] = GENERATE(
      table<std::string, std::uint32_t D::*>({{"operations", &D::operations},
                                              {"dtypes", &D::dtypes},
                                              {"pairings", &D::pairings},
                                              {"features", &D::features},
                                              {"axis_maps", &D::axis_maps},
                                              {"caches", &D::caches},
                                              {"scalings", &D::scalings}}));
  Description d = good();
  d.*bits |= 1u << 31;
  CHECK_THROWS_WITH(
      check_description(d, "k"),
      StartsWith("k: " + name + " has unknown bits 2147483648; "));
  using C = ropeproof_claim;
  const auto [of_claim, number] = GENERATE(
      table<std::string, std::uint32_t C::*>({{"angle_class", &C::angle_class},
                                              {"power", &C::power},
                                              {"power_ulp", &C::power_ulp},
                                              {"trig_ulp", &C::trig_ulp},
                                              {"table_dtype", &C::table_dtype},
                                              {"rounding", &C::rounding}}));
  d = good();
  d.claims[0].*number = 9;
  CHECK_THROWS_WITH(check_description(d, "k"),
                    StartsWith("k: " + of_claim + " is 9; it must be "));
}

TEST_CASE("each field outside its range is refused by name",
          "[conformance][kernel]") {
  const auto [fault, change] = GENERATE(table<std::string, Change>({
      {"k: name \"\" must be 1 to 100 characters of [A-Za-z0-9._/-]",
       [](Description& d) { d.name = ""; }},
      {"k: name \"a b\" must be 1 to 100 characters of [A-Za-z0-9._/-]",
       [](Description& d) { d.name = "a b"; }},
      {"k: version \" 1\" must be 1 to 100 characters of printable ASCII",
       [](Description& d) { d.version = "\n1"; }},
      {"k: declares no operations; needs at least one of frequencies, table, "
       "rotate, rope, permute or lookup",
       [](Description& d) { d.operations = 0; }},
      {"k: declares no caches; needs at least one of split, side_by_side or "
       "doubled",
       [](Description& d) { d.operations = ROPEPROOF_LOOKUP; }},
      {"k: padding_bytes is 4097; it must be 0 to 4096",
       [](Description& d) { d.padding_bytes = 4097; }},
      {"k: rotates neither out_of_place nor in_place; declare a feature",
       [](Description& d) { d.features = ROPEPROOF_KEYS; }},
      {"k: max_position is -1; it must be 0 (no limit) or above",
       [](Description& d) { d.max_position = -1; }},
      {"k: angle class A3 needs an angle_dtype of f16 or bf16",
       [](Description& d) {
         d.claims[0].angle_class = ROPEPROOF_A3;
         d.claims[0].angle_dtype = ROPEPROOF_F32;
       }},
      {"k: angle_dtype is for angle class A3, or f64 or f32 for A1; leave it 0",
       [](Description& d) { d.claims[0].angle_dtype = ROPEPROOF_F16; }},
      {"k: dtypes of a claim has unknown bits 16; known are f64, f32, f16 or "
       "bf16",
       [](Description& d) { d.claims[0].dtypes = 16; }},
      {"k: no claim names dtype f32; a claim without dtypes is for all that "
       "are left",
       [](Description& d) { d.claims[0].dtypes = ROPEPROOF_BF16; }},
      {"k: makes 0 claims; it must be 1 to 4",
       [](Description& d) { d.claims.clear(); }},
  }));
  Description d = good();
  change(d);
  CHECK_THROWS_WITH(check_description(d, "k"), fault);
}

TEST_CASE("the protocol's document has the words of the ABI, and no others",
          "[conformance][kernel]") {
  CHECK(documented("operations") == known(kOperationWords));
  CHECK(documented("dtypes") == known(kDtypeWords));
  CHECK(documented("pairings") == known(kAbiPairingWords));
  CHECK(documented("axis_maps") == known(kAxisMapWords));
  CHECK(documented("caches") == known(kCacheWords));
  CHECK(documented("angle_class") == known(kAngleClassWords));
  CHECK(documented("power") == known(kPowerWords));
  CHECK(documented("rounding") == known(kRoundingWords));
}

TEST_CASE("a feature and a scaling have the names of their bits as words",
          "[conformance][kernel]") {
  std::ifstream file(ROPEPROOF_SOURCE_DIR
                     "/conformance/include/ropeproof_kernel.h");
  const std::string header(std::istreambuf_iterator<char>(file), {});
  const auto check = [&](const auto& words) {
    for (const auto& [bit, word] : words) {
      std::string line = "\n  ROPEPROOF_";
      for (const char c : word) line += static_cast<char>(std::toupper(c));
      line += " = 1 << " + std::to_string(std::countr_zero(bit));
      CAPTURE(line);
      CHECK_THAT(header, ContainsSubstring(line));
    }
  };
  check(kFeatureWords);
  check(kScalingWords);
}

}  // namespace ropeproof::conformance::plugin
