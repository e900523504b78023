#include "conformance/kernels/arena.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace ropeproof::conformance {
namespace {

constexpr std::size_t kReserve = std::size_t{1} << 30;
constexpr std::size_t kAlignment = 64;

#if defined(MAP_NORESERVE)
constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
#else
constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS;
#endif

}  // namespace

Arena::Arena() {
  void* const memory =
      mmap(nullptr, kReserve, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<std::byte*>(memory);
}

Arena::~Arena() { munmap(begin_, kReserve); }

std::byte* Arena::allocate(std::size_t bytes) {
  if (bytes > kReserve - used_) throw std::bad_alloc();
  std::byte* const memory = begin_ + used_;
  // kReserve is a multiple of kAlignment, so rounding up stays inside.
  used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::memset(memory, 0, bytes);  // an earlier problem may have been here
  return memory;
}

}  // namespace ropeproof::conformance
