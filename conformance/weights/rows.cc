#include "conformance/weights/rows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "conformance/judge/codec.h"

namespace ropeproof::conformance::weights {
namespace {

using reference::Format;

constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;  // bytes read at once

__extension__ typedef unsigned __int128 Wide;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t digest(std::span<const std::byte> bytes) {
  // Odd numbers without structure: digits of pi.
  std::uint64_t state = 0x243f6a8885a308d3 ^ bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min<std::size_t>(8, bytes.size());
    std::memcpy(&word, bytes.data(), size);
    state = mixed(state ^ word, 0x13198a2e03707345) + 0xa4093822299f31d1;
    bytes = bytes.subspan(size);
  }
  return mixed(state, 0x082efa98ec4e6c89);
}

template <Format kFrom, Format kTo>
void convert(std::span<const std::byte> from, std::vector<std::byte>& to) {
  constexpr std::size_t kIn = reference::traits(kFrom).total_bits / 8,
                        kOut = reference::traits(kTo).total_bits / 8;
  to.resize(from.size() / kIn * kOut);
  for (std::size_t i = 0; i < from.size() / kIn; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from.data() + i * kIn, kIn);
    bits = judge::fast_encode<kTo>(judge::fast_decode<kFrom>(bits));
    std::memcpy(to.data() + i * kOut, &bits, kOut);
  }
}

// Returns the first element that is a NaN, or how many there are.
template <Format kFormat>
std::size_t find_nan(std::span<const std::byte> bytes) {
  constexpr std::size_t kSize = reference::traits(kFormat).total_bits / 8;
  using Bits = std::conditional_t<
      kSize == 2, std::uint16_t,
      std::conditional_t<kSize == 4, std::uint32_t, std::uint64_t>>;
  constexpr auto kInfinity = static_cast<Bits>(
      kFormat == Format::kF64   ? 0x7ff0000000000000
      : kFormat == Format::kF16 ? 0x7c00
                                : std::uint64_t{0x7f80} << (8 * kSize - 16));
  constexpr auto kMagnitude = static_cast<Bits>(static_cast<Bits>(-1) >> 1);
  const std::size_t count = bytes.size() / kSize;
  const auto is_nan = [&](std::size_t i) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + i * kSize, kSize);
    return static_cast<Bits>(bits & kMagnitude) > kInfinity;
  };
  bool is_any = false;  // without a branch: compilers take vectors
  for (std::size_t i = 0; i < count; ++i) is_any |= is_nan(i);
  std::size_t first = is_any ? 0 : count;
  while (first < count && !is_nan(first)) ++first;
  return first;
}

}  // namespace

void refuse_nans(const Checkpoint& checkpoint, const Tensor& tensor,
                 const Rows& rows, std::uint64_t first,
                 std::span<const std::byte> bytes) {
  if (!tensor.type.format) return;
  judge::with_format(*tensor.type.format, [&]<Format kFormat>() {
    const std::size_t at = find_nan<kFormat>(bytes) * tensor.type.block_bytes;
    if (at >= bytes.size()) return;
    checkpoint.files[tensor.file].fail("\"" + tensor.name +
                                       "\" has a NaN in row " +
                                       std::to_string(first + at / rows.bytes) +
                                       "; weights have none: write it anew");
  });
}

std::optional<Rows> rows_of(const Tensor& tensor, Kind kind) {
  const bool has_rows =
      kind == Kind::kWeight || kind == Kind::kLoraA || kind == Kind::kLoraB;
  std::uint64_t inner = 1;
  if (has_rows && tensor.shape.size() > 1) inner = tensor.shape.back();
  if (tensor.bytes == 0 || inner % tensor.type.block_elems != 0) return {};
  const std::uint64_t bytes =
      inner / tensor.type.block_elems * tensor.type.block_bytes;
  return Rows{tensor.bytes / bytes, bytes};
}

bool converts(const ElementType& from, const ElementType& to) {
  return from.name == to.name || (from.format && to.format);
}

std::vector<std::uint64_t> digests(const Checkpoint& checkpoint,
                                   const Tensor& tensor, const Rows& rows,
                                   const ElementType& as) {
  std::vector<std::uint64_t> result;
  result.reserve(rows.count);
  const bool is_same = tensor.type.name == as.name;
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kPiece / rows.bytes);
  std::vector<std::byte> bytes, converted;
  for (std::uint64_t row = 0; row < rows.count; row += at_once) {
    const std::uint64_t count = std::min(at_once, rows.count - row);
    bytes.resize(count * rows.bytes);
    checkpoint.read(tensor, row * rows.bytes, bytes);
    refuse_nans(checkpoint, tensor, rows, row, bytes);
    if (!is_same) {
      judge::with_format(*tensor.type.format, [&]<Format kFrom>() {
        judge::with_format(*as.format, [&]<Format kTo>() {
          convert<kFrom, kTo>(bytes, converted);
        });
      });
      bytes.swap(converted);
    }
    const std::uint64_t width = bytes.size() / count;
    for (std::uint64_t i = 0; i < count; ++i) {
      result.push_back(digest(std::span(bytes).subspan(i * width, width)));
    }
  }
  return result;
}

}  // namespace ropeproof::conformance::weights
