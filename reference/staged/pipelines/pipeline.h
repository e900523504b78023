// pipeline.h -- how an engine computes a RoPE, as data.
//
// A pipeline is a straight-line program: each step is one correctly rounded
// operation (elementary.h) on named numbers, stored in a named format. Five
// stages make a pipeline:
//
//     frequency   base, r, j       -> what the angle needs, once per pair
//     angle       p                -> "angle", radians
//     trig        angle            -> "cos", "sin": what a libm returns
//     storage     cos, sin, m      -> "c", "s": what the table holds
//     rotation    x_u, x_v, c, s   -> "y": products and sum in `arithmetic`,
//                                     then converted to the format of x
//
// There is no code per engine: engine.h executes them all. Each names the row
// of the error bound (reference/bound/) that a kernel of its kind is judged by;
// within_bound_test shows that it holds, and how nearly it is reached.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "reference/bound/bound.h"
#include "reference/format.h"
#include "reference/staged/elementary.h"

namespace ropeproof::reference::staged {

// Where a step stores its result.
enum class StepFormat {
  kF64,
  kF32,
  kT,  // the format of x and y, which the caller chooses
  kW,  // the format in which the pipeline rotates
};

// out = op(in...), rounded to `format`. Names that are there from the start:
//     base, r, P = r/2, j, 2j, m, p, x_u, x_v, and the integers -2, -1, 1, 2.
// base, m and p are exact; a pipeline that holds them in f32 casts them.
struct Step {
  std::string_view out;
  StepFormat format;
  Op op;
  std::array<std::string_view, 3> in;
};

using Stage = std::span<const Step>;

struct Pipeline {
  std::string_view name;
  std::string_view source;          // project and file
  std::span<const Format> formats;  // what T may be
  Stage frequency, angle, trig, storage;
  StepFormat arithmetic;  // W
  // The row of the bound, with `arithmetic`: in T, every operation is rounded.
  bound::AngleClass angle_class;
  bound::Power power;
  StepFormat table;
  Op conversion = Op::kCast;  // from W to T: rounds or truncates
};

std::span<const Pipeline> pipelines();

// The format behind `format`, where x and y are of format `t`.
Format resolve(StepFormat format, const Pipeline& pipeline, Format t);

// What a kernel that computes as the pipeline does claims.
bound::Claim claim_of(const Pipeline& pipeline, Format t);

// How one output is computed. Compilers may contract one product with the sum.
enum class Fused {
  kNone,  // both products rounded
  kXu,    // the product with x_u is exact: fma
  kXv,    // the product with x_v is exact: fma
};
// The steps of one output, from x_u, x_v, c, s to y in W.
enum class Output { kYu, kYv };
Stage rotation_steps(Output output, Fused fused);

}  // namespace ropeproof::reference::staged
