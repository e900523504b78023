// faults.h -- what is wrong with rows that are not as they should be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/weights/attention.h"
#include "conformance/weights/compare.h"
#include "conformance/weights/row_maps.h"

namespace ropeproof::conformance::weights {

struct Compared {
  Part part = Part::kQ;
  Kind kind = Kind::kWeight;
  std::vector<std::uint64_t> a, b;  // digests
  Heads heads;
};

// What rows should be, and what the rest of the model knows.
struct Expected {
  Direction direction = Direction::kNone;
  const Attention* attention = nullptr;
};

struct Fault {
  std::string text, advice;
};

// Whether v and LoRA A stay as they are, whatever q and k do.
bool is_never_permuted(Part part, Kind kind);

// Returns all right rearrangements that B is of A: more than one where many
// rows are the same, as those of a bias of zeros.
std::vector<Candidate> right_maps(const Compared& compared);

// Returns the name of what happened to rows that are not as expected: a wrong
// rearrangement, heads in another order or treated unlike. Nothing where no map
// of rows is known.
std::optional<Fault> fault_of(const Compared& compared,
                              const Expected& expected);

}  // namespace ropeproof::conformance::weights
