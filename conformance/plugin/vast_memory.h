// vast_memory.h -- a dense buffer of many GiB that takes a few MiB of memory.
#pragma once

#include <cstddef>
#include <span>

#include "conformance/plugin/blocks.h"

namespace ropeproof::conformance::plugin {

// Address space all of which can be read and written, between guard zones.
// Ranges that somebody looks at have memory of their own; all else is the same
// kWindow bytes, again and again, whose contents mean nothing. Processes that
// are forked while it lives share it.
class VastMemory {
 public:
  static constexpr std::size_t kWindow = std::size_t{16} << 20;

  // `own`: in ascending order. Throws NoAddressSpace (sparse_memory.h). Cost: a
  // few us for each window.
  VastMemory(std::size_t bytes, std::span<const ByteRange> own);
  ~VastMemory();
  VastMemory(const VastMemory&) = delete;
  VastMemory& operator=(const VastMemory&) = delete;

  // The first of its bytes, which are zero; the last borders a guard page.
  std::byte* data() const { return data_; }

 private:
  std::byte *begin_ = nullptr, *data_ = nullptr;
  std::size_t total_ = 0;
};

}  // namespace ropeproof::conformance::plugin
