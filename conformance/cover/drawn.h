// drawn.h -- how much of the inside of each class the seeds draw.
//
// A class is a range: pairs 33-63, or positions below 2^20. A case has one
// number of it, and a fresh seed another; a size that no seed reaches is asked
// of nobody.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

// One class and the sizes that were drawn of it. For magnitudes of positions a
// size is the largest |position| of a case.
struct DrawnClass {
  std::string dimension, name;
  Range range;  // what belongs to the class
  std::set<std::int64_t> sizes;

  std::int64_t edges() const;  // sizes that are 2^k - 1 or 2^k + 1
  std::string text() const;    // "pairs 33-63: 33 to 63, 31 of 31 sizes"
};

// The classes that are ranges, in the order of the model, as the rows draw them
// with the seeds 1 .. `seeds`. Rows in which no call has the class are passed
// over. Cost: some 10 us a row and seed; no tensor is filled.
std::vector<DrawnClass> drawn_classes(const Model& model,
                                      const std::vector<Row>& rows,
                                      std::uint64_t seeds);

}  // namespace ropeproof::conformance::cover
