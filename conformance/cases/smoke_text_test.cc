// smoke.txt, read as a consumer without JSON reads it.
#include "conformance/cases/smoke_text.h"

#include <catch2/catch_test_macros.hpp>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <sstream>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/text/word_tables.h"

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
  std::map<std::string, const Case*> smoke;
  for (const Group& group : committed().groups) {
    if (group.tier != Tier::kSmoke) continue;
    for (const Case& c : group.rope_cases) smoke[c.id] = &c;
  }
  std::istringstream text(text::read_file(kVectors / kSmokeText));
  std::size_t lines = 0;
  for (std::string row; std::getline(text, row);) {
    if (row.starts_with("#")) continue;
    ++lines;
    std::istringstream line(row);
    std::string id, dtype, pairing, direction, base, amplitude;
    line >> id >> dtype >> pairing >> direction;
    CAPTURE(id);
    REQUIRE(smoke.contains(id));
    const Case& c = *smoke[id];
    CHECK(text::find_word(text::kFormatWords, dtype) == c.problem.dtype);
    CHECK(text::find_word(text::kPairingWords, pairing) ==
          c.problem.spec.layout.pairing);
    CHECK(text::find_word(text::kDirectionWords, direction) ==
          c.problem.spec.direction);
    const reference::Layout& layout = c.problem.spec.layout;
    for (const std::int64_t size :
         {layout.head_dim, layout.rotary_dim, layout.rotary_offset,
          c.problem.batch, c.problem.seq, c.problem.q_heads,
          c.problem.k_heads}) {
      std::int64_t number = -1;
      line >> number;
      CHECK(number == size);
    }
    line >> base >> amplitude;
    CHECK(base == hex(c.problem.spec.frequencies.base));
    CHECK(amplitude == hex(c.golden.amplitude));
    const Bits positions = scan_list(line, "%" SCNd64);
    REQUIRE(positions.size() == c.problem.positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      CHECK(static_cast<double>(static_cast<std::int64_t>(positions[i])) ==
            c.problem.positions[i]);
    }
    for (const Bits* list :
         {&c.golden.inv_freq_hi, &c.golden.inv_freq_lo, &c.problem.q,
          &c.problem.k, &c.golden.q, &c.golden.k}) {
      CHECK(scan_list(line, "%" SCNx64) == *list);
    }
    CHECK((line >> std::ws).eof());
  }
  CHECK(lines == 64);
}

TEST_CASE("a case that the columns do not cover is not put into smoke.txt",
          "[conformance][vectors]") {
  Group group;
  group.tier = Tier::kSmoke;
  group.rope_cases.resize(1);
  group.rope_cases[0].problem.spec.frequencies.scaling = reference::Linear{2};
  CHECK_THROWS_AS(smoke_text(std::span(&group, 1)), std::logic_error);
  group.tier = Tier::kCore;
  CHECK_NOTHROW(smoke_text(std::span(&group, 1)));
}

}  // namespace
}  // namespace ropeproof::conformance::cases
