// golden_file.h -- problems with what is true of them, in one file: for tests
// in other languages.
//
// The file is a safetensors file of tensors "ID/NAME" of one dimension, the
// inputs by the names of the protocol (adapters/PROTOCOL.md), then want_q,
// want_k, bound_q and bound_k in F64; its metadata has of each ID the header of
// the request that asks it. The text beside it says the same in words:
//
//     problem ID operation=rope dtype=f32 ... base=10000 ...
//     tensor ID NAME DTYPE COUNT OFFSET
//
// with offsets in bytes from the beginning of the file.
#pragma once

#include <ropeproof_kernel.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ropeproof::conformance::assertion {

class GoldenFile {
 public:
  // Larger problems would fill the file: an element takes some 20 bytes.
  static constexpr std::int64_t kMostElements = 1 << 16;

  // Adds a problem, bounds as for a claim; false for one that is no rope and no
  // rotate, has more elements, or whose golden Judgement does not form.
  bool add(const std::string& id, const ropeproof_problem& problem,
           const ropeproof_claim& claim);

  std::size_t problems() const { return heads_.size(); }
  // Returns the bytes of the file, and the text beside it.
  std::pair<std::string, std::string> finish() const;

 private:
  struct Tensor {
    std::string name;
    const char* dtype;
    std::size_t width, count, offset;  // offset in the data of its width
  };
  struct Head {
    std::string id, header, words;  // the request in JSON; in words
    std::vector<Tensor> tensors;
  };

  std::vector<Head> heads_;
  std::array<std::string, 3> data_;  // of 8, 4 and 2 bytes
};

}  // namespace ropeproof::conformance::assertion
