#include "conformance/plugin/vast_memory.h"

#include <sys/mman.h>

#include "conformance/plugin/sparse_memory.h"

namespace ropeproof::conformance::plugin {

#if defined(MREMAP_FIXED) && defined(MAP_NORESERVE)

namespace {

// What an index that has become negative reaches: 2^31 elements of 8 bytes.
constexpr std::size_t kBefore = std::size_t{16} << 30;

}  // namespace

VastMemory::VastMemory(std::size_t bytes, std::span<const ByteRange> own) {
  const std::size_t windows = (bytes + kWindow - 1) / kWindow;
  total_ = kBefore + (windows + 1) * kWindow;  // the last one guards the end
  void* const all = mmap(nullptr, total_, PROT_NONE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw NoAddressSpace();
  begin_ = static_cast<std::byte*>(all);
  std::byte* const first = begin_ + kBefore;
  data_ = first + windows * kWindow - bytes;
  bool is_ready =
      madvise(begin_, total_, MADV_DONTDUMP) == 0 &&
      mprotect(first, windows * kWindow, PROT_READ | PROT_WRITE) == 0;
  const auto has_own = [&](std::size_t begin, std::size_t end) {
    for (const ByteRange& range : own) {
      const auto shift = static_cast<std::size_t>(data_ - first);
      if (range.begin + shift < end && range.end + shift > begin) return true;
    }
    return false;
  };
  const std::byte* repeated = nullptr;
  for (std::size_t i = 0; is_ready && i < windows; ++i) {
    std::byte* const window = first + i * kWindow;
    if (has_own(i * kWindow, (i + 1) * kWindow)) continue;
    if (repeated == nullptr) {
      repeated = window;
      continue;
    }
    // A length of 0 maps what is shared a second time.
    is_ready = mremap(const_cast<std::byte*>(repeated), 0, kWindow,
                      MREMAP_MAYMOVE | MREMAP_FIXED, window) == window;
  }
  if (is_ready) return;
  munmap(begin_, total_);
  throw NoAddressSpace();
}

VastMemory::~VastMemory() { munmap(begin_, total_); }

#else

VastMemory::VastMemory(std::size_t, std::span<const ByteRange>) {
  throw NoAddressSpace();
}
VastMemory::~VastMemory() = default;

#endif

}  // namespace ropeproof::conformance::plugin
