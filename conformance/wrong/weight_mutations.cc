// The operation permute: which row of a weight goes where.
#include <numeric>
#include <vector>

#include "conformance/wrong/mutation_lists.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Layout;
using Source = std::vector<std::size_t>;

Source identity(const Layout& layout) {
  Source source(static_cast<std::size_t>(layout.head_dim));
  std::iota(source.begin(), source.end(), std::size_t{0});
  return source;
}

Source inverse(const Layout& layout) {
  const Source due = reference::channel_permutation(layout);
  Source source(due.size());
  for (std::size_t t = 0; t < due.size(); ++t) source[due[t]] = t;
  return source;
}

Source twice(const Layout& layout) {
  const Source due = reference::channel_permutation(layout);
  Source source;
  for (const std::size_t t : due) source.push_back(due[t]);
  return source;
}

// The rows beside the window as well, or from the front.
Source of_layout(Layout layout, void (*change)(Layout&)) {
  change(layout);
  return reference::channel_permutation(layout);
}

constexpr const char* kPermuted = "weights/permuted-wrongly";

Mutation reordered(const char* name, const char* source, const char* advice,
                   Source (*permutation)(const Layout&)) {
  return Slip{kPermuted, 3, advice}(name, source,
                                    set(&Pipeline::permutation, permutation));
}

Mutation misread(const char* name, const char* source, const char* advice,
                 void (*change)(AbiProblem&)) {
  return Slip{kPermuted, 3, advice}(name, source,
                                    set(&Pipeline::misread, [=](AbiProblem& p) {
                                      if (p.operation == ROPEPROOF_PERMUTE)
                                        change(p);
                                    }));
}

// The same rows, as so many heads; where the whole head rotates.
template <int kTimes, int kOver>
void regroup(AbiProblem& p) {
  if (p.rotary_dim != p.head_dim || p.pairing_blocks > 1 ||
      p.permute_heads * kTimes % kOver != 0 ||
      p.head_dim * kOver % kTimes != 0 ||
      p.head_dim * kOver / kTimes % 2 != 0) {
    return;
  }
  p.permute_heads = p.permute_heads * kTimes / kOver;
  p.head_dim = p.rotary_dim = p.head_dim * kOver / kTimes;
}

}  // namespace

Mutations weight_mutations() {
  constexpr const char* kCount =
      "k and v have their own number of heads: head_dim rows are a head";
  return {
      reordered("weight not permuted", "jzhang38/TinyLlama#24",
                "permute q, k and their biases and norms alike", identity),
      reordered(
          "inverse permutation of the weight", "onnxruntime/mobius#396",
          "row t of the result is row source(t); check with head_dim > 4, "
          "where the two differ",
          inverse),
      reordered("weight permuted twice", "onnxruntime/mobius#396",
                "look whether the file is permuted already", twice),
      reordered("whole heads of the weight permuted", "of: whole head rotated",
                "only the rows of the rotary window move",
                [](const Layout& layout) {
                  return of_layout(layout, [](Layout& l) {
                    l.rotary_offset = 0;
                    l.rotary_dim = l.head_dim / 2 * 2;
                  });
                }),
      reordered("rows of the weight permuted from the first on",
                "of: window at the front, whatever the offset",
                "the window begins at rotary_offset",
                [](const Layout& layout) {
                  return of_layout(layout,
                                   [](Layout& l) { l.rotary_offset = 0; });
                }),
      misread("weight permuted as twice as many heads",
              "huggingface/transformers#31766", kCount, regroup<2, 1>),
      misread("weight permuted as four times as many heads",
              "of: weight permuted as twice as many heads", kCount,
              regroup<4, 1>),
      misread("weight permuted as half as many heads",
              "of: weight permuted as twice as many heads", kCount,
              regroup<1, 2>),
      misread("weight permuted as a quarter as many heads",
              "of: weight permuted as twice as many heads", kCount,
              regroup<1, 4>),
      misread("weight permuted as one head",
              "of: weight permuted as half as many heads", kCount,
              [](AbiProblem& p) {
                if (p.rotary_dim != p.head_dim || p.pairing_blocks > 1) return;
                p.head_dim = p.rotary_dim = p.head_dim * p.permute_heads;
                p.permute_heads = 1;
              }),
      misread("last head of the weight not written",
              "of: last head not written", kCount,
              [](AbiProblem& p) { --p.permute_heads; }),
      {"NaNs of the weight made quiet", "engine: x-transformers 2.31.10",
       "value/special-mishandled", 3, "copy bits, not numbers",
       set(&Pipeline::permutes_numbers, true)},
      misread("weight not written", "of: weight not permuted",
              "look whether the conversion reaches it",
              [](AbiProblem& p) { p.permute_heads = 0; })};
}

}  // namespace ropeproof::conformance::wrong
