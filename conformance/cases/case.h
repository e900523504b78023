// case.h -- one test case: a problem, what is true of it, and why it is asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "conformance/cases/tier.h"

namespace ropeproof::conformance::cases {

// A printed decimal whose last digit is not the exact value's.
struct Erratum {
  std::string tensor;               // "q", "k", "cos" or "sin"
  std::vector<std::int64_t> index;  // into that tensor
  std::string printed, correct;
};

// Decimals that a document prints for a case, with the tolerance they hold to.
struct Printed {
  std::string source;
  std::string tolerance;  // absolute, a decimal
  std::vector<std::string> inv_freq, cos, sin, q, k;
  std::vector<Erratum> errata;
};

struct Case {
  std::string id;  // permanent: never reused, never renumbered
  std::string comment;
  std::vector<std::string> targets;  // bug classes, keys of Group::targets
  Problem problem;
  Golden golden;
  std::optional<Printed> printed;
};

// How a problem contradicts itself.
enum class Defect {
  kOddRotaryDim,
  kRotaryDimAboveHeadDim,
  kZeroRotaryDim,
  kWindowBeyondHead,  // rotary_offset + rotary_dim > head_dim
  kNegativeBatch,
  kZeroDirection,
  kNonFiniteBase,       // and inv_freq
  kNullInput,           // q.in
  kNullOutput,          // q.out
  kNullPositions,       // rope; cos for rotate
  kOverlappingTensors,  // q.out begins one element after q.in
  kOverlappingRows,     // out_token_stride smaller than a row
  kIdOutOfRange,        // lookup: an id is the number of rows
  kNegativeId,          // lookup: an id is -1
};

// A problem that a kernel with ROPEPROOF_VALIDATES answers with
// ROPEPROOF_INVALID, writing nothing: a valid case with one defect.
struct RejectCase {
  std::string id;
  std::string comment;
  std::vector<std::string> targets;
  std::string of;  // id of the valid case
  Defect defect = Defect::kOddRotaryDim;
};

// Calls in a row, in one process: caches that outlive the problem they were
// made for. Each call is judged as its case is; a deterministic kernel also
// gives the bits that it gives in a process of its own.
struct SequenceCase {
  std::string id;
  std::string comment;
  std::vector<std::string> targets;
  std::vector<std::string> calls;  // ids of rope cases, any group
};

// One file of vectors: cases of one type that belong together.
struct Group {
  std::string name;  // also the file's name
  Tier tier = Tier::kCore;
  std::string description;                     // one paragraph
  std::map<std::string, std::string> targets;  // bug class -> what goes wrong
  bool is_bulk = false;                        // tensors lie in a side file
  std::vector<Case> rope_cases;
  std::vector<Case> permute_cases;
  std::vector<RejectCase> reject_cases;
  std::vector<SequenceCase> sequence_cases;
};

// Calls visit(type, cases) for the list of cases of every type, const or not.
template <class AnyGroup, class Visit>
void for_each_type(AnyGroup& group, const Visit& visit) {
  visit("rope", group.rope_cases);
  visit("permute", group.permute_cases);
  visit("reject", group.reject_cases);
  visit("sequence", group.sequence_cases);
}

// Calls visit(case) for every case of a group, in the order of its file.
template <class AnyGroup, class Visit>
void for_each_case(AnyGroup& group, const Visit& visit) {
  for_each_type(group, [&](const char* /*type*/, auto& cases) {
    for (auto& c : cases) visit(c);
  });
}

}  // namespace ropeproof::conformance::cases
