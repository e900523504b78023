// formed.h -- what a kernel is asked beside the committed cases: its rows of
// the covering arrays, as cases.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORMED_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORMED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/question.h"
#include "conformance/plugin/kernel.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// A case that is not formed yet.
struct FormedCase {
  // "pairs-3f09c2ab": a function of the row and a fresh seed;
  // "shapes-batch-17-f16".
  std::string id;
  std::string tier;  // "core" or "full"
  std::string text;  // what it asks, in words
  Question question;
  std::uint64_t seed = 0;
  Row row = {};  // empty for a shape
  // Where dtype and specification come from, if not from the question; outlives
  // this.
  const cases::Problem* model = nullptr;
};

// The cases of a kernel: of the tier core every pair of the classes that it
// offers, of full every triple beside them; and the shapes of each. `seed` 0 is
// that of the suite; any other draws fresh sizes, positions and elements for
// the same classes. With `like`, dtype and specification are those of that
// case, and there are no triples and no shapes.
std::vector<FormedCase> formed_cases(const Arrays& arrays,
                                     const plugin::Description& description,
                                     bool shares_memory, bool with_triples,
                                     std::uint64_t seed, const Takes& takes,
                                     const cases::Problem* like = nullptr);

// Case `index` of the stream `seed`: of each dimension a class that is offered,
// in some cases mostly the plain ones; at most one that hides what else is
// wrong.
FormedCase drawn_case(const Model& model, const Masks& offered,
                      std::uint64_t seed, std::uint64_t index);

// That of the case of a row.
std::uint64_t seed_of(const Row& row, std::uint64_t seed);

// The problem without values of q and k, which are zeros; and the whole case.
cases::Problem outline(const FormedCase& formed, std::int64_t max_position);
cases::Case form(const FormedCase& formed, std::int64_t max_position,
                 reference::Oracle oracle);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORMED_H_
