// vectors/encodings.json: the committed values, a document's table, what is
// refused.
#include "conformance/cases/encoding_case.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "conformance/cases/ledger.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/test_groups.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
namespace encodings = reference::encodings;

const std::vector<EncodingCase>& committed_encodings() {
  static const std::vector<EncodingCase> kCases = load_encodings(kVectors);
  return kCases;
}

// How far the table that a document prints is from an encoding's values.
double distance_to_printed(const EncodingCase& c,
                           const std::function<double(std::size_t)>& value) {
  double most = 0;
  for (std::size_t i = 0; i < c.printed->values.size(); ++i) {
    most = std::max(most, std::abs(std::stod(c.printed->values[i]) - value(i)));
  }
  return most;
}

const EncodingCase& printed_table() {
  for (const EncodingCase& c : committed_encodings()) {
    if (c.printed) return c;
  }
  throw std::out_of_range("no printed table");
}

TEST_CASE("the vectors have every encoding, each value as the reference has it",
          "[conformance][encodings]") {
  std::set<std::size_t> kinds;
  for (const EncodingCase& c : committed_encodings()) {
    CAPTURE(c.id);
    kinds.insert(c.encoding.index());
    EncodingCase again = c;
    prove(reference::Oracle::kBinFloat, again);
    CHECK(again.values == c.values);
  }
  CHECK(kinds.size() == kEncodingNames.size());
}

TEST_CASE("written and read again the encodings are the same bytes",
          "[conformance][encodings]") {
  const std::string text = text::read_file(kVectors / "encodings.json");
  CHECK(write_encodings(read_encodings(text, "encodings.json")) == text);
}

TEST_CASE("S6: the printed table is that of 512 channels, to 5e-7",
          "[conformance][encodings][errata]") {
  const EncodingCase& c = printed_table();
  REQUIRE(c.printed->values.size() == 9 * 22);
  CHECK(c.printed->tolerance == "5e-7");
  CHECK(distance_to_printed(c, [&](std::size_t i) {
          return std::bit_cast<double>(c.values[i]);
        }) < 5e-7);
  // The document says d_model = 4.
  EncodingCase four = c;
  four.encoding = encodings::Sinusoidal{4};
  prove(reference::Oracle::kBinFloat, four);
  CHECK(distance_to_printed(c, [&](std::size_t i) {
          return std::bit_cast<double>(four.values[i / 22 * 4 + i % 4]);
        }) > 0.5);
}

TEST_CASE(
    "S7: the printed table has sine and cosine in turn, not all sines first",
    "[conformance][encodings][errata]") {
  const EncodingCase& c = printed_table();
  CHECK(distance_to_printed(c, [&](std::size_t i) {
          const std::size_t row = i / 22 * 22, column = i % 22;
          return std::bit_cast<double>(
              c.values[row + (column < 11 ? 2 * column : 2 * column - 21)]);
        }) > 0.5);
}

TEST_CASE("encodings that are not as they should be are refused by name",
          "[conformance][encodings][errors]") {
  const auto error = [](const std::function<void(json&)>& change) {
    json document = json::parse(text::read_file(kVectors / "encodings.json"));
    change(document["cases"]);
    return refusal([&] { read_encodings(document.dump(), "encodings.json"); });
  };
  CHECK_THAT(
      error([](json& c) { c[0]["encoding"] = "spiral"; }),
      ContainsSubstring("encoding-integer-001.encoding: is no encoding"));
  CHECK_THAT(error([](json& c) { c[0]["parameters"]["length"] = 3; }),
             ContainsSubstring("encoding-integer-001.parameters"));
  CHECK_THAT(error([](json& c) { c[0]["positions"][0] = -1; }),
             ContainsSubstring("position is -1"));
  CHECK_THAT(error([](json& c) { c[0]["expected"]["shape"][0] = 4; }),
             ContainsSubstring("shape: differs"));
  CHECK_THAT(error([](json& c) { c[0]["expected"]["values"].erase(0); }),
             ContainsSubstring("values"));
  CHECK_THAT(error([](json& c) { c[1]["id"] = c[0]["id"]; }),
             ContainsSubstring("occurs twice"));
  CHECK_THAT(error([](json& c) { c.back()["printed"]["values"].erase(0); }),
             ContainsSubstring("one for each golden"));
  CHECK(load_encodings(kVectors / "nowhere").empty());
}

TEST_CASE("the ledger keeps encodings as it keeps cases",
          "[conformance][encodings]") {
  std::vector<EncodingCase> cases = {committed_encodings()[0]};
  const Ledger ledger = extended({}, {}, cases, "1");
  REQUIRE(ledger.size() == 1);
  CHECK(extended(ledger, {}, cases, "2")[0].since == "1");
  cases[0].comment += ", better said";
  CHECK(extended(ledger, {}, cases, "2")[0].sha256 == ledger[0].sha256);
  cases[0].values[0] ^= 1;
  CHECK_THAT(refusal([&] { extended(ledger, {}, cases, "2"); }),
             ContainsSubstring("encoding-integer-001: differs"));
  CHECK_THAT(refusal([&] { extended(ledger, {}, {}, "2"); }),
             ContainsSubstring("no longer generated"));
}

}  // namespace
}  // namespace ropeproof::conformance::cases
