// arena.h -- memory that a forked worker sees at the same addresses.
#ifndef ROPEPROOF_CONFORMANCE_KERNELS_ARENA_H_
#define ROPEPROOF_CONFORMANCE_KERNELS_ARENA_H_

#include <cstddef>

namespace ropeproof::conformance {

// One shared anonymous mapping. Address space is reserved at once, memory is
// taken page by page when it is first touched. A process forked afterwards
// shares it, so pointers need no translation.
class Arena {
 public:
  // Throws std::bad_alloc.
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // 64-byte aligned and zeroed, valid until release(). Throws std::bad_alloc.
  std::byte* allocate(std::size_t bytes);
  void release() { used_ = 0; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_KERNELS_ARENA_H_
