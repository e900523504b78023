// tensors.h -- where a case's tensors lie: as rows of hex in the JSON, or as
// byte ranges of the group's side file.
//
// In a bulk group a tensor is [offset, bytes], absolute in the side file. That
// is a safetensors file: the length N of its header (8 bytes, little-endian), N
// bytes of JSON, and the tensors back to back, with offsets from the end of the
// header:
//
//     {"q.F32": {"dtype": "F32", "shape": [n], "data_offsets": [begin, end]}}
//
// Its tensor "FIELD.DTYPE" is the concatenation of that field over the cases of
// that type, aligned to its element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "conformance/cases/case.h"
#include "conformance/text/strict_json.h"
#include "reference/format.h"

namespace ropeproof::conformance::cases {

// Collects tensors. A side file's offsets are known once all sizes are: write
// everything, call lay_out(), write everything again.
class TensorWriter {
 public:
  // The tensors lie in the JSON.
  TensorWriter() = default;

  // The tensors lie in the side file of this group.
  explicit TensorWriter(const std::string& group)
      : is_bulk_(true), group_(group) {}

  // The JSON of a tensor with rows of `row` elements. `field` is its place in
  // the case: "q", "expected.q".
  nlohmann::ordered_json write(const std::string& field, const Bits& bits,
                               std::int64_t row, reference::Format format);

  void lay_out();

  std::string bytes() const;

 private:
  struct Tensor {
    std::uint64_t begin = 0;  // in the side file
    std::string bytes;
  };
  // Wide elements first: each tensor is aligned to its element.
  struct WideFirst {
    using Key = std::pair<reference::Format, std::string>;
    bool operator()(const Key& a, const Key& b) const;
  };

  std::string header() const;  // a multiple of 8 bytes

  bool is_bulk_ = false;
  std::string group_;
  std::map<WideFirst::Key, Tensor, WideFirst> tensors_;
};

class TensorReader {
 public:
  // The tensors lie in the JSON.
  TensorReader() = default;

  // `file`, called `name`, is the side file of `group` and outlives the reader.
  TensorReader(std::span<const std::byte> file, const std::string& name,
               const std::string& group)
      : is_bulk_(true), file_(file), name_(name), again_(group) {}

  // `count` rows of `row` elements, member `key` of `object`. Throws FileError.
  // All that is read is no longer than the file: ranges that overlap need no
  // more memory than others.
  Bits read(text::StrictObject& object, const std::string& key,
            const std::string& field, std::int64_t count, std::int64_t row,
            reference::Format format);

  // Whether what was read, written in that order, is the file: it has no gap,
  // no overlap, no other order, no byte that is nobody's, and this group's
  // header.
  bool is_all() const;

 private:
  Bits read_range(text::StrictObject& object, const std::string& key,
                  std::int64_t elements, reference::Format format);

  bool is_bulk_ = false;
  std::span<const std::byte> file_;
  std::string name_;
  std::uint64_t read_ = 0;  // bytes, of all ranges so far
  TensorWriter again_;      // what was read
};

}  // namespace ropeproof::conformance::cases
