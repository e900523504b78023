// model_text.h -- what `ropeproof list models` and `ropeproof show` print.
#pragma once

#include <ostream>
#include <vector>

#include "conformance/models/preset.h"

namespace ropeproof::conformance::models {

// Prints a table, a line per model.
void print_models(std::ostream& out, const std::vector<Model>& models);

// Prints all there is to know of a model: sources, layout, scaling, every pair.
void print_model(std::ostream& out, const Model& model);

// Prints the same as JSON, for programs: each pair's channels and the angle, in
// radians, that a step of 1 along each axis adds.
void print_json(std::ostream& out, const Model& model);

}  // namespace ropeproof::conformance::models
