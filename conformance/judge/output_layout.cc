#include "conformance/judge/output_layout.h"

#include <algorithm>
#include <bit>

namespace ropeproof::conformance::judge {
namespace {

bool is_table(std::uint32_t operation) {
  return operation == ROPEPROOF_TABLE || operation == ROPEPROOF_FREQUENCIES;
}

// Whether the angle of a pair is zero.
bool is_origin(const cases::Problem& problem, std::int64_t token,
               std::int64_t j) {
  for (std::int64_t k = 0; k < problem.spec.axes.count; ++k) {
    const double w = weight(problem.spec.axes, problem.pairs(), k, j);
    if (w * problem.position(k, token) != 0) return false;
  }
  return true;
}

std::vector<OutputTensor> tensors_of(const cases::Problem& problem,
                                     const cases::Golden& golden,
                                     std::uint32_t operation,
                                     const Output& output) {
  static const cases::Bits kNone;
  switch (operation) {
    case ROPEPROOF_PERMUTE:
      return {{Tensor::kPermuted, golden.q, kNone, output.q}};
    case ROPEPROOF_FREQUENCIES:
      return {{Tensor::kInvFreq, golden.inv_freq_hi, kNone, output.inv_freq}};
    case ROPEPROOF_TABLE:
      return {{Tensor::kCos, golden.cos, golden.cos_lo, output.cos},
              {Tensor::kSin, golden.sin, golden.sin_lo, output.sin}};
    default:
      return {{Tensor::kQ, golden.q, golden.q_lo, output.q, &problem.q,
               problem.q_heads},
              {Tensor::kK, golden.k, golden.k_lo, output.k, &problem.k,
               problem.k_heads}};
  }
}

}  // namespace

Channels::Channels(const reference::Spec& spec)
    : pair_of(static_cast<std::size_t>(spec.layout.head_dim), -1) {
  for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
    from.push_back(source_pair(spec, j));
    to.push_back(target_pair(spec, j));
    pair_of[static_cast<std::size_t>(to.back().u)] = j;
    pair_of[static_cast<std::size_t>(to.back().v)] = j;
  }
  for (std::int64_t t = 0; t < spec.layout.head_dim; ++t) {
    if (pair_of[static_cast<std::size_t>(t)] < 0) outside.push_back(t);
  }
}

OutputLayout::OutputLayout(const cases::Problem& problem,
                           const cases::Golden& golden, std::uint32_t operation,
                           const Claim& claim, const Output& output)
    : problem_(problem),
      operation_(operation),
      format_(is_table(operation) ? claim.table : problem.dtype),
      tensors_(tensors_of(problem, golden, operation, output)),
      channels_(problem.spec) {
  for (OutputTensor& tensor : tensors_) {
    tensor.first = elements_;
    elements_ += tensor.size();
  }
}

Element OutputLayout::element(std::int64_t index) const {
  const OutputTensor& tensor = *std::ranges::find_if(
      tensors_,
      [&](const OutputTensor& t) { return index < t.first + t.size(); });
  const std::int64_t i = index - tensor.first;
  const std::int64_t d = problem_.spec.layout.head_dim;
  const auto at = static_cast<std::size_t>(i);
  Element e;
  e.tensor = tensor.name;
  e.format = format_;
  e.got_bits = tensor.got[at];
  e.got = decode(format_, e.got_bits);
  if (operation_ == ROPEPROOF_PERMUTE) {
    const std::int64_t row = i / problem_.seq;
    e.head = row / d;
    e.channel = row % d;
    e.token = i % problem_.seq;
    e.want_bits = tensor.golden[at];
    e.want = decode(format_, e.want_bits);
    return e;
  }
  std::int64_t token = 0;
  if (operation_ == ROPEPROOF_FREQUENCIES) {
    e.channel = e.pair = i;
    e.position = 1;
  } else if (tensor.x == nullptr) {
    e.channel = e.pair = i % problem_.pairs();
    token = i / problem_.pairs();
  } else {
    e.channel = i % d;
    e.pair = channels_.pair_of[static_cast<std::size_t>(e.channel)];
    e.head = i / d % tensor.heads;
    token = i / d / tensor.heads;
  }
  if (operation_ != ROPEPROOF_FREQUENCIES) {
    e.batch = token / problem_.seq;
    e.token = token % problem_.seq;
    const reference::Axes& axes = problem_.spec.axes;
    e.position =
        problem_.position(e.pair < 0 ? 0 : axis_of(axes, e.pair), token);
    e.is_origin = e.pair >= 0 && is_origin(problem_, token, e.pair);
  }
  const bool is_copied = e.pair < 0;  // its golden says nothing of a NaN
  e.want = std::bit_cast<double>(tensor.golden[at]);
  e.want_bits = is_copied ? (*tensor.x)[at] : encode(format_, e.want);
  if (is_copied) e.want = decode(format_, e.want_bits);
  return e;
}

}  // namespace ropeproof::conformance::judge
