// Vectors that cannot be trusted: each fault is one clear line, in bounded
// memory, and nothing crashes.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "conformance/cases/corpus.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/test_groups.h"
#include "conformance/cases/vector_file.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::cases {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::ordered_json;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const text::VectorError& error) {
    return error.what();
  }
  return "accepted";
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// The files of a bulk group whose first case has q at `q` in the side file.
struct Bulk {
  Json json;
  std::string payload;

  Bulk() {
    Group group = plain_group();
    group.is_bulk = true;
    prove(reference::Oracle::kBinFloat, group);
    const GroupFiles files = write_group(group);
    json = Json::parse(files.json);
    payload = files.payload;
  }

  // What the reader says; size and digest of the side file are put right, so
  // that they are not what is refused.
  std::string read() {
    json["payload"]["bytes"] = payload.size();
    json["payload"]["sha256"] = text::sha256(payload);
    return refusal(
        [&] { read_group(json.dump(), as_bytes(payload), "plain.json"); });
  }
};

TEST_CASE("byte ranges that do not fit the side file are refused by case",
          "[conformance][vectors][safetensors]") {
  Bulk bulk;
  REQUIRE(bulk.read() == "accepted");
  Json& first = bulk.json["cases"][0];
  Json& third = bulk.json["cases"][2];  // the next of type f32
  const std::uint64_t offset = first["q"][0], bytes = first["q"][1];
  const auto refuses = [&](const std::string& what) {
    const std::string error = bulk.read();
    CHECK_THAT(error, ContainsSubstring(what));
    CHECK_THAT(error, ContainsSubstring("plain.json: plain-00") &&
                          !ContainsSubstring("\n"));
  };
  SECTION("outside") {
    first["q"][0] = bulk.payload.size();
    refuses("reaches outside plain.safetensors");
  }
  SECTION("far outside") {
    first["q"][0] = std::uint64_t{1} << 62;
    refuses("reaches outside plain.safetensors");
  }
  SECTION("beyond 2^63") {
    first["q"][0] = ~std::uint64_t{0};
    refuses("expected [offset, bytes]");
  }
  SECTION("of the wrong size") {
    first["q"][1] = bytes + 4;
    refuses("elements of 4");
  }
  SECTION("misaligned") {
    first["q"][0] = offset + 1;
    refuses("leaves a gap");
  }
  SECTION("overlapping") {
    third["q"][0] = offset;
    refuses("overlaps an earlier range");
  }
  SECTION("behind a gap") {
    third["q"][0] = third["q"][0].get<std::uint64_t>() + 4;
    refuses("leaves a gap");
  }
  SECTION("no range at all") {
    first["q"] = Json::array({"3f800000"});
    refuses("expected [offset, bytes]");
  }
  SECTION("rows of hex where a range belongs, and the other way round") {
    first["expected"]["cos"] = Json::array({"3ff0000000000000"});
    refuses("expected [offset, bytes]");
    bulk.json.erase("payload");
    CHECK_THAT(refusal([&] { read_group(bulk.json.dump(), "plain.json"); }),
               ContainsSubstring("expected an array of strings"));
  }
  SECTION("a type that the side file has no tensor for") {
    first["dtype"] = "f16";
    first["q"][1] = bytes / 2;
    first["k"][1] = first["k"][1].get<std::uint64_t>() / 2;
    refuses("has no tensor \"q.F16\"");
  }
}

