#include "conformance/call/call_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ropeproof::conformance::call {
namespace {

using cases::BufferEdge;
using plugin::ByteRange;

constexpr std::size_t kMostOnDevice = std::size_t{64} << 20;

// Each range, 64 bytes further on either side but within [0, end).
std::vector<ByteRange> with_zones(const std::vector<ByteRange>& ranges,
                                  std::size_t end) {
  std::vector<ByteRange> wider;
  for (const ByteRange& range : ranges) {
    const std::size_t begin = range.begin - std::min(range.begin, kZoneBytes);
    const std::size_t last = std::min(range.end + kZoneBytes, end);
    if (!wider.empty() && begin <= wider.back().end) {
      wider.back().end = last;
    } else {
      wider.push_back({begin, last});
    }
  }
  return wider;
}

void shift(std::vector<ByteRange>& ranges, std::size_t by) {
  for (ByteRange& range : ranges) {
    range.begin += by;
    range.end += by;
  }
}

}  // namespace

CallMemory::CallMemory(plugin::Kernel& kernel, std::size_t salt,
                       std::optional<cases::BufferEdge> edge, Contents contents)
    : kernel_(kernel),
      salt_(salt),
      edge_(edge),
      is_written_(contents == Contents::kWritten) {}

Array CallMemory::add(const std::string& name, const Rows& rows,
                      std::size_t width, Fill fill) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = extent(rows) * width;
  std::size_t zone_before = kZoneBytes, zone_after = kZoneBytes;
  const BufferEdge chosen = edge_.value_or(
      (salt_ >> buffers_.size() % 32) % 2 == 0 ? BufferEdge::kEnd
                                               : BufferEdge::kStart);
  plugin::Edge edge =
      chosen == BufferEdge::kEnd ? plugin::Edge::kEnd : plugin::Edge::kStart;
  if (chosen == BufferEdge::kUnaligned) {
    zone_before = width;
  } else if (kernel_.has_guards() && edge == plugin::Edge::kStart) {
    zone_before = 0;
  } else if (kernel_.has_guards()) {
    // What the kernel says that it reads, so that it reads no further.
    const std::size_t padding = kernel_.description().padding_bytes;
    zone_after = (padding + width - 1) / width * width;
  }
  const std::size_t total = zone_before + buffer.bytes + zone_after;
  std::byte* zone = nullptr;
  if (kernel_.is_on_device() && is_sparse(rows) && total > kMostOnDevice) {
    throw plugin::NoAddressSpace(
        "strides this long need more than 64 MiB a buffer on a device");
  }
  if (is_sparse(rows) && !kernel_.is_on_device()) {
    // A kernel of this process that miscounts shall find memory.
    if (!kernel_.has_guards()) edge = plugin::Edge::kStart;
    buffer.watched = ranges_of(rows, width);
    shift(buffer.watched, zone_before);
    buffer.watched = with_zones(buffer.watched, total);
    zone = kernel_.sparse().allocate(total, edge, buffer.watched);
  } else {
    buffer.watched = {{0, total}};
    zone = kernel_.allocate_at(edge, total);
  }
  const int byte =
      fill == Fill::kFinite
          ? 0xa5
          : cases::kOutputFills[(salt_ >> (buffers_.size() + 9) % 32) % 2];
  for (const ByteRange& range : is_written_ ? buffer.watched : Ranges()) {
    std::memset(zone + range.begin, byte, range.size());
  }
  buffer.zone_before = zone_before;
  buffer.data = zone + zone_before;
  buffers_.push_back(std::move(buffer));
  return {rows, width, buffers_.back().data, buffers_.size() - 1};
}

Array CallMemory::add_input(const std::string& name, const Rows& rows,
                            std::size_t width, const cases::Bits& bits,
                            std::optional<std::uint64_t> gap) {
  const Array array = add(name, rows, width, Fill::kFinite);
  if (gap && is_written_) {
    const Buffer& buffer = buffers_.back();
    for (const ByteRange& range : buffer.watched) {
      const std::size_t count = range.size() / width;
      Array all = array;
      all.data = buffer.data - buffer.zone_before + range.begin;
      all.rows = {{1, 1, 1}, static_cast<std::int64_t>(count), {}};
      write(all, cases::Bits(count, *gap));
    }
  }
  fill_in(array, bits);
  return array;
}

const double* CallMemory::add_doubles(const std::string& name,
                                      const std::vector<double>& values) {
  cases::Bits bits;
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return add_list<double>(name, bits);
}

