// safetensors.h -- the container of bulk tensors.
//
// A file is the length N of its header (8 bytes, little-endian), N bytes of
// JSON, and the tensors' bytes:
//
//     {"q.F32": {"dtype": "F32", "shape": [n], "data_offsets": [begin, end]}}
//
// with offsets counted from the end of the header. Ours are stricter than the
// format asks: tensors have one dimension, lie back to back in ascending order
// and fill the file, each aligned to its element, and `__metadata__` names the
// group that the file belongs to.
#ifndef ROPEPROOF_CONFORMANCE_CASES_SAFETENSORS_H_
#define ROPEPROOF_CONFORMANCE_CASES_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/text/strict_json.h"
#include "reference/format.h"

namespace ropeproof::conformance::cases {

// Where a tensor's elements lie: absolute byte offsets in the file.
struct StoredTensor {
  reference::Format dtype = reference::Format::kF64;
  std::uint64_t begin = 0, end = 0;
};

struct Safetensors {
  std::string group;
  std::map<std::string, StoredTensor> tensors;
};

// Reads the header of `file`; `name` names it in errors. Throws FileError for
// anything that is not as above. Memory: a small multiple of the header, which
// is kMaxHeaderBytes at most.
inline constexpr std::uint64_t kMaxHeaderBytes = 1 << 16;
Safetensors parse_safetensors(std::span<const std::byte> file,
                              const std::string& name);

// The first bytes of a file whose tensors have these types and sizes (bytes)
// and follow in this order. The length is a multiple of 8.
struct TensorSize {
  std::string name;
  reference::Format dtype = reference::Format::kF64;
  std::uint64_t bytes = 0;
};
std::string safetensors_header(const std::string& group,
                               const std::vector<TensorSize>& tensors);

// The word of an element type: F64, F32, F16 or BF16.
std::string dtype_word(reference::Format dtype);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_SAFETENSORS_H_
