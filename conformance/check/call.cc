#include "conformance/check/call.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "conformance/check/call_layout.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::check {
namespace {

using reference::Format;
using reference::Shape;

constexpr std::size_t kZoneBytes = 64;
constexpr std::byte kOnes{0xff};  // a NaN in every format

// Gaps of a strided layout after each head, token and batch row, in elements:
// odd, so that no row stays aligned, and others for outputs than for inputs.
constexpr Strides kInputGaps{7, 5, 3}, kOutputGaps{13, 11, 9};

}  // namespace

std::size_t Call::add_buffer(const std::string& name, std::size_t bytes,
                             std::size_t width, std::byte fill) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  buffer.zone_before = buffer.zone_after = kZoneBytes;
  plugin::Edge edge = placement_.edge.value_or(
      (salt_ + buffers_.size()) % 2 == 0 ? plugin::Edge::kEnd
                                         : plugin::Edge::kStart);
  if (placement_.is_unaligned) {
    buffer.zone_before = width;
    edge = plugin::Edge::kStart;
  } else if (kernel_.has_guards()) {
    (edge == plugin::Edge::kEnd ? buffer.zone_after : buffer.zone_before) = 0;
  }
  const std::size_t total = buffer.zone_before + bytes + buffer.zone_after;
  std::byte* const zone = kernel_.allocate_at(edge, total);
  std::memset(zone, static_cast<int>(fill), total);
  buffer.data = zone + buffer.zone_before;
  buffers_.push_back(std::move(buffer));
  return buffers_.size() - 1;
}

std::size_t Call::add_input(const std::string& name, const cases::Bits& bits,
                            std::size_t width) {
  const std::size_t buffer =
      add_buffer(name, bits.size() * width, width, kFinite);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    store(buffers_[buffer].data + i * width, bits[i], width);
  }
  return buffer;
}

std::size_t Call::add_output(const std::string& name, std::size_t count,
                             std::size_t width) {
  const std::size_t buffer = add_buffer(name, count * width, width, kOnes);
  buffers_[buffer].kind = Buffer::kOutput;
  return buffer;
}

// Fills in the inputs and marks the outputs.
void Call::fill_tensor(const Tensor& tensor, const cases::Bits& bits) {
  const std::int64_t d = case_->spec.layout.head_dim;
  std::byte* const in = buffers_[tensor.in].data + tensor.in_at * width_;
  std::size_t i = 0;
  for_each_element(tensor.shape, tensor.in_strides, d, [&](std::size_t offset) {
    store(in + offset * width_, bits[i++], width_);
  });
  Buffer& out = buffers_[tensor.out];
  if (out.bytes == bits.size() * width_) {
    out.kind = Buffer::kOutput;
    return;
  }
  out.kind = Buffer::kMixed;
  out.is_output.resize(out.bytes);
  for_each_element(
      tensor.shape, tensor.out_strides, d, [&](std::size_t offset) {
        std::fill_n(
            out.is_output.begin() +
                static_cast<std::ptrdiff_t>((tensor.out_at + offset) * width_),
            width_, std::uint8_t{1});
      });
}

Call::Tensor Call::add_tensor(const std::string& name, const cases::Bits& bits,
                              std::int64_t heads) {
  const bool strided = memory_ == cases::Memory::kStrided ||
                       memory_ == cases::Memory::kStridedInPlace;
  const bool in_place = memory_ == cases::Memory::kInPlace ||
                        memory_ == cases::Memory::kStridedInPlace;
  const std::int64_t d = case_->spec.layout.head_dim;
  Tensor tensor;
  tensor.shape = {case_->batch, case_->seq, heads};
  const Strides none{};
  tensor.in_strides = with_gaps(tensor.shape, d, strided ? kInputGaps : none);
  tensor.out_strides =
      in_place ? tensor.in_strides
               : with_gaps(tensor.shape, d, strided ? kOutputGaps : none);
  const auto bytes = [&](const Strides& strides) {
    return static_cast<std::size_t>(case_->batch * strides.batch) * width_;
  };
  tensor.in = add_buffer(name, bytes(tensor.in_strides), width_, kFinite);
  tensor.out = in_place ? tensor.in
                        : add_buffer(name + ".out", bytes(tensor.out_strides),
                                     width_, kOnes);
  fill_tensor(tensor, bits);
  return tensor;
}

// What one matrix product leaves: q, k and v of a token in one row. A kernel
// without calls in place gets outputs of the same form.
void Call::add_fused() {
  const std::int64_t d = case_->spec.layout.head_dim;
  const std::int64_t v_heads = std::max(case_->k_heads, std::int64_t{1});
  const std::int64_t heads = case_->q_heads + case_->k_heads + v_heads;
  const Strides strides{case_->seq * heads * d, heads * d, d};
  const auto bytes =
      static_cast<std::size_t>(case_->batch * strides.batch) * width_;
  const bool in_place = memory_ == cases::Memory::kStridedInPlace;
  const std::size_t in = add_buffer("q, k and v", bytes, width_, kFinite);
  const std::size_t out =
      in_place ? in : add_buffer("q, k and v.out", bytes, width_, kOnes);
  const auto add = [&](const cases::Bits& bits, std::int64_t count,
                       std::int64_t at) {
    const auto first = static_cast<std::size_t>(at * d);
    const Tensor tensor{{case_->batch, case_->seq, count},
                        strides,
                        strides,
                        in,
                        out,
                        first,
                        first};
    fill_tensor(tensor, bits);
    return tensor;
  };
  q_ = add(case_->q, case_->q_heads, 0);
  if (case_->k_heads > 0) k_ = add(case_->k, case_->k_heads, case_->q_heads);
}

