// tensors.h -- where a case's tensors lie: as rows of hex in the JSON, or as
// byte ranges of the group's side file.
//
// In a bulk group a tensor is [offset, bytes], absolute in the side file, whose
// tensor "FIELD.DTYPE" is the concatenation of that field over the cases of
// that type.
#ifndef ROPEPROOF_CONFORMANCE_CASES_TENSORS_H_
#define ROPEPROOF_CONFORMANCE_CASES_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "conformance/cases/case.h"
#include "conformance/cases/safetensors.h"
#include "conformance/text/strict_json.h"
#include "reference/format.h"

namespace ropeproof::conformance::cases {

// Collects tensors. A side file's offsets are known once all sizes are: write
// everything, call lay_out(), write everything again.
class TensorWriter {
 public:
  explicit TensorWriter(bool is_bulk) : is_bulk_(is_bulk) {}

  // The JSON of a tensor with rows of `row` elements. `field` is its place in
  // the case: "q", "expected.q".
  nlohmann::ordered_json write(const std::string& field, const Bits& bits,
                               std::int64_t row, reference::Format format);

  void lay_out(const std::string& group);

  // The side file.
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

  bool is_bulk_;
  std::string header_;
  std::map<WideFirst::Key, Tensor, WideFirst> tensors_;
};

class TensorReader {
 public:
  // The tensors lie in the JSON.
  TensorReader() = default;

  // `file` holds the tensors and outlives the reader. Throws FileError.
  TensorReader(std::span<const std::byte> file, const std::string& name,
               const std::string& group);

  // `count` rows of `row` elements, member `key` of `object`. Throws
  // FileError.
  Bits read(text::StrictObject& object, const std::string& key,
            const std::string& field, std::int64_t count, std::int64_t row,
            reference::Format format);

  // Throws FileError if a byte of the side file was never read.
  void finish() const;

 private:
  Bits read_range(text::StrictObject& object, const std::string& key,
                  const std::string& tensor, std::int64_t elements,
                  reference::Format format);

  bool is_bulk_ = false;
  std::span<const std::byte> file_;
  std::string name_;
  std::map<std::string, StoredTensor> unread_;  // what is left of each
};

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_TENSORS_H_
