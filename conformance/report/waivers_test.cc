#include "conformance/report/waivers.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "conformance/cases/test_groups.h"
#include "conformance/text/wildcard.h"

namespace ropeproof::conformance::report {
namespace {

using Catch::Matchers::ContainsSubstring;

const char* const kEntry =
    R"({"id": "smoke-0*", "engine": "fast", "reason": "known",
        "link": "https://example.org/7", "expires": "2027-03-31"})";

std::string file_with(const std::string& entries) {
  return R"({"format": "ropeproof-waivers/1", "waivers": [)" + entries + "]}";
}

// `text` with the first `from` replaced.
std::string changed(std::string text, const std::string& from,
                    const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string fault_of(const std::string& text) {
  return cases::refusal<std::invalid_argument>(
      [&] { parse_waivers(text, "w.json"); });
}

TEST_CASE("a star matches any run of characters, a question mark one",
          "[waivers]") {
  CHECK(text::matches("", ""));
  CHECK(text::matches("*", ""));
  CHECK(text::matches("smoke-*-001", "smoke-odd-long-001"));
  CHECK(text::matches("*-00?", "smoke-rich-003"));
  CHECK(text::matches("a*b*c", "a-b-b-c"));
  CHECK(text::matches("**", "x"));
  CHECK_FALSE(text::matches("", "x"));
  CHECK_FALSE(text::matches("?", ""));
  CHECK_FALSE(text::matches("smoke-rich", "smoke-rich-001"));
  CHECK_FALSE(text::matches("*-001", "smoke-rich-0011"));
  CHECK_FALSE(text::matches("a*b*c", "a-c-b"));
  CHECK_FALSE(text::matches("smoke.rich", "smoke-rich"));
  // Backtracking goes to the last star only: no exponential cost.
  const std::string stars = "*a*a*a*a*a*a*a*a*a*a*a*a*b";
  CHECK_FALSE(text::matches(stars, std::string(4096, 'a')));
}

TEST_CASE("a waiver file is read whole", "[waivers]") {
  const std::string more = changed(kEntry, "\"id\"",
                                   R"("version": "1.4", "asked": "tier *",
      "kind": "defect", "where": "a.cc:7", "case": "head_dim 3",
      "fix": "round up", "id")");
  const Waivers waivers =
      parse_waivers(file_with(more + ", " + kEntry), "w.json");
  CHECK(waivers.sha256.size() == 64);
  REQUIRE(waivers.entries.size() == 2);
  const Waiver& waiver = waivers.entries[0];
  CHECK(waiver.id == "smoke-0*");
  CHECK(waiver.engine == "fast");
  CHECK(waiver.reason == "known");
  CHECK(waiver.link == "https://example.org/7");
  CHECK(date_text(waiver.expires) == "2027-03-31");
  CHECK(waiver.version == "1.4");
  CHECK(waiver.asked == "tier *");
  CHECK(waiver.kind == WaiverKind::kDefect);
  CHECK(waiver.where == "a.cc:7");
  CHECK(waiver.smallest == "head_dim 3");
  CHECK(waiver.fix == "round up");
  CHECK(waivers.entries[1].kind == WaiverKind::kNone);
  CHECK(waivers.entries[1].version.empty());
  CHECK(parse_waivers(file_with(""), "w.json").entries.empty());
  CHECK_THAT(fault_of(file_with(changed(more, "\"fix\": \"round up\",", ""))),
             ContainsSubstring("waivers[0].fix: missing"));
  CHECK_THAT(fault_of(file_with(changed(more, "defect", "bug"))),
             ContainsSubstring("\"bug\"; expected defect or limit"));
  CHECK_THAT(fault_of(file_with(changed(more, "tier *", ""))),
             ContainsSubstring("waivers[0].asked: expected one line"));
  CHECK(fault_of(file_with(changed(kEntry, "\"id\"",
                                   R"("kind": "limit", "id")"))) == "accepted");
}

TEST_CASE(
    "a waiver file that is not exactly as documented is refused in one "
    "line that names the place",
    "[waivers]") {
  const std::string good = file_with(kEntry);
  REQUIRE(fault_of(good) == "accepted");
  const struct {
    std::string text, fault;
  } rows[] = {
      {"", "w.json: not JSON"},
      {"[]", "w.json: expected an object"},
      {"{\"format\": 1e999}", "w.json: "},
      {good.substr(0, good.size() / 2), "not JSON"},
      {changed(good, "waivers/1", "waivers/2"), "w.json.format"},
      {changed(good, "\"format\"", "\"fromat\""), "w.json.format: missing"},
      {changed(good, "\"reason\"", "\"raeson\""), "waivers[0].reason: missing"},
      {changed(good, "\"id\"", "\"note\": \"\", \"id\""),
       "waivers[0].note: unknown field"},
      {changed(good, "\"waivers\"", "\"x\": 1, \"waivers\""),
       "x: unknown field"},
      {changed(good, "\"waivers\"", "\"x\\ny\": 1, \"waivers\""),
       "x y: unknown field"},
      {changed(good, "smoke-0*", ""), "waivers[0].id: expected one line"},
      {changed(good, "known", "two\\nlines"), "waivers[0].reason"},
      {changed(good, "known", std::string(501, 'x')), "waivers[0].reason"},
      {changed(good, "\"known\"", "7"), "waivers[0].reason"},
      {changed(good, "https://", ""), "waivers[0].link"},
      {changed(good, "2027-03-31", "2027-02-29"), "no calendar"},
      {changed(good, "2027-03-31", "2027-3-31"), "waivers[0].expires"},
      {changed(good, "2027-03-31", "31.03.2027"), "expected a day"},
      {changed(good, "2027-03-31", "2027-03-31 "), "expected a day"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const std::string fault = fault_of(row.text);
    CHECK_THAT(fault, ContainsSubstring(row.fault));
    CHECK(fault.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::report
