// smoke.txt, read as a consumer without JSON reads it.
#include "conformance/cases/smoke_text.h"

#include <catch2/catch_test_macros.hpp>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <sstream>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::cases {
namespace {

// The next list: its length, then elements in `format`, "%..." for one word.
Bits scan_list(std::istringstream& line, const char* format) {
  std::size_t count = 0;
  line >> count;
  Bits bits;
  std::string text;
  for (std::size_t i = 0; i < count && line >> text; ++i) {
    std::uint64_t value = 0;
    REQUIRE(std::sscanf(text.c_str(), format, &value) == 1);
    bits.push_back(value);
  }
  REQUIRE(bits.size() == count);
  return bits;
}

TEST_CASE("smoke.txt holds all 64 smoke cases, enough to judge a kernel",
          "[conformance][vectors]") {
  std::map<std::string, const RopeCase*> smoke;
  for (const Group& group : committed().groups) {
    if (group.tier != "smoke") continue;
    for (const RopeCase& c : group.rope_cases) smoke[c.id] = &c;
  }
  std::istringstream text(text::read_file(kVectors / kSmokeText));
  std::size_t lines = 0;
  for (std::string row; std::getline(text, row);) {
    if (row.starts_with("#")) continue;
    ++lines;
    std::istringstream line(row);
    std::string id, dtype, pairing, direction, base, amplitude;
    std::int64_t head_dim = 0, rotary_dim = 0, rotary_offset = 0, batch = 0,
                 seq = 0, q_heads = 0, k_heads = 0;
    line >> id >> dtype >> pairing >> direction >> head_dim >> rotary_dim >>
        rotary_offset >> batch >> seq >> q_heads >> k_heads >> base >>
        amplitude;
    CAPTURE(id);
    REQUIRE(smoke.contains(id));
    const RopeCase& c = *smoke[id];
    CHECK(text::find_word(text::kFormatWords, dtype) == c.dtype);
    CHECK(text::find_word(text::kPairingWords, pairing) ==
          c.spec.layout.pairing);
    CHECK(text::find_word(text::kDirectionWords, direction) ==
          c.spec.direction);
    CHECK(head_dim == c.spec.layout.head_dim);
    CHECK(rotary_dim == c.spec.layout.rotary_dim);
    CHECK(rotary_offset == c.spec.layout.rotary_offset);
    CHECK(batch == c.batch);
    CHECK(seq == c.seq);
    CHECK(q_heads == c.q_heads);
    CHECK(k_heads == c.k_heads);
    CHECK(base == hex(c.spec.frequencies.base));
    CHECK(amplitude == hex(c.amplitude));
    const Bits positions = scan_list(line, "%" SCNd64);
    REQUIRE(positions.size() == c.positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      CHECK(static_cast<double>(static_cast<std::int64_t>(positions[i])) ==
            c.positions[i]);
    }
    CHECK(scan_list(line, "%" SCNx64) == c.inv_freq_hi);
    CHECK(scan_list(line, "%" SCNx64) == c.inv_freq_lo);
    CHECK(scan_list(line, "%" SCNx64) == c.q);
    CHECK(scan_list(line, "%" SCNx64) == c.k);
    CHECK(scan_list(line, "%" SCNx64) == c.q_out);
    CHECK(scan_list(line, "%" SCNx64) == c.k_out);
    CHECK((line >> std::ws).eof());
  }
  CHECK(lines == 64);
}

TEST_CASE("a case that the columns do not cover is not put into smoke.txt",
          "[conformance][vectors]") {
  Group group;
  group.tier = "smoke";
  group.rope_cases.resize(1);
  group.rope_cases[0].spec.frequencies.scaling = reference::Linear{2};
  CHECK_THROWS_AS(smoke_text(std::span(&group, 1)), std::logic_error);
  group.tier = "core";
  CHECK_NOTHROW(smoke_text(std::span(&group, 1)));
}

}  // namespace
}  // namespace ropeproof::conformance::cases
