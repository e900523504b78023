#include "conformance/plugin/sparse_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace ropeproof::conformance::plugin {

// Memory that goes back to the system by MADV_REMOVE, and stays out of core
// files, which would be as large as the address space.
#if defined(MADV_REMOVE) && defined(MADV_DONTDUMP) && defined(MAP_NORESERVE)

constexpr std::ptrdiff_t kPageTable = std::ptrdiff_t{2} << 20;  // what one maps

void SparseMemory::reserve(SharedPlace place) noexcept {
  if (begin_ != nullptr || sizeof(void*) < 8) return;
  page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  total_ = (kSlots + 2) * (kSlotBytes + page_);
  place_ = place;
  begin_ = map_shared(place_, total_, PROT_READ | PROT_WRITE);
  if (begin_ == nullptr) return;
  bool is_ready = madvise(begin_, total_, MADV_DONTDUMP) == 0;
  for (std::size_t i = 0; i <= kSlots; ++i) {
    is_ready =
        is_ready && mprotect(slot(i) + kSlotBytes, page_, PROT_NONE) == 0;
  }
  if (is_ready) return;
  unmap_shared(place_, begin_, total_);
  begin_ = nullptr;
}

SparseMemory::~SparseMemory() {
  if (begin_ != nullptr) unmap_shared(place_, begin_, total_);
}

// A kernel that miscounts may have written anywhere, so everything goes back,
// but only now and then: each slot costs .3 to 1 ms of page tables to look
// through. Parts of a slot with a page table (2 MiB) or less between them go
// back together.
void SparseMemory::release() {
  if (taken_ == 0) return;
  const auto give_back = [&](std::byte* begin, std::byte* end) {
    const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % page_;
    begin -= before;
    madvise(begin, static_cast<std::size_t>(end - begin), MADV_REMOVE);
  };
  if (++releases_ % kEvery == 0) {
    for (std::size_t i = 0; i < kSlots + 2; ++i) {
      give_back(slot(i), slot(i) + kSlotBytes);
    }
  }
  const auto slot_of = [&](const std::byte* at) {
    return static_cast<std::size_t>(at - begin_) / (kSlotBytes + page_);
  };
  for (std::size_t i = 0; i < blocks_.size();) {
    std::byte* const begin = blocks_[i].data();
    std::byte* end = begin;
    for (; i < blocks_.size(); ++i) {
      std::byte* const next = blocks_[i].data();
      if (slot_of(next) != slot_of(begin) || next - end > kPageTable) break;
      end = next + blocks_[i].size();
    }
    give_back(begin, end);
  }
  taken_ = 0;
  blocks_.clear();
}

#else

void SparseMemory::reserve(SharedPlace) noexcept {}
SparseMemory::~SparseMemory() = default;
void SparseMemory::release() {}

#endif

std::byte* SparseMemory::slot(std::size_t number) const {
  return begin_ + number * (kSlotBytes + page_);
}

std::byte* SparseMemory::allocate(std::size_t bytes, Edge edge,
                                  std::span<const ByteRange> used) {
  reserve();
  if (begin_ == nullptr || bytes > kSlotBytes || taken_ == kSlots) {
    throw NoAddressSpace();
  }
  std::byte* block = slot(++taken_);
  if (edge == Edge::kEnd) block += kSlotBytes - bytes;
  for (const ByteRange& range : used) {
    blocks_.push_back({block + range.begin, range.size()});
  }
  return block;
}

}  // namespace ropeproof::conformance::plugin
