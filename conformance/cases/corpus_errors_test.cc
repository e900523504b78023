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

  std::string read_as_is() const {
    return refusal(
        [&] { read_group(json.dump(), as_bytes(payload), "plain.json"); });
  }

  // The same with size and digest of the side file put right, so that they are
  // not what is refused.
  std::string read() {
    json["payload"]["bytes"] = payload.size();
    json["payload"]["sha256"] = text::sha256(payload);
    return read_as_is();
  }
};

constexpr const char* kNotBackToBack = "not these tensors back to back";

TEST_CASE("byte ranges that do not fit the side file are refused",
          "[conformance][vectors][safetensors]") {
  REQUIRE(Bulk().read() == "accepted");
  const Bulk good;
  const std::uint64_t offset = good.json["cases"][0]["q"][0],
                      bytes = good.json["cases"][0]["q"][1],
                      next = good.json["cases"][2]["q"][0];  // of type f32 too
  const Json hex = Json::array({"3f800000"});
  struct Row {
    const char *place, *error;
    Json value;
  };
  const Row rows[] = {
      {"/0/q/0", "reaches outside plain.safetensors", good.payload.size()},
      {"/0/q/0", "reaches outside plain.safetensors", std::uint64_t{1} << 62},
      {"/0/q/0", "expected [offset, bytes]", ~std::uint64_t{0}},
      {"/0/q/1", "elements of 4", bytes + 4},
      {"/0/q", "expected [offset, bytes]", hex},
      {"/0/expected/cos", "expected [offset, bytes]", hex},
      {"/0/q/0", kNotBackToBack, offset + 4},
      {"/2/q/0", kNotBackToBack, offset},
      {"/2/q/0", kNotBackToBack, next + 4}};
  for (const Row& row : rows) {
    Bulk bulk = good;
    bulk.json["cases"][Json::json_pointer(row.place)] = row.value;
    CAPTURE(row.place);
    CHECK_THAT(bulk.read(), ContainsSubstring(row.error) &&
                                ContainsSubstring("plain.json") &&
                                !ContainsSubstring("\n"));
  }

  Bulk bulk = good;
  Json& first = bulk.json["cases"][0];
  first["dtype"] = "f16";
  first["q"][1] = bytes / 2;
  first["k"][1] = first["k"][1].get<std::uint64_t>() / 2;
  CHECK_THAT(bulk.read(), ContainsSubstring(kNotBackToBack));

  // However often a file asks for the same bytes, they are not read so often.
  bulk = good;
  for (int copies = 0; copies < 9; ++copies) {
    bulk.json["cases"].push_back(bulk.json["cases"][0]);
  }
  CHECK_THAT(bulk.read(), ContainsSubstring("longer than plain.safetensors"));

  bulk = good;
  bulk.json.erase("payload");
  CHECK_THAT(refusal([&] { read_group(bulk.json.dump(), {}, "plain.json"); }),
             ContainsSubstring("expected an array of strings"));
}

TEST_CASE("a side file that is not the group's is refused",
          "[conformance][vectors][safetensors]") {
  Bulk bulk;
  SECTION("truncated") {
    bulk.payload.resize(bulk.payload.size() - 1);
    CHECK_THAT(bulk.read(), ContainsSubstring("reaches outside"));
  }
  SECTION("bytes that belong to no case") {
    bulk.payload += '\0';
    CHECK_THAT(bulk.read(), ContainsSubstring(kNotBackToBack));
    bulk = Bulk();
    bulk.json["cases"].erase(2);
    CHECK_THAT(bulk.read(), ContainsSubstring(kNotBackToBack));
  }
  SECTION("of another group") {
    const std::string name = "\"group\":\"plain\"";
    bulk.payload.replace(bulk.payload.find(name), name.size(),
                         "\"group\":\"plane\"");
    CHECK_THAT(bulk.read(), ContainsSubstring(kNotBackToBack));
  }
  SECTION("altered") {
    bulk.payload.back() ^= 1;
    CHECK_THAT(bulk.read_as_is(),
               ContainsSubstring("sha256: differs from that of"));
  }
  SECTION("missing, or there without being named") {
    CHECK_THAT(refusal([&] { read_group(bulk.json.dump(), {}, "plain.json"); }),
               ContainsSubstring("has 0"));
    bulk.json.erase("payload");
    CHECK_THAT(bulk.read_as_is(),
               ContainsSubstring("but the group has a side file"));
  }
  SECTION("named outside its folder") {
    bulk.json["payload"]["file"] = "../plain.safetensors";
    CHECK_THAT(bulk.read(), ContainsSubstring("expected plain.safetensors"));
  }
}

