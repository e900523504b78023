// large.h -- vectors of millions of numbers.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropeproof::conformance::plugin {

// Zeros, in huge pages where the system gives them: a fault for each 4 KiB
// costs three times as much as what is done with them.
template <class T>
std::vector<T> large(std::size_t size) {
  std::vector<T> zeros;
  zeros.reserve(size);
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kHuge = std::size_t{1} << 21;
  const std::size_t bytes = size * sizeof(T);
  if (bytes >= 2 * kHuge) {
    auto* const start = reinterpret_cast<std::byte*>(zeros.data());
    const std::size_t skipped =
        (kHuge - reinterpret_cast<std::uintptr_t>(start) % kHuge) % kHuge;
    // Where the advice is not taken the pages are small.
    static_cast<void>(madvise(
        start + skipped, (bytes - skipped) / kHuge * kHuge, MADV_HUGEPAGE));
  }
#endif
  zeros.resize(size);
  return zeros;
}

}  // namespace ropeproof::conformance::plugin
