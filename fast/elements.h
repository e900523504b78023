// elements.h -- the element types of tensors and tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/rope_fast.h"

namespace ropeproof::fast {

struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};

// What tensors of this type compute in.
constexpr Type compute_type(Type type) {
  return type == Type::kF64 ? Type::kF64 : Type::kF32;
}

// The binary logarithm of an element's size in bytes.
inline constexpr int log2_bytes_of(Type type) {
  switch (type) {
    case Type::kF64:
      return 3;
    case Type::kF32:
      return 2;
    default:
      return 1;
  }
}

inline constexpr std::size_t bytes_of(Type type) {
  return std::size_t{1} << log2_bytes_of(type);
}

// Element i of an array of `type`.
inline const void* at(const void* data, Type type, std::int64_t i) {
  return static_cast<const char*>(data) + (i << log2_bytes_of(type));
}
inline void* at(void* data, Type type, std::int64_t i) {
  return static_cast<char*>(data) + (i << log2_bytes_of(type));
}

// Calls body(E()), E being the element type of that name.
template <class Body>
inline void with_element(Type type, const Body& body) {
  switch (type) {
    case Type::kF64:
      return body(double());
    case Type::kF32:
      return body(float());
    case Type::kF16:
      return body(F16());
    case Type::kBf16:
      return body(Bf16());
  }
}

}  // namespace ropeproof::fast
