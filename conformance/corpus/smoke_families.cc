#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "conformance/corpus/counter_generator.h"
#include "conformance/corpus/families.h"

namespace ropeproof::conformance {
namespace {

using reference::Direction;
using reference::Format;
using reference::leading;
using reference::Pairing;
using reference::trailing;

constexpr Pairing kPairings[] = {Pairing::kInterleaved, Pairing::kHalfSplit};
constexpr Format kDtypes[] = {Format::kF32, Format::kBF16};

// Ids neither equal nor monotone nor the same in both rows.
const std::vector<std::int64_t> kIrregular = {3, 0, 17, 259, 5,
                                              9, 2, 1,  101, 31};

// Next to powers of two, and half way between neighbours of bf16 (65791) and
// f16 (32783), where a rounded position is off by more than one.
const std::vector<std::int64_t> kOddLong = {257,   513,   1023,   2049,
                                            4097,  8191,  32769,  32783,
                                            65535, 65791, 131071, 1048575};

class Family {
 public:
  Family(std::string name, std::string description) {
    group_.name = "smoke-" + std::move(name);
    group_.tier = "smoke";
    group_.description = std::move(description);
  }

  // Adds a case with the next id; fills q and k unless they are given.
  void add(RopeCase c, const std::vector<std::string>& targets,
           const std::string& comment) {
    char number[8];
    const std::size_t count = group_.rope_cases.size() + 1;
    std::snprintf(number, sizeof number, "%03zu", count);
    c.id = group_.name + "-" + number;
    c.comment = comment;
    c.targets = targets;
    for (const std::string& key : targets) {
      group_.targets[key] = bug_class(key);
    }
    // Streams of different cases and tensors never meet.
    const std::uint64_t seed = random_bits(seed_of(group_.name), count);
    fill(c.q, c, c.q_heads, seed);
    fill(c.k, c, c.k_heads, ~seed);
    group_.rope_cases.push_back(std::move(c));
  }

  Group take() { return std::move(group_); }

 private:
  static std::uint64_t seed_of(const std::string& name) {
    std::uint64_t seed = 0;
    for (const char c : name) {
      seed = random_bits(seed, static_cast<unsigned char>(c));
    }
    return seed;
  }

  static void fill(Bits& x, const RopeCase& c, std::int64_t heads,
                   std::uint64_t seed) {
    if (!x.empty()) return;
    const auto size = static_cast<std::size_t>(c.batch * c.seq * heads *
                                               c.spec.layout.head_dim);
    for (std::size_t i = 0; i < size; ++i) {
      x.push_back(random_number(c.dtype, seed, i));
    }
  }