void CallMemory::fill_in(const Array& array, const cases::Bits& bits) {
  if (is_written_) write(array, bits);
}

Array CallMemory::add_output(const std::string& name, const Rows& rows,
                             std::size_t width) {
  const Array array = add(name, rows, width, Fill::kOutput);
  mark_output(array);
  return array;
}

void CallMemory::mark_output(const Array& array) {
  Buffer& buffer = buffers_[array.buffer];
  Ranges ranges = ranges_of(array.rows, array.width);
  shift(ranges, buffer.zone_before +
                    static_cast<std::size_t>(array.data - buffer.data));
  const auto middle =
      static_cast<Ranges::difference_type>(buffer.outputs.size());
  buffer.outputs.insert(buffer.outputs.end(), ranges.begin(), ranges.end());
  std::ranges::inplace_merge(buffer.outputs, buffer.outputs.begin() + middle,
                             {}, &ByteRange::begin);
}

void CallMemory::snapshot() {
  for (Buffer& buffer : buffers_) {
    const std::byte* const begin = buffer.data - buffer.zone_before;
    buffer.before.clear();
    for (const ByteRange& range : buffer.watched) {
      buffer.before.insert(buffer.before.end(), begin + range.begin,
                           begin + range.end);
    }
  }
}

std::optional<std::size_t> CallMemory::find_change(const Buffer& buffer,
                                                   Watch watch) {
  const std::byte* const after = buffer.data - buffer.zone_before;
  const std::byte* before = buffer.before.data();
  auto output = buffer.outputs.begin();
  const auto end =
      watch == Watch::kOutsideOutputs ? buffer.outputs.end() : output;
  for (const ByteRange& range : buffer.watched) {
    for (std::size_t at = range.begin; at < range.end;) {
      // Up to the next output, or the range's end; then the output.
      while (output != end && output->end <= at) ++output;
      const std::size_t stop =
          output == end ? range.end : std::clamp(output->begin, at, range.end);
      const std::byte* const was = before + (at - range.begin);
      if (std::memcmp(after + at, was, stop - at) != 0) {
        return std::mismatch(was, was + (stop - at), after + at).second - after;
      }
      at = stop == range.end ? stop : std::min(output->end, range.end);
    }
    before += range.size();
  }
  return std::nullopt;
}

Stray CallMemory::find_stray(Watch watch) const {
  using plugin::Trespass;
  for (const Buffer& buffer : buffers_) {
    const auto change = find_change(buffer, watch);
    if (!change) continue;
    if (*change < buffer.zone_before) {
      return {Trespass::kOther, "wrote before the start of " + buffer.name};
    }
    const std::size_t at = *change - buffer.zone_before;
    if (at >= buffer.bytes) {
      return {Trespass::kWrotePastEnd, "wrote past the end of " + buffer.name};
    }
    const std::string text =
        "changed byte " + std::to_string(at) + " of " + buffer.name;
    if (watch == Watch::kEverything) return {Trespass::kOther, text};
    return {Trespass::kWroteInside, text + ", which is no output"};
  }
  return {};
}

Stray CallMemory::name_fault(const plugin::Fault& fault) const {
  using Access = plugin::Fault::Access;
  using plugin::Trespass;
  constexpr std::uintptr_t kReach = 4096;
  std::uintptr_t nearest = kReach;
  Stray stray;
  const auto [verb, past_end] =
      fault.access == Access::kWrite
          ? std::pair{"wrote", Trespass::kWrotePastEnd}
      : fault.access == Access::kRead
          ? std::pair{"read", Trespass::kReadPastEnd}
          : std::pair{"reached", Trespass::kOther};
  for (const Buffer& buffer : buffers_) {
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.data);
    const std::uintptr_t end = start + buffer.bytes;
    if (fault.address >= end && fault.address - end < nearest) {
      nearest = fault.address - end;
      stray = {past_end, std::string(verb) + " past the end of " + buffer.name +
                             ", at byte " +
                             std::to_string(fault.address - start) + " of " +
                             std::to_string(buffer.bytes)};
    } else if (fault.address < start && start - fault.address < nearest) {
      nearest = start - fault.address;
      stray = {Trespass::kOther, std::string(verb) + " before the start of " +
                                     buffer.name + ", at byte -" +
                                     std::to_string(start - fault.address)};
    }
  }
  return stray;
}

}  // namespace ropeproof::conformance::call
