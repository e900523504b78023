#include "conformance/cases/corpus.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <set>
#include <span>

#include "conformance/cases/families/families.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::cases {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

// What read_group says to the first smoke case after `change`.
std::string read_error(const std::function<void(json&)>& change) {
  const char* const file = "smoke-zero.json";
  json document = json::parse(text::read_file(kVectors / file));
  change(document["cases"][0]);
  return refusal([&] { read_group(document.dump(), {}, file); });
}

TEST_CASE(
    "the committed vectors load, and smoke has 64 cases with permanent ids",
    "[conformance][corpus]") {
  std::size_t smoke = 0;
  std::set<reference::Format> dtypes;
  std::set<reference::Pairing> pairings;
  for (const Group& group : committed().groups) {
    if (group.tier != "smoke") continue;
    for (std::size_t i = 0; i < group.rope_cases.size(); ++i) {
      const RopeCase& c = group.rope_cases[i];
      ++smoke;
      dtypes.insert(c.dtype);
      pairings.insert(c.spec.layout.pairing);
      CHECK(c.id.starts_with(group.name + "-"));
      CHECK(std::stoul(c.id.substr(c.id.size() - 3)) == i + 1);
    }
  }
  CHECK(smoke == 64);
  CHECK(dtypes == std::set{reference::Format::kF32, reference::Format::kBF16});
  CHECK(pairings.size() == 2);
}

TEST_CASE(
    "the worked example names the six printed decimals that are not exact",
    "[conformance][worked_example]") {
  const RopeCase& example = committed_case("worked-example-001");
  REQUIRE(example.printed);
  CHECK(example.q.size() == 2 * 5 * 2 * 8);
  CHECK(example.k.size() == 2 * 5 * 1 * 8);
  CHECK(beyond_tolerance(example).empty());
  std::vector<std::string> errata;
  for (const Erratum& e : example.printed->errata) {
    errata.push_back(e.tensor + " " + e.printed + " " + e.correct);
  }
  CHECK(errata ==
        std::vector<std::string>{"cos 0.9999 1.0000", "q 103.1020 103.1019",
                                 "q 144.7859 144.7858", "q -116.4366 -116.4367",
                                 "q -215.0414 -215.0415", "k 71.0087 71.0086"});

  SECTION("and a digit further off is beyond the printed tolerance") {
    RopeCase wrong = example;
    wrong.printed->q[16] = "-5.6601";
    CHECK(beyond_tolerance(wrong).size() == 1);
  }
}

TEST_CASE("writing and reading a group is the identity",
          "[conformance][vectors]") {
  const json manifest =
      json::parse(text::read_file(kVectors / "MANIFEST.json"));
  for (const json& entry : manifest["files"]) {
    const std::string name = entry["file"];
    CAPTURE(name);
    GroupFiles files{text::read_file(kVectors / name), ""};
    if (entry.contains("payload")) {
      const std::string side = entry["payload"]["file"];
      files.payload = text::read_file(kVectors / side);
    }
    const GroupFiles again = write_group(
        read_group(files.json, std::as_bytes(std::span(files.payload)), name));
    CHECK(again.json == files.json);
    CHECK(again.payload == files.payload);
  }
}

TEST_CASE("a case that breaks the schema is refused by name",
          "[conformance][vectors]") {
  CHECK(read_error([](json&) {}) == "accepted");
  std::string capital = json::parse(
      text::read_file(kVectors / "smoke-zero.json"))["cases"][0]["q"][0];
  capital[0] = 'G';
  struct Row {
    const char *what, *place;
    json value;  // null: the place goes
  };
  const Row rows[] = {{"surprise", "/surprise", 1},
                      {"unknown field", "/expected/extra", 1},
                      {"q_heads", "/q_heads", nullptr},
                      {"dtype", "/dtype", "fp8"},
                      {"pairing", "/pairing", "neox"},
                      {"rotary_dim", "/rotary_dim", 15},
                      {"rotary_dim", "/rotary_dim", 26},
                      {"rotary_offset", "/rotary_offset", 9},
                      {"head_dim", "/head_dim", 24.5},
                      {"positions", "/positions/0/-", 1},
                      {"positions", "/positions/0/0", 9007199254740993},
                      {".q", "/q/0", "3f80"},
                      {"hex", "/q/0", capital},
                      {"rows", "/q/-", capital},
                      {"base", "/base", "0000000000000000"},
                      {"base", "/base", "7ff0000000000000"},
                      {"targets", "/targets/-", "layout/unknown"}};
  for (const Row& row : rows) {
    CAPTURE(row.what, row.place);
    const std::string error =
        read_error([&](json& c) { change(c, row.place, row.value); });
    CHECK_THAT(error, ContainsSubstring("smoke-zero-001") &&
                          ContainsSubstring(row.what) &&
                          !ContainsSubstring("\n"));
  }
  CHECK_THAT(
      read_error([](json& c) { c["batch"] = c["seq"] = 60000000; }),
      ContainsSubstring("smoke-zero-001") && ContainsSubstring("larger"));
}

TEST_CASE("a worked example with a missing decimal is refused",
          "[conformance][worked_example]") {
  json source = json::parse(
      text::read_file(kVectors / "sources" / "worked_example.json"));
  source["xq_out"].erase(0);
  CHECK_THROWS_AS(worked_example(source.dump(), "source"), text::FileError);
}

TEST_CASE("SHA-256 is the standard's", "[conformance][corpus]") {
  CHECK(text::sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ropeproof::conformance::cases
