// sparse_memory.h -- blocks of many GiB of which little is ever touched.
#pragma once

#include <cstddef>
#include <new>
#include <span>

#include "conformance/plugin/blocks.h"
#include "conformance/plugin/shared_memory.h"

namespace ropeproof::conformance::plugin {

// Thrown where this machine, or a limit of this process, has no room for far
// strides.
struct NoAddressSpace : std::bad_alloc {
  NoAddressSpace() = default;
  explicit NoAddressSpace(const char* why) : message(why) {}
  const char* what() const noexcept override { return message; }

  const char* message =
      "no address space for a buffer this long (350 GiB, hardly any of it "
      "memory): see ulimit -v and vm.overcommit_memory";
};

// One shared anonymous mapping, cut into slots with guard pages between them.
// It takes 350 GiB of address space and no memory: a page comes when it is
// touched and goes at release(). Before the first slot and behind the last one
// there is as much room again, for kernels of this process that miscount.
class SparseMemory {
 public:
  // Room for 2^32 elements of an f64 tensor, and for what lies around them.
  static constexpr std::size_t kSlotBytes = std::size_t{35} << 30;
  static constexpr std::size_t kSlots = 8;

  SparseMemory() = default;
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  // Takes the address space, if there is any, which the first block does
  // otherwise. Processes that are forked afterwards share it, and so does one
  // that is executed and takes it at the place() of this. Cost: 20 us.
  void reserve(SharedPlace place = {}) noexcept;
  const SharedPlace& place() const { return place_; }

  // Returns a block, valid until release(), whose first or last byte borders a
  // guard page. `used` are the parts of it, in their order, that may be
  // touched: they are zeroed, and blocks() names them for restoring their
  // contents. Throws NoAddressSpace, also where all slots are taken.
  std::byte* allocate(std::size_t bytes, Edge edge,
                      std::span<const ByteRange> used);
  const Blocks& blocks() const { return blocks_; }
  // Gives the memory of the used parts back to the system, and every kEvery
  // times all of it, whoever has touched it.
  void release();

 private:
  static constexpr int kEvery = 64;

  std::byte* slot(std::size_t number) const;

  SharedPlace place_;
  std::byte* begin_ = nullptr;
  std::size_t page_ = 0, total_ = 0;
  int releases_ = 0;
  std::size_t taken_ = 0;  // slots
  Blocks blocks_;
};

}  // namespace ropeproof::conformance::plugin
