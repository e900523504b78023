// elements.h -- elements of tensors and tables, where they lie in memory.
#ifndef ROPEPROOF_CONFORMANCE_DIAGNOSIS_ELEMENTS_H_
#define ROPEPROOF_CONFORMANCE_DIAGNOSIS_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conformance/plugin/words.h"
#include "reference/format.h"

namespace ropeproof::conformance::diagnosis {

inline std::byte* bytes_at(void* data, std::int64_t element,
                           reference::Format format) {
  return static_cast<std::byte*>(data) +
         element * static_cast<std::int64_t>(plugin::bytes_of(format));
}

// Calls f(T()) for the unsigned type of an element: copies of as many bytes as a
// variable says are slow.
template <class F>
auto with_element(reference::Format format, const F& f) {
  switch (plugin::bytes_of(format)) {
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

inline double load(const std::byte* at, reference::Format format) {
  return with_element(format, [&]<class T>(T bits) {
    std::memcpy(&bits, at, sizeof bits);
    return decode(format, bits);
  });
}

inline void store(std::byte* at, reference::Format format, double value) {
  with_element(format, [&]<class T>(T bits) {
    bits = static_cast<T>(encode(format, value));
    std::memcpy(at, &bits, sizeof bits);
  });
}

}  // namespace ropeproof::conformance::diagnosis

#endif  // ROPEPROOF_CONFORMANCE_DIAGNOSIS_ELEMENTS_H_
