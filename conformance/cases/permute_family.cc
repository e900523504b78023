#include "conformance/cases/bug_class.h"
#include "conformance/cases/counter_generator.h"
#include "conformance/cases/families.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::cases {

Group permute_family() {
  using reference::Format;
  using reference::Pairing;
  Group group;
  group.name = "permute";
  group.tier = "core";
  group.description =
      "Rows of weights and biases moved between the pairings, bit for bit. "
      "The model has 4 query heads and 2 key-value heads; head_dim 4, where "
      "the permutation is its own inverse, does not occur.";
  group.targets["weights/permuted-wrongly"] =
      bug_class("weights/permuted-wrongly");

  struct Row {
    const char* comment;
    reference::Layout layout;
    std::int64_t heads, columns;
    Format dtype;
  };
  constexpr Pairing kLlama = Pairing::kInterleaved;
  constexpr Pairing kHf = Pairing::kHalfSplit;
  using reference::leading;
  const Row rows[] = {
      {"q weight, LLaMA to HF", leading(8, 8, kLlama), 4, 3, Format::kF32},
      {"k weight, LLaMA to HF", leading(8, 8, kLlama), 2, 3, Format::kF32},
      {"q bias, LLaMA to HF", leading(8, 8, kLlama), 4, 1, Format::kF32},
      {"k bias, LLaMA to HF", leading(8, 8, kLlama), 2, 1, Format::kBF16},
      {"q weight, HF to LLaMA", leading(8, 8, kHf), 4, 3, Format::kBF16},
      {"k weight, HF to LLaMA", leading(16, 16, kHf), 2, 2, Format::kF32},
      {"k weight, LLaMA to HF", leading(16, 16, kLlama), 2, 2, Format::kBF16},
      {"q weight of a partial head", leading(12, 8, kLlama), 4, 2,
       Format::kF32}};
  for (const Row& row : rows) {
    PermuteCase c;
    const std::size_t number = group.permute_cases.size() + 1;
    c.id = "permute-00" + std::to_string(number);
    c.comment = row.comment;
    c.targets = {"weights/permuted-wrongly"};
    c.dtype = row.dtype;
    c.layout = row.layout;
    c.heads = row.heads;
    c.columns = row.columns;
    const auto size =
        static_cast<std::size_t>(row.heads * row.layout.head_dim * row.columns);
    for (std::size_t i = 0; i < size; ++i) {
      c.in.push_back(random_number(row.dtype, number, i));
    }
    c.out = reference::permute_rows<std::uint64_t>(
        row.layout, static_cast<std::size_t>(row.heads),
        static_cast<std::size_t>(row.columns), c.in);
    group.permute_cases.push_back(c);
  }
  return group;
}

}  // namespace ropeproof::conformance::cases
