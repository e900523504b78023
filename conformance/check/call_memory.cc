#include "conformance/check/call_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ropeproof::conformance::check {
namespace {

constexpr std::size_t kZoneBytes = 64;

// `width` bytes, little-endian.
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

// Calls f(address) for every element, in row-major order.
template <class F>
void for_each_element(const Array& array, const F& f) {
  const auto& [shape, length, strides] = array.rows;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t s = 0; s < shape.seq; ++s) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        for (std::int64_t t = 0; t < length; ++t) {
          f(array.data +
            static_cast<std::size_t>(b * strides.batch + s * strides.token +
                                     h * strides.head + t) *
                array.width);
        }
      }
    }
  }
}

// Elements from the first to the last.
std::size_t extent(const Rows& rows) {
  const auto& [shape, length, strides] = rows;
  if (shape.batch * shape.seq * shape.heads * length == 0) return 0;
  return static_cast<std::size_t>((shape.batch - 1) * strides.batch +
                                  (shape.seq - 1) * strides.token +
                                  (shape.heads - 1) * strides.head + length);
}

}  // namespace

Rows with_gaps(const reference::Shape& shape, std::int64_t length,
               const Strides& gaps) {
  const std::int64_t head = length + gaps.head;
  const std::int64_t token = shape.heads * head + gaps.token;
  return {shape, length, {shape.seq * token + gaps.batch, token, head}};
}

cases::Bits read(const Array& array) {
  cases::Bits bits;
  for_each_element(array, [&](const std::byte* element) {
    bits.push_back(load(element, array.width));
  });
  return bits;
}

void write(const Array& array, const cases::Bits& bits) {
  std::size_t i = 0;
  for_each_element(array, [&](std::byte* element) {
    store(element, bits[i++], array.width);
  });
}

CallMemory::CallMemory(plugin::Kernel& kernel, std::size_t salt,
                       std::optional<plugin::Edge> edge, bool is_unaligned)
    : kernel_(kernel), salt_(salt), edge_(edge), is_unaligned_(is_unaligned) {}

Array CallMemory::add(const std::string& name, const Rows& rows,
                      std::size_t width, std::size_t bytes, Fill fill) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  buffer.zone_before = buffer.zone_after = kZoneBytes;
  plugin::Edge edge = edge_.value_or((salt_ >> buffers_.size() % 32) % 2 == 0
                                         ? plugin::Edge::kEnd
                                         : plugin::Edge::kStart);
  if (is_unaligned_) {
    buffer.zone_before = width;
    edge = plugin::Edge::kStart;
  } else if (kernel_.has_guards() && edge == plugin::Edge::kStart) {
    buffer.zone_before = 0;
  } else if (kernel_.has_guards()) {
    // What the kernel says that it reads, so that it reads no further.
    const std::size_t padding = kernel_.description().padding_bytes;
    buffer.zone_after = (padding + width - 1) / width * width;
  }
  const std::size_t total = buffer.zone_before + bytes + buffer.zone_after;
  std::byte* const zone = kernel_.allocate_at(edge, total);
  std::memset(zone, static_cast<int>(fill), total);
  buffer.data = zone + buffer.zone_before;
  buffers_.push_back(std::move(buffer));
  return {rows, width, buffers_.back().data, buffers_.size() - 1};
}

Array CallMemory::add_input(const std::string& name, const Rows& rows,
                            std::size_t width, const cases::Bits& bits,
                            std::optional<std::uint64_t> gap) {
  const std::size_t count = extent(rows);
  const Array array = add(name, rows, width, count * width, Fill::kFinite);
  for (std::size_t i = 0; gap && i < count; ++i) {
    store(array.data + i * width, *gap, width);
  }
  write(array, bits);
  return array;
}

Array CallMemory::add_output(const std::string& name, const Rows& rows,
                             std::size_t width) {
  const Array array = add(name, rows, width, extent(rows) * width, Fill::kOnes);
  mark_output(array);
  return array;
}

void CallMemory::mark_output(const Array& array) {
  Buffer& buffer = buffers_[array.buffer];
  buffer.is_output.resize(buffer.bytes);
  for_each_element(array, [&](const std::byte* element) {
    std::fill_n(buffer.is_output.begin() + (element - buffer.data), array.width,
                std::uint8_t{1});
  });
}

void CallMemory::snapshot() {
  for (Buffer& buffer : buffers_) {
    const std::byte* const begin = buffer.data - buffer.zone_before;
    buffer.before.assign(
        begin, begin + buffer.zone_before + buffer.bytes + buffer.zone_after);
  }
}

std::string CallMemory::find_stray(bool outputs_may_change) const {
  for (const Buffer& buffer : buffers_) {
    const std::byte* const after = buffer.data - buffer.zone_before;
    const std::vector<std::byte>& before = buffer.before;
    if (std::memcmp(after, before.data(), before.size()) == 0) continue;
    const bool has_outputs = outputs_may_change && !buffer.is_output.empty();
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (after[i] == before[i]) continue;
      if (i < buffer.zone_before) {
        return "wrote before the start of " + buffer.name;
      }
      const std::size_t at = i - buffer.zone_before;
      if (at >= buffer.bytes) return "wrote past the end of " + buffer.name;
      if (has_outputs && buffer.is_output[at] != 0) continue;
      return "changed byte " + std::to_string(at) + " of " + buffer.name +
             (outputs_may_change ? ", which is no output" : "");
    }
  }
  return {};
}

std::string CallMemory::name_fault(const plugin::Fault& fault) const {
  constexpr std::uintptr_t kReach = 4096;
  std::uintptr_t nearest = kReach;
  std::string text;
  const char* const verb =
      fault.access == plugin::Fault::Access::kWrite  ? "wrote"
      : fault.access == plugin::Fault::Access::kRead ? "read"
                                                     : "reached";
  for (const Buffer& buffer : buffers_) {
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.data);
    const std::uintptr_t end = start + buffer.bytes;
    if (fault.address >= end && fault.address - end < nearest) {
      nearest = fault.address - end;
      text = std::string(verb) + " past the end of " + buffer.name +
             ", at byte " + std::to_string(fault.address - start) + " of " +
             std::to_string(buffer.bytes);
    } else if (fault.address < start && start - fault.address < nearest) {
      nearest = start - fault.address;
      text = std::string(verb) + " before the start of " + buffer.name +
             ", at byte -" + std::to_string(start - fault.address);
    }
  }
  return text;
}

}  // namespace ropeproof::conformance::check
