#include "conformance/cover/digest.h"

#include <bit>
#include <sstream>
#include <vector>

#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
#include "conformance/text/file.h"
#include "conformance/text/hex.h"
#include "conformance/text/sha256.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::cover {
namespace {

using reference::at;

void append(std::string& bytes, std::uint64_t bits) {
  for (int i = 0; i < 8; ++i) {
    bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }
}

// Sizes, positions, tensors: each with its length, so that none runs into the
// next.
std::string digest_of(const cases::Case& c) {
  std::string bytes = c.id;
  for (const std::int64_t size :
       {c.problem.batch, c.problem.seq, c.problem.q_heads, c.problem.k_heads,
        c.problem.spec.layout.head_dim, c.problem.spec.layout.rotary_dim,
        c.problem.spec.layout.rotary_offset}) {
    append(bytes, static_cast<std::uint64_t>(size));
  }
  append(bytes, std::bit_cast<std::uint64_t>(c.golden.amplitude));
  const auto add = [&](const auto& list, const auto& bits_of) {
    append(bytes, list.size());
    for (const auto& value : list) append(bytes, bits_of(value));
  };
  add(c.problem.positions,
      [](double p) { return std::bit_cast<std::uint64_t>(p); });
  for (const cases::Bits* bits : {&c.problem.q, &c.problem.k}) {
    add(*bits, [](std::uint64_t b) { return b; });
  }
  for (const cases::GoldenTensor& golden : cases::golden_tensors(c.problem)) {
    // Low words of tokens are near the number, not rounded to it.
    if (golden.hi != golden.bits && golden.per_token != 0) continue;
    add(c.golden.*golden.bits, [](std::uint64_t b) { return b; });
  }
  return text::sha256(bytes);
}

}  // namespace

std::map<std::string, std::string> formed_digests(
    const Arrays& arrays, const plugin::Description& description,
    cases::Tier tier, reference::Oracle oracle) {
  const std::vector<Recipe> recipes = recipes_for(
      arrays, description, true, tier, 0, [](const Row&) { return true; });
  std::vector<std::string> digests(recipes.size());
  reference::parallel_for(
      std::ssize(recipes),
      [&](std::int64_t i) {
        at(digests, i) =
            digest_of(form(at(recipes, i), description.max_position, oracle));
      },
      1);
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    const bool is_large = recipes[i].tier == cases::Tier::kFull &&
                          recipes[i].source == Source::kShapes;
    const std::string kind = text::word(kSourceWords, recipes[i].source);
    all[is_large ? "large " + kind : kind] += digests[i] + "\n";
  }
  for (auto& [kind, text] : all) text = text::sha256(text);
  return all;
}

std::string write_digests(const std::map<std::string, std::string>& digests) {
  std::string text =
      "# SHA-256 of all inputs and goldens that a kernel is given which "
      "offers\n"
      "# everything. Written by `ropeproof generate`; never edited.\n";
  for (const auto& [kind, digest] : digests) {
    text += digest + "  " + kind + "\n";
  }
  return text;
}

std::map<std::string, std::string> read_digests(const std::string& text,
                                                const std::string& file) {
  std::map<std::string, std::string> digests;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string digest = line.substr(0, 64);
    if (line.size() < 67 || !text::is_hex(digest) ||
        line.substr(64, 2) != "  " ||
        !digests.emplace(line.substr(66), digest).second) {
      throw text::FileError(
          file + ":" + std::to_string(number) +
          ": expected SHA-256 and a kind of cases, once each");
    }
  }
  return digests;
}

}  // namespace ropeproof::conformance::cover
