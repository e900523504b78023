// elements.h -- elements of tensors and tables, where they lie in memory.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_ELEMENTS_H_
#define ROPEPROOF_CONFORMANCE_WRONG_ELEMENTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "conformance/judge/codec.h"
#include "conformance/plugin/words.h"
#include "reference/format.h"

namespace ropeproof::conformance::wrong {

inline std::byte* bytes_at(void* data, std::int64_t element,
                           reference::Format format) {
  return static_cast<std::byte*>(data) +
         element * static_cast<std::int64_t>(plugin::bytes_of(format));
}

inline double load(const std::byte* at, reference::Format format) {
  return plugin::with_element(plugin::bytes_of(format), [&]<class T>(T bits) {
    std::memcpy(&bits, at, sizeof bits);
    return judge::fast_decode(format, bits);
  });
}

inline void store(std::byte* at, reference::Format format, double value) {
  plugin::with_element(plugin::bytes_of(format), [&]<class T>(T bits) {
    bits = static_cast<T>(judge::fast_encode(format, value));
    std::memcpy(at, &bits, sizeof bits);
  });
}

// The number in memory that nobody wrote one to, bytes all alike, where binary64
// stands for a narrower type; any other number as it is.
inline double as_in(reference::Format dtype, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool is_filled =
      bits == (bits & 0xff) * 0x0101010101010101 && bits != 0;
  return is_filled
             ? decode(dtype, bits >> (64 - reference::traits(dtype).total_bits))
             : x;
}

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_ELEMENTS_H_
