#include "conformance/plugin/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ropeproof::conformance::plugin {

// Where pages are larger than 4 KiB, so are the smallest slots.
std::size_t Arena::slot_bytes(std::size_t size) const {
  return std::max(kSizes[size].bytes, page_);
}

Arena::Arena(SparseMemory& beyond, SharedPlace place)
    : beyond_(beyond),
      place_(place),
      page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  total_ = page_;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    total_ += kSizes[i].count * (slot_bytes(i) + page_);
  }
  begin_ = map_shared(place_, total_, PROT_NONE);
  if (begin_ == nullptr) throw std::bad_alloc();
  std::byte* slot = begin_ + page_;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    first_[i] = slot;
    for (std::size_t j = 0; j < kSizes[i].count; ++j) {
      if (mprotect(slot, slot_bytes(i), PROT_READ | PROT_WRITE) != 0) {
        unmap_shared(place_, begin_, total_);
        throw std::bad_alloc();
      }
      slot += slot_bytes(i) + page_;
    }
  }
}

Arena::~Arena() { unmap_shared(place_, begin_, total_); }

std::byte* Arena::allocate(std::size_t bytes, Edge edge, bool is_zeroed) {
  if (bytes > kMost) {
    return beyond_.allocate(bytes, edge, std::array{ByteRange{0, bytes}});
  }
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    if (bytes > slot_bytes(i) || used_[i] == kSizes[i].count) continue;
    std::byte* block = first_[i] + used_[i]++ * (slot_bytes(i) + page_);
    if (edge == Edge::kEnd) block += slot_bytes(i) - bytes;
    if (is_zeroed) std::memset(block, 0, bytes);
    blocks_.push_back({block, bytes});
    return block;
  }
  throw std::bad_alloc();
}

void Arena::release() {
#if defined(MADV_REMOVE)
  // What a prompt needs is given back: few calls are as large.
  for (std::size_t i = kFirstLarge; i < kSizes.size(); ++i) {
    for (std::size_t j = 0; j < used_[i]; ++j) {
      madvise(first_[i] + j * (slot_bytes(i) + page_), slot_bytes(i),
              MADV_REMOVE);
    }
  }
#endif
  used_.fill(0);
  blocks_.clear();
  beyond_.release();
}

}  // namespace ropeproof::conformance::plugin
