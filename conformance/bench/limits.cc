#include "conformance/bench/limits.h"

#include <cstring>

#include "conformance/bench/widest.h"

namespace ropeproof::conformance::bench {
namespace {

using Word = std::uint32_t;

// Words ahead, in a line of the cache, and in one turn of a loop: four of the
// widest vectors, or a loop's speed depends on where its code lies.
constexpr std::size_t kAhead = 1024, kLine = 16, kBlock = 64;

struct Touch {
  Word* row;
  std::size_t count, length, stride;  // words
  Word change;

  __attribute__((always_inline)) void operator()() const {
    const Word mask = change;  // which no store changes
    for (std::size_t i = 0; i < count; ++i) {
      Word* const words = row + i * stride;
      std::size_t j = 0;
      for (; j + kBlock <= length; j += kBlock) {
        for (std::size_t k = j; k < j + kBlock; ++k) words[k] ^= mask;
      }
      for (; j < length; ++j) words[j] ^= mask;
    }
  }
};

struct TouchAhead {
  Touch touch;

  __attribute__((always_inline)) void operator()() const {
    const Word mask = touch.change;
    for (std::size_t i = 0; i < touch.count; ++i) {
      Word* const words = touch.row + i * touch.stride;
      std::size_t j = 0;
      for (; j + kLine <= touch.length; j += kLine) {
        __builtin_prefetch(words + j + kAhead, 1);
        for (std::size_t k = j; k < j + kLine; ++k) words[k] ^= mask;
      }
      for (; j < touch.length; ++j) words[j] ^= mask;
    }
  }
};

struct Fill {
  Word* words;
  std::size_t count;
  Word value;

  __attribute__((always_inline)) void operator()() const {
    const Word same = value;
    std::size_t j = 0;
    for (; j + kBlock <= count; j += kBlock) {
      for (std::size_t k = j; k < j + kBlock; ++k) words[k] = same;
    }
    for (; j < count; ++j) words[j] = same;
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

}  // namespace ropeproof::conformance::bench
