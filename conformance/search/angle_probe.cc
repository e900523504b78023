#include "conformance/search/angle_probe.h"

#include <bit>
#include <cstring>

#include "conformance/plugin/words.h"
#include "reference/rope.h"

namespace ropeproof::conformance::search {
namespace {

constexpr int kOnes = 0xff;  // a NaN in every format

std::size_t size_of(std::int64_t count, std::size_t width) {
  return static_cast<std::size_t>(count) * width;
}

}  // namespace

AngleProbe::AngleProbe(plugin::Kernel& kernel, std::uint32_t operation,
                       reference::Format format, const reference::Spec& spec,
                       const std::vector<reference::WideGolden>& frequencies,
                       std::int64_t capacity)
    : kernel_(kernel),
      spec_(spec),
      pairs_(spec.layout.rotary_dim / 2),
      capacity_(capacity),
      width_(plugin::bytes_of(format)) {
  problem_.struct_size = sizeof problem_;
  problem_.operation = operation;
  problem_.direction = 1;
  problem_.batch = 1;
  problem_.head_dim = problem_.rotary_dim = spec.layout.rotary_dim;
  problem_.base = spec.frequencies.base;
  problem_.amplitude = 1;
  problem_.position_axes = 1;
  positions_ = reinterpret_cast<std::int64_t*>(
      kernel.allocate(size_of(capacity, sizeof *positions_)));
  problem_.positions = positions_;
  const auto allocate_frequencies = [&] {
    return reinterpret_cast<double*>(
        kernel.allocate(size_of(pairs_, sizeof(double))));
  };
  double* hi = allocate_frequencies();
  double* lo = allocate_frequencies();
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    hi[j] = std::bit_cast<double>(frequencies[j].hi);
    lo[j] = std::bit_cast<double>(frequencies[j].lo);
  }
  problem_.inv_freq = hi;
  problem_.inv_freq_lo = lo;
  if (operation == ROPEPROOF_TABLE) {
    problem_.table_dtype = plugin::abi_dtype(format);
    prepare_table();
  } else {
    problem_.dtype = plugin::abi_dtype(format);
    prepare_rope();
  }
}

void AngleProbe::prepare_table() {
  cos_ = kernel_.allocate(size_of(capacity_ * pairs_, width_));
  sin_ = kernel_.allocate(size_of(capacity_ * pairs_, width_));
  problem_.cos = cos_;
  problem_.sin = sin_;
  problem_.table_token_stride = pairs_;
}

void AngleProbe::prepare_rope() {
  const std::int64_t d = spec_.layout.head_dim;
  problem_.pairing = plugin::abi_pairing(spec_.layout.pairing);
  in_ = kernel_.allocate(size_of(capacity_ * d, width_));
  const bool out_of_place =
      (kernel_.description().features & ROPEPROOF_OUT_OF_PLACE) != 0;
  out_ = out_of_place ? kernel_.allocate(size_of(capacity_ * d, width_)) : in_;
  problem_.q = {in_, out_, 1, 0, d, d, 0, d, d};
}

plugin::Answer AngleProbe::ask(std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) positions_[i] = first + i;
  problem_.seq = count;
  problem_.position_axis_stride = problem_.position_batch_stride = count;
  if (cos_ != nullptr) {
    problem_.table_batch_stride = count * pairs_;
    for (std::byte* table : {cos_, sin_}) {
      std::memset(table, kOnes, size_of(count * pairs_, width_));
    }
    return kernel_.run(problem_);
  }
  const std::int64_t d = spec_.layout.head_dim;
  problem_.q.in_batch_stride = problem_.q.out_batch_stride = count * d;
  if (out_ != in_) std::memset(out_, kOnes, size_of(count * d, width_));
  std::memset(in_, 0, size_of(count * d, width_));
  const std::uint64_t one = encode(plugin::format_of(problem_.dtype), 1);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < pairs_; ++j) {
      const std::int64_t u = source_pair(spec_, j).u;
      std::memcpy(in_ + size_of(i * d + u, width_), &one, width_);
    }
  }
  return kernel_.run(problem_);
}

std::uint64_t AngleProbe::load(const std::byte* tensor,
                               std::int64_t element) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor + size_of(element, width_), width_);
  return bits;
}

std::uint64_t AngleProbe::cos(std::int64_t row, std::int64_t pair) const {
  if (cos_ != nullptr) return load(cos_, row * pairs_ + pair);
  return load(out_, row * spec_.layout.head_dim + target_pair(spec_, pair).u);
}

std::uint64_t AngleProbe::sin(std::int64_t row, std::int64_t pair) const {
  if (sin_ != nullptr) return load(sin_, row * pairs_ + pair);
  return load(out_, row * spec_.layout.head_dim + target_pair(spec_, pair).v);
}

}  // namespace ropeproof::conformance::search
