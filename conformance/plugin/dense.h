// dense.h -- the tensors of a problem as plain bytes, without gaps.
//
// A process gets copies: gather() follows the strides of the inputs, scatter()
// those of the outputs.
#pragma once

#include <ropeproof_kernel.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropeproof::conformance::plugin {

enum class Element { kF64, kF32, kF16, kBF16, kI64, kI32 };

// A tensor of counts[0] x counts[1] x counts[2] rows of row_bytes each; strides
// are in bytes. Byte is const std::byte where only gather() may go.
template <class Byte>
struct ByteTensor {
  std::string_view name;
  Element element = Element::kF64;
  Byte* data = nullptr;
  std::array<std::int64_t, 3> counts{1, 1, 1};
  std::array<std::int64_t, 3> strides{};
  std::int64_t row_bytes = 0;

  // Returns 0 where a count is negative, in a problem that contradicts itself.
  std::size_t bytes() const {
    std::int64_t product = row_bytes;
    for (const std::int64_t count : counts) product *= count < 0 ? 0 : count;
    return static_cast<std::size_t>(product < 0 ? 0 : product);
  }
};

// The tensors that the operation reads, and those that it writes, in the order
// of the protocol. dtype and table_dtype must be known ones.
std::vector<ByteTensor<const std::byte>> inputs(
    const ropeproof_problem& problem);
std::vector<ByteTensor<std::byte>> outputs(const ropeproof_problem& problem);

// Appends the tensor to `bytes`.
void gather(const ByteTensor<const std::byte>& tensor, std::string& bytes);
// Writes the tensor, tensor.bytes() bytes.
void gather(const ByteTensor<const std::byte>& tensor, std::byte* bytes);
// Reads the tensor, tensor.bytes() bytes.
void scatter(const ByteTensor<std::byte>& tensor, const char* bytes);

}  // namespace ropeproof::conformance::plugin
