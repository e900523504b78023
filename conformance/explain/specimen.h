// specimen.h -- one answer of a run that shows the kernel's frequencies and its
// cos and sin, beside what is due: what a report draws them of.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/judge/output.h"

namespace ropeproof::conformance::explain {

struct SpecimenPair {
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  std::int64_t pair = 0;
  double theta = 0;  // due, in rad per position
  // The kernel's frequency over theta, 1 where no difference is seen; kUnknown:
  // the answer does not show it.
  double ratio = kUnknown;
  // The rotation that the kernel made of the pair, and the one that is due.
  double cos = 0, sin = 0, due_cos = 0, due_sin = 0;
};

struct Specimen {
  std::string case_id;
  std::uint32_t operation = 0;  // rope or table
  bool is_wrong = false;
  double position = 0;  // of the token that cos and sin are of
  std::vector<SpecimenPair> pairs;

  std::int64_t known() const;  // frequencies
  bool shows_another() const;  // frequency than the one that is due
  // Whether it shows more than another one of the same run: a wrong answer
  // before a right one, then one that shows another frequency, then the one
  // with more known frequencies, then with more pairs; of equals the first by
  // id. This orders specimens totally, so shards find the same best one as the
  // whole run.
  bool is_better_than(const Specimen& other) const;
};

// Replaces `best` by the specimen of an answer where that is better. Answers of
// which nothing can be drawn are passed over: of several axes, of more than 128
// pairs or 2^15 elements, of positions all 0 or beyond 4096, of rotations that
// the answer does not show.
void keep_better(std::optional<Specimen>& best, const cases::Case& asked,
                 std::uint32_t operation, const judge::Output& output,
                 reference::Format table, bool is_wrong);

}  // namespace ropeproof::conformance::explain
