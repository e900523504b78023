// output_layout.h -- the tensors of an output, and what each element of it is.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/output.h"
#include "reference/rope.h"

namespace ropeproof::conformance::judge {

// One tensor of an output, beside its goldens.
struct OutputTensor {
  Tensor name;
  const cases::Bits &golden, &low, &got;
  const cases::Bits* x = nullptr;  // what q and k were rotated from
  std::int64_t heads = 1;
  std::int64_t first = 0;  // index of its first element in the output

  std::int64_t size() const { return static_cast<std::int64_t>(golden.size()); }
};

// The channels of each pair, read and written, and those of no pair.
struct Channels {
  std::vector<reference::Pair> from, to;
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> pair_of;  // -1 outside

  explicit Channels(const reference::Spec& spec);
};

// The elements of an output are numbered through its tensors. All arguments
// must outlive this.
class OutputLayout {
 public:
  OutputLayout(const cases::Problem& problem, const cases::Golden& golden,
               std::uint32_t operation, const Claim& claim,
               const Output& output);

  const std::vector<OutputTensor>& tensors() const { return tensors_; }
  const Channels& channels() const { return channels_; }
  reference::Format format() const { return format_; }  // of the elements
  std::int64_t elements() const { return elements_; }

  // Where element `index` lies, and what is there; without error and bound.
  Element element(std::int64_t index) const;

 private:
  const cases::Problem& problem_;
  std::uint32_t operation_;
  reference::Format format_;
  std::vector<OutputTensor> tensors_;
  std::int64_t elements_ = 0;
  Channels channels_;
};

}  // namespace ropeproof::conformance::judge