  Group group_;
};

RopeCase make(Format dtype, const reference::Layout& layout, double base,
              std::int64_t batch, std::int64_t seq, std::int64_t q_heads,
              std::int64_t k_heads, std::vector<std::int64_t> positions) {
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

Group rich() {
  Family family("rich",
                "Unequal sizes on every axis, irregular positions, two bases, "
                "partial and full heads: a first answer to most mistakes.");
  const std::vector<std::string> full = {"A1", "A4", "C1", "C2",
                                         "E1", "E2", "E5", "G1"};
  const std::vector<std::string> partial = {"A1", "B1", "B2", "B3",
                                            "B4", "B5", "C1", "E2"};
  for (const Pairing pairing : kPairings) {
    for (const double base : {1e4, 5e5}) {
      family.add(make(Format::kF32, leading(24, 16, pairing), base, 2, 5, 3, 0,
                      kIrregular),
                 partial, "24 channels, 16 of them rotary");
      family.add(make(Format::kF32, leading(16, 16, pairing), base, 2, 5, 3, 1,
                      kIrregular),
                 full, "all 16 channels rotary, 3 query heads, 1 key head");
    }
    family.add(make(Format::kF32, leading(40, 16, pairing), 1e4, 2, 5, 2, 1,
                    kIrregular),
               partial, "40 channels, 16 rotary: room for a second block");
    family.add(make(Format::kBF16, leading(24, 16, pairing), 5e5, 2, 5, 3, 0,
                    kIrregular),
               partial, "24 channels, 16 of them rotary");
    family.add(make(Format::kBF16, leading(16, 16, pairing), 5e5, 2, 5, 3, 1,
                    kIrregular),
               full, "all 16 channels rotary, 3 query heads, 1 key head");
  }
  return family.take();
}

Group zero() {
  Family family("zero",
                "Position 0: the rotation is the identity, so whatever changes "
                "is amplitude, layout or an offset.");
  const std::vector<std::int64_t> zeros = {0, 0};
  for (const Pairing pairing : kPairings) {
    for (const Format dtype : kDtypes) {
      family.add(make(dtype, leading(24, 16, pairing), 1e4, 1, 2, 2, 0, zeros),
                 {"A3", "A5", "B1", "E1"}, "output equals input");
    }
    family.add(
        make(Format::kF32, leading(8, 8, pairing), 1e4, 1, 2, 3, 0, zeros),
        {"A3", "A5", "E1"}, "output equals input");
    RopeCase c =
        make(Format::kF32, leading(24, 16, pairing), 1e4, 1, 2, 2, 0, zeros);
    c.spec.frequencies.amplitude = 1.138629436111989;  // YaRN, factor 4
    family.add(c, {"B2", "C7"},
               "amplitude alone: m times the window, the rest untouched");
  }
  return family.take();
}

// One head of each unit vector, at every position given: the kernel's matrix.
RopeCase unit_vectors(Format dtype, const reference::Layout& layout,
                      const std::vector<std::int64_t>& rows) {
  const std::int64_t d = layout.head_dim;
  std::vector<std::int64_t> positions;
  Bits q;
  for (const std::int64_t p : rows) {
    for (std::int64_t i = 0; i < d; ++i) {
      positions.push_back(p);
      for (std::int64_t t = 0; t < d; ++t) {
        q.push_back(reference::encode(dtype, t == i ? 1.0 : 0.0));
      }
    }
  }
  RopeCase c = make(dtype, layout, 1e4, static_cast<std::int64_t>(rows.size()),
                    d, 1, 0, positions);
  c.q = q;
  return c;
}

Group unit() {
  Family family("unit",
                "Unit vectors at positions 1 and 257: reads off the matrix "
                "that a kernel applies, one column per token.");
  const std::vector<std::string> targets = {"A1", "A2", "A3", "A4", "A5", "C1"};
  for (const Pairing pairing : kPairings) {
    for (const Format dtype : kDtypes) {
      family.add(unit_vectors(dtype, leading(8, 8, pairing), {1, 257}), targets,
                 "the whole matrix of a full head");
    }
    family.add(unit_vectors(Format::kF32, leading(12, 8, pairing), {1, 257}),
               {"A1", "B1", "B3", "B5"}, "window at the front");
    family.add(unit_vectors(Format::kF32, trailing(12, 8, pairing), {1, 257}),
               {"A1", "B1", "B3", "B5"}, "window at the end");
    RopeCase c = unit_vectors(Format::kF32, leading(8, 8, pairing), {1, 257});
    c.spec.direction = Direction::kAdjoint;
    family.add(c, {"A4", "H5"}, "the adjoint: the transposed matrix");
  }
  return family.take();
}

Group odd_long() {
  Family family("odd-long",
                "Long positions that no 16-bit type holds: precision of "
                "positions, frequencies and angles.");
  const std::vector<std::string> targets = {"D1", "D2", "D3", "D4",
                                            "D5", "D6", "F1"};
  const auto count = static_cast<std::int64_t>(kOddLong.size());
  for (const Pairing pairing : kPairings) {
    for (const double base : {1e4, 5e5}) {
      family.add(make(Format::kF32, leading(16, 16, pairing), base, 1, count, 1,
                      0, kOddLong),
                 targets, "257 .. 1048575");
    }
    family.add(make(Format::kBF16, leading(16, 16, pairing), 5e5, 1, count, 1,
                    0, kOddLong),
               targets, "257 .. 1048575");
    family.add(make(Format::kF32, leading(128, 128, pairing), 5e5, 1, 3, 1, 0,
                    {32769, 65791, 131071}),
               targets, "the 64 pairs of a large model");
  }
  return family.take();
}

Group decode() {
  Family family("decode",
                "One token per batch row, as in generation: own positions, "
                "dense and with gaps, in place and out of place.");
  const std::vector<std::string> targets = {"E1", "E2", "E3", "E5",
                                            "G2", "G3", "G7"};
  for (const Pairing pairing : kPairings) {
    for (const Format dtype : kDtypes) {
      for (const Memory memory : {Memory::kDense, Memory::kStridedInPlace}) {
        RopeCase c = make(dtype, leading(16, 16, pairing), 1e4, 3, 1, 5, 2,
                          {7, 4097, 511});
        c.memory = memory;
        family.add(c, targets, "batch 3, sequence 1, 5 query and 2 key heads");
      }
    }
  }
  return family.take();
}

Group dims() {
  Family family("dims",
                "Every awkward rotary_dim and number of heads, far enough out "
                "that a pair left unrotated shows.");
  struct Row {
    std::int64_t head_dim, rotary_dim, offset, heads, seq;
  };
  constexpr Row kRows[] = {
      {2, 2, 0, 71, 1},    {6, 6, 0, 7, 2},     {10, 10, 0, 3, 2},
      {18, 18, 0, 1, 2},   {24, 24, 0, 7, 1},   {40, 40, 0, 3, 1},
      {72, 72, 0, 1, 2},   {80, 80, 0, 1, 2},   {92, 92, 0, 3, 1},
      {96, 96, 0, 1, 1},   {112, 112, 0, 1, 1}, {120, 120, 0, 1, 1},
      {192, 192, 0, 1, 1}, {256, 256, 0, 1, 1}, {80, 20, 0, 3, 1},
      {96, 32, 64, 3, 1}};
  std::size_t i = 0;
  for (const Row& row : kRows) {
    // Dtype changes every row and pairing every second one: each meets each.
    const reference::Layout layout{row.head_dim, row.rotary_dim, row.offset,
                                   kPairings[i / 2 % 2]};
    std::vector<std::int64_t> positions = {259, 1021};
    positions.resize(static_cast<std::size_t>(row.seq));
    family.add(
        make(kDtypes[i % 2], layout, 1e4, 1, row.seq, row.heads, 0, positions),
        {"A5", "B1", "G4", "G6", "G7"},
        "rotary_dim " + std::to_string(row.rotary_dim) + " of " +
            std::to_string(row.head_dim) + ", " + std::to_string(row.heads) +
            " heads");
    ++i;
  }
  return family.take();
}

}  // namespace

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
      {"C7", "amplitude missing, squared or on the wrong channels"},
      {"D1", "frequencies or table in half precision"},
      {"D2", "positions in half precision"},
      {"D3", "angle in half precision"},
      {"D4", "angle formed in f32"},
      {"D5", "fast trigonometry without range reduction"},
      {"D6", "angle or rotation by recurrence"},
      {"E1", "offset missing or off by one"},
      {"E2", "positions ignored or shared across the batch"},
      {"E3", "single-token fast path"},
      {"E5", "positions indexed wrongly"},
      {"F1", "table too short, clamped or wrapped"},
      {"G1", "axes confused"},
      {"G2", "strides ignored"},
      {"G3", "aliasing: an input overwritten before its last use"},
      {"G4", "SIMD tail or padded dimension"},
      {"G6", "odd sizes"},
      {"G7", "number of heads of q and k"},
      {"H1", "weight permutation: wrong head count, inverse, bias forgotten"},
      {"H5", "backward pass"},
      {"H6", "a document's numbers taken for exact"}};
  return kClasses.at(key);
}

std::vector<Group> smoke_families() {
  return {rich(), zero(), unit(), odd_long(), decode(), dims()};
}

}  // namespace ropeproof::conformance
