#include "conformance/cases/corpus.h"

#include <unistd.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <span>

#include "conformance/cases/families.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::cases {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

const fs::path kVectors = ROPEPROOF_VECTORS_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A copy of the vectors that a test may spoil.
class Copy {
 public:
  Copy()
      : folder_(fs::temp_directory_path() /
                ("ropeproof-corpus-test-" + std::to_string(getpid()))) {
    fs::copy(kVectors, folder_, fs::copy_options::recursive);
  }
  ~Copy() { fs::remove_all(folder_); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  const fs::path& folder() const { return folder_; }

  std::string load_error() const {
    try {
      load_corpus(folder_);
    } catch (const text::VectorError& error) {
      return error.what();
    }
    return {};
  }

 private:
  fs::path folder_;
};

// What read_group says to the first smoke case after `change`.
std::string read_error(const std::function<void(json&)>& change,
                       const char* file = "smoke-zero.json") {
  json document = json::parse(read(kVectors / file));
  change(document["cases"][0]);
  try {
    read_group(document.dump(), file);
  } catch (const text::VectorError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE(
    "the committed vectors load, and smoke has 64 cases with permanent ids",
    "[conformance][corpus]") {
  const Corpus corpus = load_corpus(kVectors);
  std::size_t smoke = 0;
  std::set<reference::Format> dtypes;
  std::set<reference::Pairing> pairings;
  for (const Group& group : corpus.groups) {
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

TEST_CASE("the second opinion agrees with every certified golden",
          "[conformance][corpus]") {
  std::size_t values = 0;
  for (Group group : load_corpus(kVectors).groups) {
    for (RopeCase& c : group.rope_cases) {
      RopeCase again = c;
      Group alone;
      again.printed.reset();
      alone.rope_cases.push_back(again);
      prove(reference::Oracle::kBinFloat, alone);
      const RopeCase& second = alone.rope_cases[0];
      INFO(c.id);
      CHECK(second.inv_freq_hi == c.inv_freq_hi);
      CHECK(second.inv_freq_lo == c.inv_freq_lo);
      CHECK(second.cos == c.cos);
      CHECK(second.sin == c.sin);
      CHECK(second.q_out == c.q_out);
      CHECK(second.k_out == c.k_out);
      CHECK(second.q_out_lo == c.q_out_lo);
      CHECK(second.k_out_lo == c.k_out_lo);
      values += 2 * c.inv_freq_hi.size() + 2 * c.cos.size() + c.q_out.size() +
                c.k_out.size();
    }
  }
  std::printf("second opinion: %zu values, 0 disagreements\n", values);
  CHECK(values > 20000);
}

TEST_CASE(
    "the worked example names the six printed decimals that are not exact",
    "[conformance][worked_example]") {
  const Corpus corpus = load_corpus(kVectors);
  const RopeCase* example = nullptr;
  for (const Group& group : corpus.groups) {
    if (group.name == "worked-example") example = &group.rope_cases.at(0);
  }
  REQUIRE(example != nullptr);
  REQUIRE(example->printed);
  CHECK(example->q.size() == 2 * 5 * 2 * 8);
  CHECK(example->k.size() == 2 * 5 * 1 * 8);
  CHECK(beyond_tolerance(*example).empty());
  std::vector<std::string> errata;
  for (const Erratum& e : example->printed->errata) {
    errata.push_back(e.tensor + " " + e.printed + " " + e.correct);
  }
  CHECK(errata ==
        std::vector<std::string>{"cos 0.9999 1.0000", "q 103.1020 103.1019",
                                 "q 144.7859 144.7858", "q -116.4366 -116.4367",
                                 "q -215.0414 -215.0415", "k 71.0087 71.0086"});

  SECTION("and a digit further off is beyond the printed tolerance") {
    RopeCase wrong = *example;
    wrong.printed->q[16] = "-5.6601";
    CHECK(beyond_tolerance(wrong).size() == 1);
  }
}

TEST_CASE("writing and reading a group is the identity",
          "[conformance][vectors]") {
  const json manifest = json::parse(read(kVectors / "MANIFEST.json"));
  for (const json& entry : manifest["files"]) {
    const std::string name = entry["file"];
    CAPTURE(name);
    GroupFiles files{read(kVectors / name), ""};
    if (entry.contains("payload")) {
      const std::string side = entry["payload"]["file"];
      files.payload = read(kVectors / side);
    }
    const GroupFiles again = write_group(
        read_group(files.json, std::as_bytes(std::span(files.payload)), name));
    CHECK(again.json == files.json);
    CHECK(again.payload == files.payload);
  }
}

TEST_CASE("a spoilt corpus is refused in one line that says where",
          "[conformance][corpus]") {
  const Copy copy;
  SECTION("a file is missing") {
    fs::remove(copy / "smoke-unit.json");
    CHECK_THAT(copy.load_error(), ContainsSubstring("smoke-unit.json"));
  }
  SECTION("one digit is changed") {
    std::string text = read(copy / "smoke-unit.json");
    text[text.find("3f800000")] = '4';
    write(copy / "smoke-unit.json", text);
    CHECK_THAT(copy.load_error(), ContainsSubstring("SHA-256 differs"));
  }
  SECTION("a file is cut short") {
    fs::resize_file(copy / "smoke-rich.json", 1000);
    CHECK_THAT(copy.load_error(), ContainsSubstring("SHA-256 differs"));
  }
  SECTION("the manifest is missing") {
    fs::remove(copy / "MANIFEST.json");
    CHECK_THAT(copy.load_error(), ContainsSubstring("MANIFEST.json"));
  }
  SECTION("the manifest is no JSON") {
    write(copy / "MANIFEST.json", "[1, 2");
    CHECK_THAT(copy.load_error(), ContainsSubstring("not JSON"));
  }
  SECTION("the manifest has an unknown field") {
    json manifest = json::parse(read(copy / "MANIFEST.json"));
    manifest["surprise"] = 1;
    write(copy / "MANIFEST.json", manifest.dump());
    CHECK_THAT(copy.load_error(), ContainsSubstring("\"surprise\""));
  }
  SECTION("the manifest reaches outside its folder") {
    json manifest = json::parse(read(copy / "MANIFEST.json"));
    manifest["files"][0]["file"] = "../smoke-rich.json";
    write(copy / "MANIFEST.json", manifest.dump());
    CHECK_THAT(copy.load_error(), ContainsSubstring("without a folder"));
  }
  SECTION("the manifest drops a file") {
    json manifest = json::parse(read(copy / "MANIFEST.json"));
    manifest["files"].erase(0);
    write(copy / "MANIFEST.json", manifest.dump());
    CHECK_THAT(copy.load_error(), ContainsSubstring("case ids differ"));
  }
  CHECK_THAT(copy.load_error(), !ContainsSubstring("\n"));
}

TEST_CASE("checking names missing, changed and stray files, and writes nothing",
          "[conformance][corpus]") {
  const Copy copy;
  Files files;
  for (const char* name : {"MANIFEST.json", "permute.json"}) {
    files[name] = read(copy / name);
  }
  files["extra.json"] = "x";
  files["permute.json"][10] = '!';
  const auto lines = compare_corpus(files, copy.folder());
  const std::set<std::string> found(lines.begin(), lines.end());
  CHECK(found.contains("extra.json is missing"));
  CHECK(found.contains("permute.json differs at byte 10"));
  CHECK(found.contains("smoke-rich.json is none of the vectors"));
  CHECK_FALSE(fs::exists(copy / "extra.json"));
}

TEST_CASE("a case that breaks the schema is refused by name",
          "[conformance][vectors]") {
  CHECK(read_error([](json&) {}).empty());
  const auto refuses = [](const char* what,
                          const std::function<void(json&)>& change) {
    INFO(what);
    const std::string error = read_error(change);
    CHECK_THAT(error, ContainsSubstring("smoke-zero-001"));
    CHECK_THAT(error, ContainsSubstring(what));
    CHECK_THAT(error, !ContainsSubstring("\n"));
  };
  refuses("surprise", [](json& c) { c["surprise"] = 1; });
  refuses("unknown field", [](json& c) { c["expected"]["extra"] = 1; });
  refuses("q_heads", [](json& c) { c.erase("q_heads"); });
  refuses("dtype", [](json& c) { c["dtype"] = "fp8"; });
  refuses("pairing", [](json& c) { c["pairing"] = "neox"; });
  refuses("rotary_dim", [](json& c) { c["rotary_dim"] = 15; });
  refuses("rotary_dim", [](json& c) { c["rotary_dim"] = 26; });
  refuses("rotary_offset", [](json& c) { c["rotary_offset"] = 9; });
  refuses("head_dim", [](json& c) { c["head_dim"] = 24.5; });
  refuses("positions", [](json& c) { c["positions"][0].push_back(1); });
  refuses("positions",
          [](json& c) { c["positions"][0][0] = 9007199254740993; });
  refuses(".q", [](json& c) { c["q"][0] = "3f80"; });
  refuses("hex", [](json& c) {
    std::string row = c["q"][0];
    row[0] = 'G';
    c["q"][0] = row;
  });
  refuses("rows", [](json& c) { c["q"].push_back(c["q"][0]); });
  refuses("base", [](json& c) { c["base"] = "0000000000000000"; });
  refuses("base", [](json& c) { c["base"] = "7ff0000000000000"; });
  refuses("larger", [](json& c) {
    c["batch"] = 60000000;
    c["seq"] = 60000000;
  });
  refuses("targets", [](json& c) { c["targets"].push_back("layout/unknown"); });
}

TEST_CASE("a worked example with a missing decimal is refused",
          "[conformance][worked_example]") {
  json source = json::parse(read(kVectors / "sources" / "worked_example.json"));
  source["xq_out"].erase(0);
  CHECK_THROWS_AS(worked_example(source.dump(), "source"), text::VectorError);
}

TEST_CASE("SHA-256 is the standard's", "[conformance][corpus]") {
  CHECK(text::sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ropeproof::conformance::cases
