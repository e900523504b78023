// axis_schemes.h -- which axis each pair follows, in words: the object "axes"
// of presets and of the table of model types.
#pragma once

#include "conformance/models/config_object.h"
#include "conformance/models/model_rope.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::models {

enum class AxisScheme {
  kBlocks,
  kAxial,
  kAxialAlternating,
  kAxialEach,
  kAxialEvenOdd,
  kAxialPartial,
  kContiguous,
  kInterleaved,
  kRoundRobin,
  kErnie
};
inline constexpr text::Words<AxisScheme, 10> kAxisSchemeWords{
    {{AxisScheme::kBlocks, "blocks"},
     {AxisScheme::kAxial, "axial"},
     {AxisScheme::kAxialAlternating, "axial_alternating"},
     {AxisScheme::kAxialEach, "axial_each"},
     {AxisScheme::kAxialEvenOdd, "axial_even_odd"},
     {AxisScheme::kAxialPartial, "axial_partial"},
     {AxisScheme::kContiguous, "contiguous_sections"},
     {AxisScheme::kInterleaved, "interleaved_sections"},
     {AxisScheme::kRoundRobin, "round_robin_sections"},
     {AxisScheme::kErnie, "ernie_sections"}}};

// Sets axes, their names and the exponents that belong to them, and the blocks
// of a nested pairing; the layout is there. vectors/models/schema.json has the
// members of `axes`, reference/schemes.h the schemes. Throws ConfigError, or
// std::invalid_argument for sections that no scheme takes.
void set_axes(const ConfigObject& axes, ModelRope& rope);

}  // namespace ropeproof::conformance::models
