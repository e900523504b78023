#include "conformance/corpus/family.h"

#include <cstdio>
#include <map>
#include <utility>

#include "conformance/corpus/counter_generator.h"
#include "conformance/corpus/families.h"

namespace ropeproof::conformance {
namespace {

std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 0;
  for (const char c : name) {
    seed = random_bits(seed, static_cast<unsigned char>(c));
  }
  return seed;
}

void fill(Bits& x, const RopeCase& c, std::int64_t heads, std::uint64_t seed) {
  if (!x.empty()) return;
  const auto size =
      static_cast<std::size_t>(c.tokens() * heads * c.spec.layout.head_dim);
  for (std::size_t i = 0; i < size; ++i) {
    x.push_back(random_number(c.dtype, seed, i));
  }
}

}  // namespace

Family::Family(const std::string& tier, const std::string& name,
               const std::string& description) {
  group_.tier = tier;
  group_.name = name;
  group_.description = description;
}

void Family::add(RopeCase c, const std::vector<std::string>& targets,
                 const std::string& comment) {
  char number[8];
  const std::size_t count = group_.rope_cases.size() + 1;
  std::snprintf(number, sizeof number, "%03zu", count);
  c.id = group_.name + "-" + number;
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets) group_.targets[key] = bug_class(key);
  // Streams of different cases and tensors never meet.
  const std::uint64_t seed = random_bits(seed_of(group_.name), count);
  fill(c.q, c, c.q_heads, seed);
  fill(c.k, c, c.k_heads, ~seed);
  group_.rope_cases.push_back(std::move(c));
}

RopeCase make_case(reference::Format dtype, const reference::Layout& layout,
                   double base, std::int64_t batch, std::int64_t seq,
                   std::int64_t q_heads, std::int64_t k_heads,
                   std::vector<double> positions) {
  RopeCase c;
  c.dtype = dtype;
  c.spec.layout = layout;
  c.spec.frequencies.base = base;
  c.batch = batch;
  c.seq = seq;
  c.q_heads = q_heads;
  c.k_heads = k_heads;
  c.positions = std::move(positions);
  return c;
}

std::string bug_class(const std::string& key) {
  static const std::map<std::string, std::string> kClasses = {
      {"A1", "pairs formed by the other layout"},
      {"A2", "table laid out for the other pairing"},
      {"A3", "output written in the other layout"},
      {"A4", "sign or direction of the rotation"},
      {"A5", "sine lost or read from the wrong place"},
      {"B1", "channels outside the window rotated or overwritten"},
      {"B2", "channels outside the window not copied, stale or scaled"},
      {"B3", "frequencies or pairs of a partial head formed over head_dim"},
      {"B4", "partial factor ignored or applied twice"},
      {"B5", "window taken from the wrong end"},
      {"C1", "exponent of the frequencies"},
      {"C2", "base wrong or ignored"},
      {"C4", "linear factor ignored, inverted or applied twice"},
      {"C5", "dynamic NTK: length, exponent or a stale base"},
      {"C6", "YaRN's ramp"},
      {"C7", "amplitude missing, squared or on the wrong channels"},
      {"C8", "llama3's smoothing"},
      {"C9", "LongRoPE: the wrong list, or the switch off by one"},
      {"C10", "frequency factors lost or multiplied"},
      {"D1", "frequencies or table in half precision"},
      {"D2", "positions in half precision"},
      {"D3", "angle in half precision"},
      {"D4", "angle formed in f32"},
      {"D5", "fast trigonometry without range reduction"},
      {"D6", "angle or rotation by recurrence"},
      {"E1", "offset missing or off by one"},
      {"E2", "positions ignored or shared across the batch"},
      {"E3", "single-token fast path"},
      {"E4", "64-bit positions read as 32-bit"},
      {"E5", "positions indexed wrongly"},
      {"E6", "packed sequences: positions not restarted"},
      {"E7", "shifted positions: offset lost, sign wrong"},
      {"F1", "table too short, clamped or wrapped"},
      {"F3", "frequencies never initialised"},
      {"G1", "axes confused"},
      {"G2", "strides ignored"},
      {"G3", "aliasing: an input overwritten before its last use"},
      {"G4", "SIMD tail or padded dimension"},
      {"G6", "odd sizes"},
      {"G7", "number of heads of q and k"},
      {"H1", "weight permutation: wrong head count, inverse, bias forgotten"},
      {"H2", "M-RoPE: sections permuted, or blocks for interleaved"},
      {"H3", "2-D positions: axes exchanged or summed"},
      {"H5", "backward pass"},
      {"H6", "a document's numbers taken for exact"}};
  return kClasses.at(key);
}

}  // namespace ropeproof::conformance
