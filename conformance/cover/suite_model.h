// suite_model.h -- the model that kernels are asked by.
#ifndef ROPEPROOF_CONFORMANCE_COVER_SUITE_MODEL_H_
#define ROPEPROOF_CONFORMANCE_COVER_SUITE_MODEL_H_

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

#endif  // ROPEPROOF_CONFORMANCE_COVER_SUITE_MODEL_H_
