// arrays.h -- the files of vectors/coverage/: what kernels are asked beside the
// committed cases.
#pragma once

#include <filesystem>
#include <vector>

#include "conformance/cases/tier.h"
#include "conformance/cover/model.h"
#include "conformance/cover/shapes.h"

namespace ropeproof::conformance::cover {

struct Arrays {
  Model model;
  std::vector<Row> pairs, triples;  // of classes; triples for full alone
  std::vector<Shape> shapes;
};

// Reads what a tier needs of VECTORS/coverage/. Throws FileError, also for rows
// of another model than the suite's.
Arrays load_arrays(const std::filesystem::path& vectors,
                   cases::Tier tier = cases::Tier::kFull);

}  // namespace ropeproof::conformance::cover
