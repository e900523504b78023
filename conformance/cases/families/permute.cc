// Weights and biases permuted, LLaMA <-> Hugging Face.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Layout;
using reference::leading;

namespace {

const Targets kTargets = {"weights/permuted-wrongly"};

}  // namespace

Group permute_family() {
  Family family(
      Tier::kCore, "permute",
      "Rows of weights and biases moved between the pairings, bit for bit. "
      "The model has 4 query heads and 2 key-value heads; head_dim 4, where "
      "the permutation is its own inverse, does not occur.");
  struct Row {
    const char* comment;
    Layout layout;
    std::int64_t heads, columns;
    Format dtype;
  };
  constexpr Row kRows[] = {
      {"q weight, LLaMA to HF", leading(8, 8, kInter), 4, 3, Format::kF32},
      {"k weight, LLaMA to HF", leading(8, 8, kInter), 2, 3, Format::kF32},
      {"q bias, LLaMA to HF", leading(8, 8, kInter), 4, 1, Format::kF32},
      {"k bias, LLaMA to HF", leading(8, 8, kInter), 2, 1, Format::kBF16},
      {"q weight, HF to LLaMA", leading(8, 8, kHalf), 4, 3, Format::kBF16},
      {"k weight, HF to LLaMA", leading(16, 16, kHalf), 2, 2, Format::kF32},
      {"k weight, LLaMA to HF", leading(16, 16, kInter), 2, 2, Format::kBF16},
      {"q weight of a partial head", leading(12, 8, kInter), 4, 2,
       Format::kF32}};
  std::uint64_t seed = 0;
  for (const Row& row : kRows) {
    family.add(
        make_permutation(row.dtype, row.layout, row.heads, row.columns, ++seed),
        kTargets, row.comment);
  }
  return family.take();
}

Group core_permute() {
  Family family(
      Tier::kCore, "core-permute",
      "Rows of weights and biases moved between the pairings, in every dtype "
      "and both ways, for 4 query heads and 2 key-value heads.");
  struct Row {
    const char* comment;
    std::int64_t head_dim, rotary_dim, offset, heads, columns;
  };
  constexpr Row kRows[] = {
      {"q weight", 8, 8, 0, 4, 3},
      {"k weight: another number of heads", 8, 8, 0, 2, 3},
      {"k bias", 16, 16, 0, 2, 1},
      {"head_dim 4, where the permutation is its own inverse", 4, 4, 0, 4, 2},
      {"k weight, a window in the middle of the head", 12, 6, 3, 2, 2}};
  std::uint64_t seed = 0x7065726d;
  for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
    for (const Row& row : kRows) {
      const char* const direction =
          pairing == kInter ? ", LLaMA to HF" : ", HF to LLaMA";
      family.add(make_permutation(
                     dtype, {row.head_dim, row.rotary_dim, row.offset, pairing},
                     row.heads, row.columns, ++seed),
                 kTargets, row.comment + std::string(direction));
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
