#include "conformance/cases/corpus.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <set>
#include <span>

#include "conformance/cases/families/families.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/file.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;

TEST_CASE(
    "the committed vectors load, and smoke has 64 cases with permanent ids",
    "[conformance][corpus]") {
  std::size_t smoke = 0;
  std::set<reference::Format> dtypes;
  std::set<reference::Pairing> pairings;
  for (const Group& group : committed().groups) {
    if (group.tier != Tier::kSmoke) continue;
    for (std::size_t i = 0; i < group.rope_cases.size(); ++i) {
      const Case& c = group.rope_cases[i];
      ++smoke;
      dtypes.insert(c.problem.dtype);
      pairings.insert(c.problem.spec.layout.pairing);
      CHECK(c.id.starts_with(group.name + "-"));
      CHECK(std::stoul(c.id.substr(c.id.size() - 3)) == i + 1);
    }
  }
  CHECK(smoke == 64);
  CHECK(dtypes == std::set{reference::Format::kF32, reference::Format::kBF16});
  CHECK(pairings.size() == 2);
}

TEST_CASE("the manifest has each file that questions are drawn from",
          "[conformance][corpus]") {
  const std::filesystem::path vectors = ROPEPROOF_VECTORS_DIR;
  const std::string manifest = text::read_file(vectors / "MANIFEST.json");
  for (const auto& file :
       std::filesystem::directory_iterator(vectors / "coverage")) {
    const std::string name = "coverage/" + file.path().filename().string();
    INFO(name << " is not in MANIFEST.json");
    CHECK(manifest.find('"' + name + '"') != std::string::npos);
  }
}

TEST_CASE(
    "the worked example names the six printed decimals that are not exact",
    "[conformance][worked_example]") {
  const Case& example = committed_case("worked-example-001");
  REQUIRE(example.printed);
  CHECK(example.problem.q.size() == 2 * 5 * 2 * 8);
  CHECK(example.problem.k.size() == 2 * 5 * 1 * 8);
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
    Case wrong = example;
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

TEST_CASE("a head that is as wide as the specification allows is read again",
          "[conformance][vectors]") {
  Group group = plain_group();
  group.is_bulk = true;
  Case c;
  c.problem = make_problem(reference::Format::kBF16,
                           group.rope_cases[0].problem.spec.layout, 10000, 1, 1,
                           1, 0, {3});
  c.id = "plain-001";
  c.problem.spec.layout.head_dim = reference::kMaxHeadDim;
  c.problem.q.resize(reference::kMaxHeadDim);
  group.rope_cases = {c};
  prove(reference::Oracle::kBinFloat, group);
  const GroupFiles files = write_group(group);
  CHECK(refusal([&] {
          read_group(files.json, std::as_bytes(std::span(files.payload)),
                     "plain.json");
        }) == "accepted");
}

TEST_CASE("a worked example with a missing decimal is refused",
          "[conformance][worked_example]") {
  json source = json::parse(
      text::read_file(kVectors / "sources" / "worked_example.json"));
  source["xq_out"].erase(0);
  CHECK_THROWS_AS(worked_example(source.dump(), "source"), text::FileError);
}

}  // namespace
}  // namespace ropeproof::conformance::cases
