// The property table, and what a tutorial's own table says otherwise.
#include "reference/encodings/properties.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>
#include <vector>

namespace ropeproof::reference::encodings {
namespace {

const Properties& properties_of(const std::string& name) {
  static const std::vector<Properties> kAll = all_properties();
  for (const Properties& p : kAll) {
    if (p.name == name) return p;
  }
  throw std::out_of_range(name);
}

TEST_CASE("of five properties the tutorial's table has these three wrong",
          "[reference][encodings][errata]") {
  // "1": ticked, "0": not, " ": not said.
  const std::map<std::string, std::string> ticked = {{"integer", "11110"},
                                                     {"normalised", "10110"},
                                                     {"binary", "110  "},
                                                     {"sinusoidal", "11110"},
                                                     {"rope", "11111"}};
  std::vector<std::string> wrong;
  for (const auto& [name, ticks] : ticked) {
    const Properties& p = properties_of(name);
    const bool got[] = {p.is_unique, p.shift == ShiftMap::kLinear, p.extends,
                        p.has_fixed_rule, p.has_axes == true};
    for (std::size_t i = 0; i < 5; ++i) {
      if (ticks[i] != ' ' && (ticks[i] == '1') != got[i]) {
        wrong.push_back(name + " " + std::to_string(i + 1));
      }
    }
  }
  // PE(0) = 0 and no linear map leads away from it; channels of its own for
  // every axis are as good for the sinusoidal encoding as for RoPE.
  CHECK(wrong ==
        std::vector<std::string>{"binary 2", "integer 2", "sinusoidal 5"});
}

TEST_CASE("a tutorial's comparison: trained, extends, relative",
          "[reference][encodings]") {
  struct Row {
    const char* name;
    std::int64_t trained;
    bool extends, is_relative;
  };
  for (const auto& [name, trained, extends, is_relative] :
       {Row{"sinusoidal", 0, true, false}, Row{"learned", 32 * 8, false, false},
        Row{"relative", 2 * 32, false, true}, Row{"t5", 32, true, true},
        Row{"alibi", 0, true, true}, Row{"rope", 0, true, true}}) {
    CAPTURE(name);
    const Properties& p = properties_of(name);
    CHECK(p.trained == trained);
    CHECK(p.has_fixed_rule == (trained == 0));
    CHECK(p.extends == extends);
    CHECK(p.is_relative == is_relative);
  }
}

TEST_CASE("the length changes normalised positions alone",
          "[reference][encodings]") {
  for (const Properties& p : all_properties()) {
    CAPTURE(p.name);
    CHECK(p.is_same_at_any_length == (p.name != "normalised"));
    CHECK(p.is_bounded == (p.name != "integer" && p.name != "alibi"));
    CHECK(p.is_unique == (p.name != "t5"));
  }
}

}  // namespace
}  // namespace ropeproof::reference::encodings
