#include "conformance/cases/families/families.h"
#include "conformance/cases/families/family.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using reference::Format;

// 0, 1, 2, ... in the case's dtype.
Bits counting(std::int64_t size) {
  Bits bits;
  for (std::int64_t i = 0; i < size; ++i) {
    bits.push_back(encode(Format::kF32, static_cast<double>(i)));
  }
  return bits;
}

void check_count(text::StrictObject& object, const std::string& key,
                 std::size_t count, std::int64_t expected) {
  if (count != static_cast<std::size_t>(expected)) {
    object.fail(key, "expected " + std::to_string(expected) + " entries");
  }
}

}  // namespace

Group worked_example(const std::string& source_text, const std::string& file) {
  const json document = text::parse_json(source_text, file);
  text::StrictObject object(document, file);
  Problem problem;
  Printed printed;
  printed.source = object.text("what");
  printed.tolerance = object.text("tolerance");
  problem.spec.frequencies.base =
      static_cast<double>(object.integer("base", 1, 1 << 30));
  const auto integers = [&](const char* key) {
    return object.integers(key, 0, 1 << 20);
  };
  const std::vector<std::int64_t> positions = integers("positions"),
                                  q_shape = integers("xq_shape"),
                                  k_shape = integers("xk_shape");
  check_count(object, "xq_shape", q_shape.size(), 4);
  check_count(object, "xk_shape", k_shape.size(), 4);
  problem.batch = q_shape[0];
  problem.seq = q_shape[1];
  problem.q_heads = q_shape[2];
  problem.k_heads = k_shape[2];
  const std::int64_t d = q_shape[3];
  problem.spec.layout =
      reference::leading(d, d, reference::Pairing::kInterleaved);
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    problem.positions.insert(problem.positions.end(), positions.begin(),
                             positions.end());
  }
  problem.q = counting(problem.batch * problem.seq * problem.q_heads * d);
  problem.k = counting(problem.batch * problem.seq * problem.k_heads * d);

  const auto take = [&](const char* key, std::int64_t count) {
    std::vector<std::string> texts = object.texts(key);
    check_count(object, key, texts.size(), count);
    return texts;
  };
  printed.inv_freq = take("freqs", problem.pairs());
  printed.cos = take("freqs_cis_real", problem.seq * problem.pairs());
  printed.sin = take("freqs_cis_imag", problem.seq * problem.pairs());
  printed.q = take("xq_out", static_cast<std::int64_t>(problem.q.size()));
  printed.k = take("xk_out", static_cast<std::int64_t>(problem.k.size()));
  object.finish();

  Family family(
      Tier::kCore, "worked-example",
      "A tutorial's worked example, every intermediate value exact, beside the "
      "decimals that the tutorial prints. `errata` names the printed decimals "
      "whose last digit is not the exact value's.");
  family.add(problem,
             {"layout/pairs-swapped", "rotation/direction-reversed",
              "frequency/wrong-exponent", "source/numbers-not-exact"},
             "batch 2, sequence 5, 2 query heads and 1 key head of 8 channels; "
             "xq = 0 .. 159, xk = 0 .. 79");
  Group group = family.take();
  group.rope_cases[0].printed = printed;
  return group;
}

}  // namespace ropeproof::conformance::cases
