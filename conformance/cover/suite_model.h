// suite_model.h -- the model that kernels are asked by.
#pragma once

#include <string>

#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

// All dimensions of dimension.h, and the combinations of their classes that
// contradict themselves.
const Model& suite_model();

// Returns the bytes of vectors/coverage/model.json, which tools/prove/cover.py
// makes the covering arrays of.
std::string suite_model_json();

}  // namespace ropeproof::conformance::cover