TEST_CASE("a group that is not what it says is refused",
          "[conformance][vectors]") {
  // As written, but under the name that the reader is given.
  const auto written = [](Group group) {
    prove(reference::Oracle::kBinFloat, group);
    Json json = Json::parse(write_group(group).json);
    json["group"] = "plain";
    return json;
  };
  const std::vector<Group> groups = test_groups();
  const Json plain = written(groups[0]), wide = written(groups[2]),
             reject = written(groups[3]), sequence = written(groups[4]);
  const auto with_first = [&](const char* place, const std::string& pattern) {
    const std::string row = plain.at(Json::json_pointer(place));
    return pattern + row.substr(pattern.size());
  };
  const char* const kInput = "/cases/0/q/0";
  const char* const kGolden = "/cases/0/expected/q/0";
  struct Row {
    const Json& group;
    const char *place, *error;
    Json value;  // null: the place goes
  };
  const Row rows[] = {
      {plain, "/cases/1/id", "case id plain-001 occurs twice", "plain-001"},
      {plain, "/cases/1/id", "expected a-z", ""},
      {plain, "/cases/1/id", "expected a-z", "plain 001"},
      {plain, "/cases/1/id", "expected a-z", "plain\n001"},
      {plain, "/cases/1/id", "expected a-z", "Plain-001"},
      {plain, "/group", "differs from the file's name", "other"},
      {plain, "/type", "expected rope, permute, reject or sequence", "frob"},
      {plain, "/tier", "expected smoke, core or full", "huge"},
      {plain, "/cases/0/surprise", "plain-001.surprise: unknown field", 1},
      {plain, "/cases/0/expected/extra", "expected.extra: unknown field", 1},
      {plain, "/cases/0/q_heads", "plain-001.q_heads: ", nullptr},
      {plain, "/cases/0/dtype", "plain-001.dtype: ", "fp8"},
      {plain, "/cases/0/pairing", "plain-001.pairing: ", "neox"},
      {plain, "/cases/0/rotary_dim", "plain-001.rotary_dim: ", 3},
      {plain, "/cases/0/rotary_dim", "plain-001.rotary_dim: ", 8},
      {plain, "/cases/0/rotary_offset", "plain-001.rotary_offset: ", 3},
      {plain, "/cases/0/head_dim", "plain-001.head_dim: ", 6.5},
      {plain, "/cases/0/batch", "plain-001.id: the case is larger", 60000000},
      {plain, "/cases/0/positions/0/-", "plain-001.positions: ", 1},
      {plain, "/cases/0/positions/0/0",
       "plain-001.positions: ", 9007199254740993},
      {plain, kInput, "plain-001.q: ", "3f80"},
      {plain, kInput, "plain-001.q: not a lower-case hex",
       with_first(kInput, "G")},
      {plain, "/cases/0/q/-", "plain-001.q: expected 4 rows",
       with_first(kInput, "")},
      {plain, "/cases/0/base", "plain-001", "0000000000000000"},
      {plain, "/cases/0/base", "plain-001", "7ff0000000000000"},
      {plain, "/cases/0/targets/-", "plain-001.targets: ", "layout/unknown"},
      {plain, kInput, "holds a NaN or an infinity, but is_special is not set",
       with_first(kInput, "7fc00000")},
      {plain, "/cases/0/is_special", "is true or absent", false},
      {plain, kGolden, "is_special is not set",
       with_first(kGolden, "7ff8000000000001")},
      {plain, "/cases/0/expected/q_lo", "q_lo: unknown field",
       plain["cases"][0]["expected"]["q"]},
      {wide, "/cases/0/expected/sin_lo", "sin_lo: missing", nullptr},
      {reject, "/cases/0/defect", "expected odd_rotary_dim, ", "bad_mood"},
      {sequence, "/cases/0/calls", "expected case ids", Json::array()}};
  for (const Row& row : rows) {
    CAPTURE(row.place, row.error);
    Json json = row.group;
    change(json, row.place, row.value);
    CHECK_THAT(refusal([&] { read_group(json.dump(), {}, "plain.json"); }),
               ContainsSubstring(row.error) && !ContainsSubstring("\n"));
  }
}

TEST_CASE("JSON that is made to hurt is refused", "[conformance][vectors]") {
  const auto error = [](const std::string& text) {
    return refusal([&] { read_group(text, {}, "x.json"); });
  };
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  const std::pair<std::string, const char*> rows[] = {
      {std::string(100000, '['), "nested more than"},
      {objects, "nested more than"},
      {"{\"a\": 1e999}", "beyond binary64"},
      {"{\"format\": 1, \"format\": 2}", "\"format\" occurs twice"},
      {std::string("{}\0{", 4), "at byte 3: a NUL"},
      {std::string("{\"a\": \"\0\"}", 10), "a NUL"},
      {"{\"a\": \"\xff\"}", "not JSON"},
      {"", "not JSON, at byte 1"}};
  for (const auto& [text, what] : rows) {
    CHECK_THAT(error(text), ContainsSubstring(what));
  }

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
    static const Files kFiles = [] {
      std::vector<Group> groups = test_groups();
      groups[0].is_bulk = true;
      return corpus_files(groups, reference::Oracle::kBinFloat, "1");
    }();
    write_corpus(kFiles, folder_.path());
  }
  fs::path operator/(const std::string& name) const {
    return folder_.path() / name;
  }
  void write(const std::string& name, const std::string& bytes) const {
    write_corpus({{name, bytes}}, folder_.path());
  }
  void flip(const std::string& name, std::size_t at) const {
    std::string bytes = text::read_file(*this / name);
    bytes.at(at) ^= 1;
    write(name, bytes);
  }

  // Changes one group and puts the manifest right.
  void change(const std::string& group,
              const std::function<void(Json&)>& change) const {
    Json document = Json::parse(text::read_file(*this / (group + ".json")));
    change(document);
    const std::string text = document.dump();
    Json manifest = Json::parse(text::read_file(*this / "MANIFEST.json"));
    for (Json& entry : manifest["files"]) {
      if (entry["file"] != group + ".json") continue;
      entry["bytes"] = text.size();
      entry["sha256"] = text::sha256(text);
    }
    write(group + ".json", text);
    write("MANIFEST.json", manifest.dump());
  }

  std::string load() const {
    return refusal([&] { load_corpus(folder_.path()); });
  }

 private:
  Folder folder_;
};

