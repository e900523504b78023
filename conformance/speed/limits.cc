#include "conformance/speed/limits.h"

#include <cstring>

#include "conformance/speed/widest.h"

namespace ropeproof::conformance {
namespace {

constexpr std::size_t kAheadBytes = 4096, kLineBytes = 64;

struct Touch {
  std::uint32_t* row;
  std::size_t count, length, stride;  // elements
  std::uint32_t change;

  __attribute__((always_inline)) void operator()() const {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t* const words = row + i * stride;
      for (std::size_t j = 0; j < length; ++j) words[j] ^= change;
    }
  }
};

struct TouchAhead {
  Touch touch;

  __attribute__((always_inline)) void operator()() const {
    constexpr std::size_t kLine = kLineBytes / sizeof(std::uint32_t);
    constexpr std::size_t kAhead = kAheadBytes / sizeof(std::uint32_t);
    for (std::size_t i = 0; i < touch.count; ++i) {
      std::uint32_t* const words = touch.row + i * touch.stride;
      std::size_t j = 0;
      for (; j + kLine <= touch.length; j += kLine) {
        __builtin_prefetch(words + j + kAhead, 1);
        for (std::size_t k = j; k < j + kLine; ++k) words[k] ^= touch.change;
      }
      for (; j < touch.length; ++j) words[j] ^= touch.change;
    }
  }
};

struct Fill {
  std::uint32_t* words;
  std::size_t count;
  std::uint32_t value;

  __attribute__((always_inline)) void operator()() const {
    for (std::size_t i = 0; i < count; ++i) words[i] = value;
  }
};

Touch touch_of(const SpeedBytes& bytes, std::uint32_t change) {
  return {static_cast<std::uint32_t*>(bytes.data), bytes.count,
          bytes.length / 4, bytes.stride / 4, change};
}

}  // namespace

void touch(const SpeedBytes& bytes, std::uint32_t change) {
  with_widest_vectors(touch_of(bytes, change));
}

void touch_ahead(const SpeedBytes& bytes, std::uint32_t change) {
  with_widest_vectors(TouchAhead{touch_of(bytes, change)});
}

void fill(const SpeedBytes& bytes, std::uint32_t value) {
  for (std::size_t i = 0; i < bytes.count; ++i) {
    with_widest_vectors(
        Fill{static_cast<std::uint32_t*>(bytes.data) + i * bytes.stride / 4,
             bytes.length / 4, value});
  }
}

void copy(const SpeedBytes& bytes, void* room) {
  for (std::size_t i = 0; i < bytes.count; ++i) {
    std::memcpy(static_cast<std::byte*>(room) + i * bytes.stride,
                static_cast<const std::byte*>(bytes.data) + i * bytes.stride,
                bytes.length);
  }
}

}  // namespace ropeproof::conformance
