// Groups of every kind, written and read again.
#include "conformance/cases/vector_file.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/cases/corpus.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/test_groups.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using reference::Format;

std::span<const std::byte> bytes_of(const GroupFiles& files) {
  return std::as_bytes(std::span(files.payload));
}

TEST_CASE("writing and reading a group of any kind is the identity",
          "[conformance][vectors]") {
  for (Group group : test_groups()) {
    prove(reference::Oracle::kBinFloat, group);
    for (const bool is_bulk : {false, true}) {
      CAPTURE(group.name, is_bulk);
      group.is_bulk = is_bulk;
      const GroupFiles files = write_group(group);
      CHECK(files.payload.empty() != is_bulk);
      const Group again =
          read_group(files.json, bytes_of(files), group.name + ".json");
      const GroupFiles files_again = write_group(again);
      CHECK(files_again.json == files.json);
      CHECK(files_again.payload == files.payload);
    }
  }
}

TEST_CASE("a head that is as wide as the specification allows is read again",
          "[conformance][vectors]") {
  Family family("core", "wide", "One head.");
  reference::Layout layout =
      reference::leading(6, 4, reference::Pairing::kHalfSplit);
  layout.head_dim = reference::kMaxHeadDim;
  family.add(make_case(Format::kBF16, layout, 10000, 1, 1, 1, 0, {3}),
             {"layout/pairs-swapped"}, "wide");
  Group group = family.take();
  group.is_bulk = true;
  prove(reference::Oracle::kBinFloat, group);
  const GroupFiles files = write_group(group);
  CHECK(refusal([&] {
          read_group(files.json, bytes_of(files), "wide.json");
        }) == "accepted");
}

TEST_CASE("a bulk tensor is where its offset says, little-endian",
          "[conformance][vectors]") {
  Group group = plain_group();
  group.is_bulk = true;
  prove(reference::Oracle::kBinFloat, group);
  const GroupFiles files = write_group(group);
  const json document = json::parse(files.json);
  REQUIRE(document["payload"]["file"] == "plain.safetensors");
  REQUIRE(document["payload"]["bytes"] == files.payload.size());

  // As a reader without any library would.
  const auto element = [&](const json& range, std::size_t i,
                           std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t b = width; b-- > 0;) {
      value = value << 8 |
              static_cast<unsigned char>(
                  files.payload[range[0].get<std::size_t>() + i * width + b]);
    }
    return value;
  };
  for (std::size_t n = 0; n < group.rope_cases.size(); ++n) {
    const RopeCase& c = group.rope_cases[n];
    const json& node = document["cases"][n];
    const std::size_t width = c.dtype == Format::kF32 ? 4 : 2;
    CAPTURE(c.id);
    REQUIRE(node["q"][1] == width * c.q.size());
    REQUIRE(node["expected"]["q"][1] == 8 * c.q_out.size());
    for (std::size_t i = 0; i < c.q.size(); ++i) {
      CHECK(element(node["q"], i, width) == c.q[i]);
      CHECK(element(node["expected"]["q"], i, 8) == c.q_out[i]);
    }
    CHECK(node["q"][0].get<std::size_t>() % width == 0);
    CHECK(node["expected"]["cos"][0].get<std::size_t>() % 8 == 0);
  }
}

TEST_CASE("an f64 golden is a pair: hi nearest, lo the remainder",
          "[conformance][vectors]") {
  Group group = plain_group();
  for (RopeCase& c : group.rope_cases) {
    c.dtype = Format::kF64;
    for (Bits* x : {&c.q, &c.k}) {
      for (std::uint64_t& bits : *x) {
        bits = std::bit_cast<std::uint64_t>(
            1 + static_cast<double>(bits % 1000) / 1024);
      }
    }
  }
  Group wide = group;
  prove(reference::Oracle::kBinFloat, wide);
  std::size_t with_rest = 0;
  for (const RopeCase& c : wide.rope_cases) {
    REQUIRE(c.q_out_lo.size() == c.q_out.size());
    REQUIRE(c.cos_lo.size() == c.cos.size());
    for (std::size_t i = 0; i < c.q_out.size(); ++i) {
      const double hi = std::bit_cast<double>(c.q_out[i]);
      const double lo = std::bit_cast<double>(c.q_out_lo[i]);
      CHECK(hi + lo == hi);  // to nearest: lo is at most half an ulp
      with_rest += lo != 0;
    }
  }
  CHECK(with_rest > 10);
}

TEST_CASE("a corpus with a side file loads, and its manifest lists it",
          "[conformance][corpus]") {
  std::vector<Group> groups = test_groups();
  for (Group& group : groups) group.is_bulk = !group.rope_cases.empty();
  const Files files =
      corpus_files(groups, reference::Oracle::kBinFloat, "1.2.3");
  const Folder folder;
  write_corpus(files, folder.path());
  CHECK(compare_corpus(files, folder.path()).empty());
  const Corpus corpus = load_corpus(folder.path());
  REQUIRE(corpus.groups.size() == groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    CHECK(write_group(corpus.groups[i]).json == write_group(groups[i]).json);
  }
  const json manifest = json::parse(files.at("MANIFEST.json"));
  CHECK(manifest["files"][0]["payload"]["file"] == "plain.safetensors");
  CHECK(manifest["files"][0]["payload"]["sha256"].get<std::string>().size() ==
        64);
}

}  // namespace
}  // namespace ropeproof::conformance::cases