TEST_CASE("a side file that is not the group's is refused",
          "[conformance][vectors][safetensors]") {
  Bulk bulk;
  SECTION("truncated") {
    bulk.payload.resize(bulk.payload.size() - 1);
    CHECK_THAT(bulk.read(), ContainsSubstring("the file has"));
  }
  SECTION("bytes that belong to no case") {
    bulk.json["cases"].erase(2);
    CHECK_THAT(bulk.read(), ContainsSubstring("belong to no case"));
  }
  SECTION("of another group") {
    const std::string name = "\"group\":\"plain\"";
    bulk.payload.replace(bulk.payload.find(name), name.size(),
                         "\"group\":\"plane\"");
    CHECK_THAT(bulk.read(), ContainsSubstring("belongs to group \"plane\""));
  }
  SECTION("altered") {
    bulk.payload.back() ^= 1;
    CHECK_THAT(refusal([&] {
                 read_group(bulk.json.dump(), as_bytes(bulk.payload),
                            "plain.json");
               }),
               ContainsSubstring("sha256: differs from that of"));
  }
  SECTION("missing, or there without being named") {
    CHECK_THAT(refusal([&] { read_group(bulk.json.dump(), "plain.json"); }),
               ContainsSubstring("has 0"));
    bulk.json.erase("payload");
    CHECK_THAT(refusal([&] {
                 read_group(bulk.json.dump(), as_bytes(bulk.payload),
                            "plain.json");
               }),
               ContainsSubstring("but the group has a side file"));
  }
  SECTION("named outside its folder") {
    bulk.json["payload"]["file"] = "../plain.safetensors";
    CHECK_THAT(bulk.read(), ContainsSubstring("expected plain.safetensors"));
  }
}

TEST_CASE("a group that is not what it says is refused",
          "[conformance][vectors]") {
  Group group = plain_group();
  prove(reference::Oracle::kBinFloat, group);
  Json json = Json::parse(write_group(group).json);
  const auto refuses = [&](const std::string& what) {
    const std::string error =
        refusal([&] { read_group(json.dump(), "plain.json"); });
    CHECK_THAT(error, ContainsSubstring(what) && !ContainsSubstring("\n"));
  };
  SECTION("an id occurs twice") {
    json["cases"][1]["id"] = "plain-001";
    refuses("case id plain-001 occurs twice");
  }
  SECTION("an id is no name") {
    for (const char* id : {"", "plain 001", "plain\n001", "Plain-001"}) {
      json["cases"][1]["id"] = id;
      refuses("expected a-z");
    }
  }
  SECTION("another group's name") {
    json["group"] = "other";
    refuses("differs from the file's name");
  }
  SECTION("a tier or a type that nobody knows") {
    json["type"] = "frobnicate";
    refuses("expected rope, permute, reject or sequence");
    json["tier"] = "huge";
    refuses("expected smoke, core or full");
  }
  SECTION("a NaN among ordinary inputs") {
    std::string row = json["cases"][0]["q"][0];
    json["cases"][0]["q"][0] = "7fc00000" + row.substr(8);
    refuses("holds a NaN or an infinity, but is_special is not set");
    json["cases"][0]["is_special"] = false;
    refuses("is true or absent");
  }
  SECTION("a rule's pattern among ordinary goldens") {
    std::string row = json["cases"][0]["expected"]["q"][0];
    json["cases"][0]["expected"]["q"][0] = "7ff8000000000001" + row.substr(16);
    refuses("is_special is not set");
  }
  SECTION("low parts of a case that is not f64") {
    json["cases"][0]["expected"]["q_lo"] = json["cases"][0]["expected"]["q"];
    refuses("unknown field \"q_lo\"");
  }
  SECTION("an f64 case without low parts") {
    Group wide = test_groups()[2];
    prove(reference::Oracle::kBinFloat, wide);
    json = Json::parse(write_group(wide).json);
    json["group"] = "plain";
    json["cases"][0]["expected"].erase("sin_lo");
    refuses("sin_lo: missing");
  }
  SECTION("a defect that nobody knows, a sequence of nothing") {
    json = Json::parse(write_group(test_groups()[3]).json);
    json["group"] = "plain";
    json["cases"][0]["defect"] = "bad_mood";
    refuses("expected odd_rotary_dim, ");
    json = Json::parse(write_group(test_groups()[4]).json);
    json["group"] = "plain";
    json["cases"][0]["calls"] = Json::array();
    refuses("expected case ids");
  }
}