TEST_CASE("a spoilt corpus is refused in one line that says where",
          "[conformance][corpus]") {
  const auto manifest = [](const Spoilt& corpus, const auto& change) {
    Json document = Json::parse(text::read_file(corpus / "MANIFEST.json"));
    change(document);
    corpus.write("MANIFEST.json", document.dump());
  };
  struct Row {
    const char* error;
    std::function<void(Spoilt&)> spoil;
  };
  const Row rows[] = {
      {"plain.json: cannot be read",
       [](Spoilt& c) { fs::remove(c / "plain.json"); }},
      {"plain.json: SHA-256 differs",
       [](Spoilt& c) { c.flip("plain.json", 1000); }},
      {"plain.json: SHA-256 differs",
       [](Spoilt& c) { fs::resize_file(c / "plain.json", 1000); }},
      {"plain.safetensors: SHA-256",
       [](Spoilt& c) { c.flip("plain.safetensors", 500); }},
      {"plain.safetensors: SHA-256",
       [](Spoilt& c) { fs::resize_file(c / "plain.safetensors", 100); }},
      {"plain.safetensors: cannot",
       [](Spoilt& c) { fs::remove(c / "plain.safetensors"); }},
      // Refused before it is read.
      {"permute.json: larger than 16 MiB",
       [](Spoilt& c) {
         fs::resize_file(c / "permute.json", std::uintmax_t{1} << 30);
       }},
      {"smoke.txt: SHA-256 differs",
       [](Spoilt& c) { c.write("smoke.txt", "x"); }},
      {"reject-001.of: \"gone-001\" is no rope case",
       [](Spoilt& c) {
         c.change("reject",
                  [](Json& group) { group["cases"][0]["of"] = "gone-001"; });
       }},
      {"sequence-001.calls: \"reject-001\" is no rope case",
       [](Spoilt& c) {
         c.change("sequence", [](Json& group) {
           group["cases"][0]["calls"][1] = "reject-001";
         });
       }},
      {"MANIFEST.json: cannot be read",
       [](Spoilt& c) { fs::remove(c / "MANIFEST.json"); }},
      {"MANIFEST.json: not JSON",
       [](Spoilt& c) { c.write("MANIFEST.json", "[1, 2"); }},
      {"MANIFEST.json.surprise: unknown field",
       [&](Spoilt& c) { manifest(c, [](Json& m) { m["surprise"] = 1; }); }},
      {"without a folder",
       [&](Spoilt& c) {
         manifest(c, [](Json& m) { m["files"][0]["file"] = "../plain.json"; });
       }},
      {"case ids differ",
       [&](Spoilt& c) { manifest(c, [](Json& m) { m["files"].erase(2); }); }}};
  CHECK(Spoilt().load() == "accepted");
  for (const Row& row : rows) {
    Spoilt corpus;
    row.spoil(corpus);
    CHECK_THAT(corpus.load(),
               ContainsSubstring(row.error) && !ContainsSubstring("\n"));
  }
}

TEST_CASE("checking names missing, changed and stray files, and writes nothing",
          "[conformance][corpus]") {
  const Spoilt corpus;
  const std::vector<std::string> before = compare_corpus(
      {{"permute.json", text::read_file(corpus / "permute.json")}},
      corpus / "");
  CHECK(std::ranges::find(before, "plain.json is none of the vectors") !=
        before.end());
  std::string changed = text::read_file(corpus / "permute.json");
  changed[10] = '!';
  const auto lines = compare_corpus(
      {{"extra.json", "x"}, {"permute.json", changed}}, corpus / "");
  for (const char* line :
       {"extra.json is missing", "permute.json differs at byte 10",
        "plain.json is none of the vectors"}) {
    CHECK(std::ranges::find(lines, line) != lines.end());
  }
  CHECK(lines.size() == before.size() + 2);
  CHECK_FALSE(fs::exists(corpus / "extra.json"));
}

}  // namespace
}  // namespace ropeproof::conformance::cases
