// arena.h -- memory that a forked worker sees at the same addresses.
#pragma once

#include <array>
#include <cstddef>

#include "conformance/plugin/blocks.h"
#include "conformance/plugin/shared_memory.h"
#include "conformance/plugin/sparse_memory.h"

namespace ropeproof::conformance::plugin {

// One shared anonymous mapping, cut once into slots of a few sizes; between any
// two slots lies a page that nobody may touch. A process forked afterwards
// shares both memory and guards, so pointers need no translation and a call
// costs no system call. Address space is reserved at once (2 GiB), memory is
// taken page by page when it is first touched. A block that no slot holds, as a
// prompt's tensors in f64, comes from a sparse memory.
class Arena {
 public:
  static constexpr std::size_t kMost = std::size_t{256} << 20;  // bytes

  // `beyond` outlives the arena, which lies at `place`. Throws std::bad_alloc.
  explicit Arena(SparseMemory& beyond, SharedPlace place = {});
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns a block that is valid until release(): zeroed, or with what an
  // earlier problem left there, for callers that write all of it. Its first or
  // last byte borders a guard page; a block at its slot's start is 64-byte
  // aligned. Throws std::bad_alloc; beyond kMost bytes NoAddressSpace.
  std::byte* allocate(std::size_t bytes, Edge edge, bool is_zeroed = true);
  // The blocks in use, without those of the sparse memory.
  const Blocks& blocks() const { return blocks_; }
  void release();
  const SharedPlace& place() const { return place_; }

 private:
  struct SlotSize {
    std::size_t bytes, count;
  };
  // A call has about a dozen tensors, most of them small; calls of eight
  // threads at once share the arena. A full size spills into the next one.
  static constexpr std::array<SlotSize, 9> kSizes{{{4096, 96},
                                                   {4096 << 2, 32},
                                                   {4096 << 4, 16},
                                                   {4096 << 6, 16},
                                                   {4096 << 8, 16},
                                                   {4096 << 10, 16},
                                                   {4096 << 12, 16},
                                                   {4096 << 14, 8},
                                                   {kMost, 4}}};
  static constexpr std::size_t kFirstLarge = 7;  // of these

  std::size_t slot_bytes(std::size_t size) const;

  SparseMemory& beyond_;
  SharedPlace place_;
  std::byte* begin_ = nullptr;
  std::size_t page_ = 0, total_ = 0;
  std::array<std::byte*, kSizes.size()> first_{};  // slot of each size
  std::array<std::size_t, kSizes.size()> used_{};
  Blocks blocks_;
};

}  // namespace ropeproof::conformance::plugin
