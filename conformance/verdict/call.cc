#include "conformance/verdict/call.h"

#include <algorithm>
#include <cstring>

#include "conformance/corpus/words.h"

namespace ropeproof::conformance {
namespace {

using reference::Format;
using reference::Shape;
using reference::Strides;

constexpr std::size_t kZoneBytes = 64;
constexpr std::byte kOnes{0xff};    // a NaN in every format
constexpr std::byte kFinite{0xa5};  // about -3e-16 in f32 and bf16

// Gaps of a strided layout after each head, token and batch row, in elements:
// odd, so that no row stays aligned, and others for outputs than for inputs.
constexpr Strides kInputGaps{7, 5, 3}, kOutputGaps{13, 11, 9};

void store(std::byte* target, std::uint64_t bits, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    target[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  }
}

std::uint64_t load(const std::byte* source, std::size_t width) {
  std::uint64_t bits = 0;
  for (std::size_t i = width; i-- > 0;) {
    bits = bits << 8 | std::to_integer<std::uint64_t>(source[i]);
  }
  return bits;
}

Strides with_gaps(const Shape& shape, std::int64_t head_dim,
                  const Strides& gaps) {
  const std::int64_t head = head_dim + gaps.head;
  const std::int64_t token = shape.heads * head + gaps.token;
  return {shape.seq * token + gaps.batch, token, head};
}

// Calls f(element offset) for every element, in row-major order.
template <class F>
void for_each_element(const Shape& shape, const Strides& strides,
                      std::int64_t head_dim, const F& f) {
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        for (std::int64_t t = 0; t < head_dim; ++t) {
          f(static_cast<std::size_t>(b * strides.batch + s * strides.token +
                                     h * strides.head + t));
        }
      }
    }
  }
}

}  // namespace

std::size_t Call::add_buffer(const std::string& name, std::size_t bytes,
                             std::byte fill) {
  std::byte* zone = kernel_.allocate(bytes + 2 * kZoneBytes);
  std::memset(zone, static_cast<int>(fill), bytes + 2 * kZoneBytes);
  buffers_.push_back(
      {name, zone + kZoneBytes, bytes, {}, std::vector<bool>(bytes, false)});
  return buffers_.size() - 1;
}

std::size_t Call::add_input(const std::string& name, const Bits& bits,
                            std::size_t width) {
  const std::size_t buffer = add_buffer(name, bits.size() * width, kFinite);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    store(buffers_[buffer].data + i * width, bits[i], width);
  }
  return buffer;
}

std::size_t Call::add_output(const std::string& name, std::size_t count,
                             std::size_t width) {
  const std::size_t buffer = add_buffer(name, count * width, kOnes);
  buffers_[buffer].writable.assign(count * width, true);
  return buffer;
}

Call::Tensor Call::add_tensor(const std::string& name, const Bits& bits,
                              std::int64_t heads) {
  const bool strided =
      memory_ == Memory::kStrided || memory_ == Memory::kStridedInPlace;
  const bool in_place =
      memory_ == Memory::kInPlace || memory_ == Memory::kStridedInPlace;
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
  tensor.in = add_buffer(name, bytes(tensor.in_strides), kFinite);
  tensor.out =
      in_place ? tensor.in
               : add_buffer(name + ".out", bytes(tensor.out_strides), kOnes);
  std::size_t i = 0;
  for_each_element(tensor.shape, tensor.in_strides, d, [&](std::size_t offset) {
    store(buffers_[tensor.in].data + offset * width_, bits[i++], width_);
  });
  for_each_element(
      tensor.shape, tensor.out_strides, d, [&](std::size_t offset) {
        std::fill_n(buffers_[tensor.out].writable.begin() +
                        static_cast<std::ptrdiff_t>(offset * width_),
                    width_, true);
      });
  return tensor;
}

void Call::describe(const Tensor& tensor, ropeproof_tensor& target) const {
  const Strides &in = tensor.in_strides, &out = tensor.out_strides;
  target = {buffers_[tensor.in].data,
            buffers_[tensor.out].data,
            tensor.shape.heads,
            in.batch,
            in.token,
            in.head,
            out.batch,
            out.token,
            out.head};
}

// Given tables are the goldens, each rounded once to the table's dtype.
void Call::add_tables(std::uint32_t operation, Format table) {
  table_width_ = bytes_of(table);
  problem_.table_dtype = abi_dtype(table);
  const std::size_t count = case_->cos.size();
  if (operation == ROPEPROOF_TABLE) {
    cos_ = add_output("cos", count, table_width_);
    sin_ = add_output("sin", count, table_width_);
  } else {
    const auto rounded = [&](const Bits& goldens) {
      Bits bits;
      for (const std::uint64_t golden : goldens) {
        bits.push_back(encode(table, decode(Format::kF64, golden)));
      }
      return bits;
    };
    cos_ = add_input("cos", rounded(case_->cos), table_width_);
    sin_ = add_input("sin", rounded(case_->sin), table_width_);
  }
  problem_.cos = buffers_[*cos_].data;
  problem_.sin = buffers_[*sin_].data;
  problem_.table_token_stride = case_->pairs();
  problem_.table_batch_stride = case_->pairs() * case_->seq;
}

