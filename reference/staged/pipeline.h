// pipeline.h -- how an engine computes a RoPE, as data.
//
// A pipeline is a straight-line program: each step is one correctly rounded
// operation (elementary.h) on named numbers, stored in a named type. Five
// stages make a pipeline, each a list of steps with the roundings that it adds
// to the error (bound.h):
//
//     frequency   base, r, j       -> what the angle needs, once per pair
//     angle       p                -> "angle", radians
//     trig        angle            -> "cos", "sin": what a libm returns
//     storage     cos, sin, m      -> "c", "s": what the table holds
//     rotation    x_u, x_v, c, s   -> "y": products and sum in `arithmetic`
//
// There is no code per engine: engine.h executes them all.
#ifndef ROPEPROOF_REFERENCE_STAGED_PIPELINE_H_
#define ROPEPROOF_REFERENCE_STAGED_PIPELINE_H_

#include <array>
#include <span>
#include <string_view>

#include "reference/format.h"
#include "reference/staged/elementary.h"

namespace ropeproof::reference::staged {

// Where a step stores its result.
enum class Type {
  kF64,
  kF32,
  kT,  // the type of x and y, which the caller chooses
  kW,  // the type in which the pipeline rotates
};

// out = op(in...), rounded to `type`. Names that are there from the start:
//     base, r, P = r/2, j, 2j, m, p, x_u, x_v, and the integers -2, -1, 1, 2.
// base, m and p are exact; a pipeline that holds them in f32 casts them.
struct Step {
  std::string_view out;
  Type type;
  Op op;
  std::array<std::string_view, 3> in;
};

// How often a rounding counts.
enum class Weight {
  kOnce,
  kPerPair,      // j times
  kExponent,     // |ln theta_j| times: it falls on an exponent, and
                 //     d(base^-e) / base^-e = -ln(base) de = ln(theta_j) de/e
  kExponent2jR,  // the same, unless 2j/r is a number of the type
  kExponent2R,   // the same, unless 2/r is
  kUnlessBase,   // once, unless the base is a number of the type
  kUnlessP,      // once, unless the position is
  kUnlessOne,    // once, unless the amplitude is 1
  kUnlessF32,    // once, unless the type is f32: a cast from f32
  kUnlessW,      // once, unless the type is W: a cast from W
};

// So many relative errors: `correct` of + - * / and casts, at most u each, and
// `libm` of other functions, at most u each if correctly rounded and 2n u if
// within n ulp.
struct Roundings {
  Type type;
  Weight weight;
  int correct;
  int libm;
};

struct Stage {
  std::span<const Step> steps;
  std::span<const Roundings> roundings;
};

struct Pipeline {
  std::string_view name;
  std::string_view source;        // project and file
  std::span<const Format> types;  // what T may be
  Stage frequency, angle, trig, storage;
  Type arithmetic;  // W; y is cast from it to T
};

// All of them, in pipelines.cc.
std::span<const Pipeline> pipelines();

// Throws std::invalid_argument for a name that is not there.
const Pipeline& find_pipeline(std::string_view name);

// The format behind `type`, where x and y are of format `t`.
Format resolve(Type type, const Pipeline& pipeline, Format t);

// How one output is computed. Compilers may contract one product with the sum.
enum class Fused {
  kNone,  // both products rounded
  kXu,    // the product with x_u is exact: fma
  kXv,    // the product with x_v is exact: fma
};
inline constexpr std::array kUnfused{Fused::kNone};
inline constexpr std::array kAnyForm{Fused::kNone, Fused::kXu, Fused::kXv};

// The forms of a whole rotation that kernels have. Others would need a compiler
// to contract one output and not the other.
struct Contraction {
  std::string_view name;
  Fused y_u, y_v;
};
inline constexpr std::array<Contraction, 5> kContractions{{
    {"none", Fused::kNone, Fused::kNone},  // PyTorch eager
    {"x_u", Fused::kXu, Fused::kXu},       // Highway MulSub, MulAdd
    {"x_v", Fused::kXv, Fused::kXv},       // XNNPACK fnmadd, fmadd
    {"cos", Fused::kXu, Fused::kXv},       // both products with c exact
    {"sin", Fused::kXv, Fused::kXu},       // both products with s exact
}};

// The steps of one output, from x_u, x_v, c, s to y.
enum class Output { kYu, kYv };
std::span<const Step> rotation_steps(Output output, Fused fused);

// What the rotation adds to the error, for each output and form.
std::span<const Roundings> rotation_roundings();

}  // namespace ropeproof::reference::staged

#endif  // ROPEPROOF_REFERENCE_STAGED_PIPELINE_H_
