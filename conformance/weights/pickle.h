// pickle.h -- the tensors that a pickle of PyTorch describes, without Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/weights/checkpoint.h"

namespace ropeproof::conformance::weights {

struct PickledTensor {
  std::string name;
  ElementType type;
  std::string storage;     // the name of its file
  std::int64_t first = 0;  // element of the storage
  std::vector<std::int64_t> shape, strides;
};

// Returns the tensors of a dictionary, and of dictionaries in it. Memory: about
// 30 times the bytes. Throws CheckpointError where anything is asked for that
// no dictionary of tensors needs.
std::vector<PickledTensor> read_pickle(const InputFile& file,
                                       std::string_view bytes);

}  // namespace ropeproof::conformance::weights
