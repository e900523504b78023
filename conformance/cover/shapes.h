// shapes.h -- rows with sizes that a covering array does not have: those of
// real models, and every size of each loop that an implementation may tile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conformance/cover/recipe.h"

namespace ropeproof::conformance::cover {

// What the sizes of a shape are: those of a model's call, or those that vary
// one loop, over pairs or over anything else.
enum class Sized { kAsModel, kByPairs, kByOthers };

// One entry of vectors/coverage/shapes.json: sizes of a model's call.
struct Shape {
  std::string name;  // "llama-3-8b-decode"; of a loop "pairs-17"
  cases::Tier tier = cases::Tier::kCore;  // of a loop see shape_recipes
  Sizes sizes;
  Sized sized = Sized::kAsModel;
  std::string window = {};
  std::int64_t head_dim = 0;  // of a leading window; 0: drawn
  // Pairs of each axis of a model, asked in every pairing; none: drawn.
  std::vector<std::int64_t> sections = {};
  // What else the model's calls are, a class of each dimension; only kernels
  // that offer all of it are asked.
  std::map<std::string, std::string> of = {};

  std::int64_t elements() const;  // of q and k that are rotated
};

// The shapes, then those of the loops, which vary one size and leave the others
// small. `file` is named in errors. Throws FileError.
std::vector<Shape> read_shapes(const std::string& text,
                               const std::string& file);

// What a kernel is asked, without seeds; of an id the name, "pairs-17-bf16":
//
//   a shape       in one of its dtypes; where the shape is of core, in all of
//                 them, those others only in full if it has more than 2^17
//                 elements
//   "-varied"     the same once with other scalings, axes, strides ..., unless
//                 the shape has some of its own; only in full if it has more
//                 than 2^18 elements
//   sections      in each pairing, in one dtype each
//   a loop's size in all dtypes, in core in one of them; up to 300 pairs in all
//
// Pairings, orders of dimensions and places alternate. Half of the shapes have
// positions from 0. A window that the kernel does not offer becomes a full one.
std::vector<Recipe> shape_recipes(const Model& model, const Masks& offered,
                                  const std::vector<Shape>& shapes);

}  // namespace ropeproof::conformance::cover
