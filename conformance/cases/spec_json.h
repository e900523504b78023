// spec_json.h -- what makes a specification more than a base and a layout:
// scaling, exponents, axes, xPos. Members of a case that are absent where a
// case does not need them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/text/strict_json.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {

// Adds the members that `spec` needs.
void write_variant(const reference::Spec& spec, nlohmann::ordered_json& json);

// Reads the members that are there; spec.layout's dimensions are known. Throws
// FileError.
void read_variant(text::StrictObject& object, reference::Spec& spec);

// The bytes of vectors/schema.json with the scalings and the parameters that
// there are. Throws FileError naming `file` if it has no place for them.
std::string with_scalings(std::string schema, const std::string& file);

}  // namespace ropeproof::conformance::cases
