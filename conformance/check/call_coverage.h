// call_coverage.h -- what a kernel is called with, counted: pairs and triples
// of classes of the model, as the calls have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/problem.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// How many there are among the calls, of those that the declaration makes
// possible.
struct Share {
  std::size_t met = 0, possible = 0;
  bool is_whole() const { return met == possible; }
};

struct OperationCoverage {
  std::uint32_t operation = 0;
  std::size_t calls = 0;
  Share pairs, triples;
  std::vector<std::string> missing;  // the first few pairs, in words
};

// Makes the calls of the formed cases of a tier and solves none. The classes
// are read from each call (cover/offer.h). With `like`, the calls are those of
// a profile, whose case it is: dtype and specification are the model's, which
// leaves the pairs of the other dimensions.
std::vector<OperationCoverage> call_coverage(
    const plugin::Description& description, const cover::Arrays& arrays,
    cases::Tier tier, const cases::Problem* like = nullptr);

}  // namespace ropeproof::conformance::check