Call::Call(Kernel& kernel, std::uint32_t operation, const RopeCase& c,
           Format table)
    : kernel_(kernel), case_(&c), memory_(c.memory), width_(bytes_of(c.dtype)) {
  if (!kernel.shares_memory()) memory_ = Memory::kDense;
  const bool out_of_place =
      (kernel.description().features & ROPEPROOF_OUT_OF_PLACE) != 0;
  if (memory_ == Memory::kDense && !out_of_place) memory_ = Memory::kInPlace;

  const reference::Layout& layout = c.spec.layout;
  problem_.struct_size = sizeof problem_;
  problem_.operation = operation;
  problem_.batch = c.batch;
  problem_.seq = c.seq;
  problem_.rotary_dim = layout.rotary_dim;
  // frequencies and table are the same for every layout and direction.
  const bool has_tensors =
      operation == ROPEPROOF_ROTATE || operation == ROPEPROOF_ROPE;
  if (has_tensors) {
    problem_.dtype = abi_dtype(c.dtype);
    problem_.pairing = abi_pairing(layout.pairing);
    problem_.direction = static_cast<std::int32_t>(c.spec.direction);
    problem_.head_dim = layout.head_dim;
    problem_.rotary_offset = layout.rotary_offset;
    problem_.pair_distance = layout.pair_distance;
    problem_.pairing_blocks = layout.blocks > 1 ? layout.blocks : 0;
  } else {
    problem_.direction = 1;
    problem_.head_dim = layout.rotary_dim;
  }
  const bool follows_base = c.spec.frequencies.inv_freq.empty() &&
                            c.spec.frequencies.exponents.empty() &&
                            c.spec.frequencies.bases.empty();
  problem_.base = follows_base ? c.spec.frequencies.base : 0;
  problem_.amplitude = c.amplitude;
  add_scaling();

  if (operation == ROPEPROOF_FREQUENCIES) {
    table_width_ = bytes_of(table);
    problem_.table_dtype = abi_dtype(table);
    output_count_ = static_cast<std::size_t>(c.pairs());
    inv_freq_ = add_output("inv_freq_out", output_count_, table_width_);
    problem_.inv_freq_out = buffers_[*inv_freq_].data;
    return;
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROTATE) {
    add_tables(operation, table);
  }
  if (operation != ROPEPROOF_ROTATE) add_angles();
  if (operation != ROPEPROOF_TABLE) {
    q_ = add_tensor("q", c.q, c.q_heads);
    if (c.k_heads > 0) k_ = add_tensor("k", c.k, c.k_heads);
  }
}

Call::Call(Kernel& kernel, const PermuteCase& c)
    : kernel_(kernel), width_(bytes_of(c.dtype)) {
  problem_.struct_size = sizeof problem_;
  problem_.operation = ROPEPROOF_PERMUTE;
  problem_.dtype = abi_dtype(c.dtype);
  problem_.pairing = abi_pairing(c.layout.pairing);
  problem_.direction = 1;
  problem_.head_dim = c.layout.head_dim;
  problem_.rotary_dim = c.layout.rotary_dim;
  problem_.rotary_offset = c.layout.rotary_offset;
  problem_.amplitude = 1;
  problem_.permute_heads = c.heads;
  problem_.permute_columns = c.columns;
  const std::size_t in = add_input("permute_in", c.in, width_);
  output_count_ = c.in.size();
  permuted_ = add_output("permute_out", output_count_, width_);
  problem_.permute_in = buffers_[in].data;
  problem_.permute_out = buffers_[*permuted_].data;
}

Answer Call::run(Output& output) {
  snapshot();
  const bool together =
      (kernel_.description().features & ROPEPROOF_KEYS) != 0 || !k_;
  if (q_) describe(*q_, problem_.q);
  if (k_ && together) describe(*k_, problem_.k);
  Answer answer = kernel_.run(problem_);
  if (answer.outcome == Outcome::kOk && !together) {
    describe(*k_, problem_.q);
    answer = kernel_.run(problem_);
  }
  if (answer.outcome != Outcome::kOk) return answer;

  output.stray = find_stray();
  if (q_) output.q = read(*q_);
  if (k_) output.k = read(*k_);
  if (problem_.operation == ROPEPROOF_TABLE) {
    output.cos = read(*cos_, case_->cos.size(), table_width_);
    output.sin = read(*sin_, case_->sin.size(), table_width_);
  }
  if (inv_freq_) {
    output.inv_freq = read(*inv_freq_, output_count_, table_width_);
  }
  if (permuted_) output.permuted = read(*permuted_, output_count_, width_);
  return answer;
}

Bits Call::read(const Tensor& tensor) const {
  Bits bits;
  for_each_element(tensor.shape, tensor.out_strides,
                   case_->spec.layout.head_dim, [&](std::size_t offset) {
                     bits.push_back(load(
                         buffers_[tensor.out].data + offset * width_, width_));
                   });
  return bits;
}

Bits Call::read(std::size_t buffer, std::size_t count,
                std::size_t width) const {
  Bits bits;
  for (std::size_t i = 0; i < count; ++i) {
    bits.push_back(load(buffers_[buffer].data + i * width, width));
  }
  return bits;
}

void Call::snapshot() {
  for (Buffer& buffer : buffers_) {
    const std::byte* begin = buffer.data - kZoneBytes;
    buffer.before.assign(begin, begin + buffer.bytes + 2 * kZoneBytes);
  }
}

std::string Call::find_stray() const {
  for (const Buffer& buffer : buffers_) {
    const std::byte* after = buffer.data - kZoneBytes;
    for (std::size_t i = 0; i < buffer.before.size(); ++i) {
      if (after[i] == buffer.before[i]) continue;
      if (i < kZoneBytes) return "wrote before the start of " + buffer.name;
      const std::size_t at = i - kZoneBytes;
      if (at >= buffer.bytes) return "wrote past the end of " + buffer.name;
      if (!buffer.writable[at]) {
        return "changed byte " + std::to_string(at) + " of " + buffer.name +
               ", which is no output";
      }
    }
  }
  return {};
}

}  // namespace ropeproof::conformance