void Call::describe(const Tensor& tensor, ropeproof_tensor& target) const {
  const Strides &in = tensor.in_strides, &out = tensor.out_strides;
  target = {buffers_[tensor.in].data + tensor.in_at * width_,
            buffers_[tensor.out].data + tensor.out_at * width_,
            tensor.shape.heads,
            in.batch,
            in.token,
            in.head,
            out.batch,
            out.token,
            out.head};
}

Call::Call(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::RopeCase& c, Format table, const Placement& placement)
    : kernel_(kernel),
      placement_(placement),
      salt_(std::accumulate(c.id.begin(), c.id.end(), std::size_t{operation})),
      case_(&c),
      memory_(placement.memory.value_or(c.memory)),
      width_(plugin::bytes_of(c.dtype)) {
  if (!kernel.shares_memory()) memory_ = cases::Memory::kDense;
  // A table has no tensors, so it is asked of kernels without strides too: they
  // get it dense.
  has_gaps_ = (memory_ == cases::Memory::kStrided ||
               memory_ == cases::Memory::kStridedInPlace) &&
              (kernel.description().features & ROPEPROOF_STRIDED) != 0;
  const bool out_of_place =
      (kernel.description().features & ROPEPROOF_OUT_OF_PLACE) != 0;
  if (memory_ == cases::Memory::kDense && !out_of_place)
    memory_ = cases::Memory::kInPlace;

  problem_ = plugin::problem_of(operation, c.spec, c.dtype, c.batch, c.seq);
  problem_.amplitude = c.amplitude;
  add_scaling();

  if (operation == ROPEPROOF_FREQUENCIES) {
    table_width_ = plugin::bytes_of(table);
    problem_.table_dtype = plugin::abi_dtype(table);
    output_count_ = static_cast<std::size_t>(c.pairs());
    inv_freq_ = add_output("inv_freq_out", output_count_, table_width_);
    problem_.inv_freq_out = buffers_[*inv_freq_].data;
    return;
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROTATE) {
    add_tables(operation, table);
  }
  if (operation != ROPEPROOF_ROTATE) add_angles();
  if (operation != ROPEPROOF_TABLE && placement.is_fused) {
    add_fused();
  } else if (operation != ROPEPROOF_TABLE) {
    q_ = add_tensor("q", c.q, c.q_heads);
    if (c.k_heads > 0) k_ = add_tensor("k", c.k, c.k_heads);
  }
}

Call::Call(plugin::Kernel& kernel, const cases::PermuteCase& c)
    : kernel_(kernel),
      salt_(std::accumulate(c.id.begin(), c.id.end(), std::size_t{0})),
      width_(plugin::bytes_of(c.dtype)) {
  reference::Spec spec;
  spec.layout = c.layout;
  problem_ = plugin::problem_of(ROPEPROOF_PERMUTE, spec, c.dtype, 0, 0);
  problem_.permute_heads = c.heads;
  problem_.permute_columns = c.columns;
  const std::size_t in = add_input("permute_in", c.in, width_);
  output_count_ = c.in.size();
  permuted_ = add_output("permute_out", output_count_, width_);
  problem_.permute_in = buffers_[in].data;
  problem_.permute_out = buffers_[*permuted_].data;
}

ropeproof_problem Call::begin() {
  snapshot();
  const bool together =
      (kernel_.description().features & ROPEPROOF_KEYS) != 0 || !k_;
  if (q_) describe(*q_, problem_.q);
  if (k_ && together) describe(*k_, problem_.k);
  return problem_;
}

plugin::Answer Call::run(judge::Output& output) {
  begin();
  plugin::Answer answer = kernel_.run(problem_);
  if (answer.outcome == plugin::Outcome::kOk && k_ && problem_.k.heads == 0) {
    describe(*k_, problem_.q);
    answer = kernel_.run(problem_);
  }
  return finish(std::move(answer), output);
}

plugin::Answer Call::finish(plugin::Answer answer, judge::Output& output) {
  if (answer.fault) {
    const std::string where = name_fault(*answer.fault);
    if (!where.empty()) answer.detail += ": " + where;
  }
  if (answer.outcome != plugin::Outcome::kOk) return answer;

  output.stray = find_stray(true);
  if (q_) output.q = read(*q_);
  if (k_) output.k = read(*k_);
  if (problem_.operation == ROPEPROOF_TABLE) {
    output.cos = read(*cos_, table_rows_, table_width_);
    output.sin = read(*sin_, table_rows_, table_width_);
  }
  if (inv_freq_) {
    output.inv_freq = read(*inv_freq_, output_count_, table_width_);
  }
  if (permuted_) output.permuted = read(*permuted_, output_count_, width_);
  return answer;
}

cases::Bits Call::read(const Tensor& tensor) const {
  const std::byte* out = buffers_[tensor.out].data + tensor.out_at * width_;
  cases::Bits bits;
  for_each_element(tensor.shape, tensor.out_strides,
                   case_->spec.layout.head_dim, [&](std::size_t offset) {
                     bits.push_back(load(out + offset * width_, width_));
                   });
  return bits;
}

cases::Bits Call::read(std::size_t buffer, std::size_t count,
                       std::size_t width) const {
  cases::Bits bits;
  for (std::size_t i = 0; i < count; ++i) {
    bits.push_back(load(buffers_[buffer].data + i * width, width));
  }
  return bits;
}

}  // namespace ropeproof::conformance::check