TEST_CASE("JSON that is made to hurt is refused", "[conformance][vectors]") {
  const auto error = [](const std::string& text) {
    return refusal([&] { read_group(text, "x.json"); });
  };
  CHECK_THAT(error(std::string(100000, '[')), ContainsSubstring("nested more"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK_THAT(error(objects), ContainsSubstring("nested more than"));
  CHECK_THAT(error("{\"a\": 1e999}"), ContainsSubstring("beyond binary64"));
  CHECK_THAT(error("{\"format\": 1, \"format\": 2}"),
             ContainsSubstring("\"format\" occurs twice"));
  CHECK_THAT(error(std::string("{}\0{", 4)),
             ContainsSubstring("at byte 3: a NUL"));
  CHECK_THAT(error(std::string("{\"a\": \"\0\"}", 10)),
             ContainsSubstring("a NUL"));
  CHECK_THAT(error("{\"a\": \"\xff\"}"), ContainsSubstring("not JSON"));
  CHECK_THAT(error(""), ContainsSubstring("not JSON, at byte 1"));

  const std::string quoting =
      error("{\"" + std::string(5000, 'x') +
            "\\n\": 1, \"format\": " + "\"ropeproof-vectors/1\"}");
  CHECK(quoting.size() < 500);
  CHECK_THAT(quoting, !ContainsSubstring("\n"));
}

// A corpus of small groups that a test may spoil.
class Spoilt {
 public:
  Spoilt() {
    std::vector<Group> groups = test_groups();
    groups[0].is_bulk = true;
    write_corpus(corpus_files(groups, reference::Oracle::kBinFloat, "1"),
                 folder_.path());
  }
  fs::path operator/(const char* name) const { return folder_.path() / name; }

  // Changes one group and puts the manifest right.
  void change(const std::string& group,
              const std::function<void(Json&)>& change) {
    Json document = Json::parse(read_file(*this / (group + ".json").c_str()));
    change(document);
    const std::string text = document.dump();
    Json manifest = Json::parse(read_file(*this / "MANIFEST.json"));
    for (Json& entry : manifest["files"]) {
      if (entry["file"] != group + ".json") continue;
      entry["bytes"] = text.size();
      entry["sha256"] = text::sha256(text);
    }
    write_corpus({{group + ".json", text}, {"MANIFEST.json", manifest.dump()}},
                 folder_.path());
  }

  std::string load() const {
    return refusal([&] { load_corpus(folder_.path()); });
  }

 private:
  Folder folder_;
};

TEST_CASE("a corpus with a spoilt file is refused by that file's name",
          "[conformance][corpus]") {
  Spoilt corpus;
  REQUIRE(corpus.load() == "accepted");
  SECTION("a side file is altered") {
    std::string bytes = read_file(corpus / "plain.safetensors");
    bytes[bytes.size() / 2] ^= 1;
    write_corpus({{"plain.safetensors", bytes}}, corpus / "");
    CHECK_THAT(corpus.load(), ContainsSubstring("plain.safetensors: SHA-256"));
  }
  SECTION("a side file is cut short") {
    fs::resize_file(corpus / "plain.safetensors", 100);
    CHECK_THAT(corpus.load(), ContainsSubstring("plain.safetensors: SHA-256"));
  }
  SECTION("a side file is missing") {
    fs::remove(corpus / "plain.safetensors");
    CHECK_THAT(corpus.load(), ContainsSubstring("plain.safetensors: cannot"));
  }
  SECTION("a file of a GiB is refused before it is read") {
    fs::resize_file(corpus / "permute.json", std::uintmax_t{1} << 30);
    CHECK_THAT(corpus.load(),
               ContainsSubstring("permute.json: larger than 16 MiB"));
  }
  SECTION("smoke.txt or LEDGER.txt is altered") {
    write_corpus({{"smoke.txt", "x"}}, corpus / "");
    CHECK_THAT(corpus.load(), ContainsSubstring("smoke.txt: SHA-256 differs"));
  }
  SECTION("a reject case refers to nothing") {
    corpus.change("reject",
                  [](Json& group) { group["cases"][0]["of"] = "gone-001"; });
    CHECK_THAT(
        corpus.load(),
        ContainsSubstring("reject-001.of: \"gone-001\" is no rope case"));
  }
  SECTION("a sequence refers to a case that cannot be called") {
    corpus.change("sequence", [](Json& group) {
      group["cases"][0]["calls"][1] = "reject-001";
    });
    CHECK_THAT(corpus.load(), ContainsSubstring("sequence-001.calls") &&
                                  ContainsSubstring("is no rope case"));
  }
  CHECK_THAT(corpus.load(), !ContainsSubstring("\n"));
}

}  // namespace
}  // namespace ropeproof::conformance::cases
