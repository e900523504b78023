// answer.h -- what is to be explained: wrong answers and crashes of a kernel,
// and right answers beside them. They may be of a run of cases or of probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/in_common.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/output.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/description.h"

namespace ropeproof::conformance::explain {

// A call, what it answered, and what the judge says of that.
struct Answer {
  std::string id = {};  // of its case
  std::uint32_t operation = 0;
  std::shared_ptr<const cases::Case> asked = {};
  judge::Claim claim = {};  // of the kernel, for this call
  // Null: it crashed.
  std::shared_ptr<const judge::Output> output = {};
  std::shared_ptr<const judge::Judged> judged = {};
  const Facts* facts = nullptr;  // of the problem; null: unknown
  int equation = 0;              // that wrong elements contradict
  // Where it is a part of a result: the numbers of its tokens there, row by
  // row, and how many a row of it has. Empty: it is all.
  std::vector<std::int64_t> tokens = {};
  std::int64_t seq = 0;

  bool is_failure() const { return judged == nullptr || !judged->all.pass(); }
  judge::OutputLayout layout() const;  // of the output; the answer outlives it
};

// Judges an output.
Answer answer_of(std::shared_ptr<const cases::Case> asked,
                 std::uint32_t operation, const judge::Claim& claim,
                 judge::Output output);

// What a kernel is asked for a diagnosis, beside a wrong answer: the
// same problem over and over, which has the fact "number of the call"; the same
// with other sizes; problems that differ from it in one class, or in all, each
// round with numbers of its own.
enum class Again { kSame, kSizes, kNear };

struct Evidence {
  plugin::Description kernel;
  std::vector<Answer> wrong, lost;
  // How many calls crashed; `lost` has only the first of them.
  std::size_t crashes = 0;
  // Some right answers under these operations, unlike one another: what the
  // goldens say, in the kernel's place.
  std::function<std::vector<Answer>(const std::set<std::uint32_t>& operations)>
      right;
  // Fresh answers, right or wrong. Null: the kernel is not there to be asked.
  std::function<std::vector<Answer>(const Answer& like, Again again, int round)>
      again;
};

// The answer that the goldens say, rounded once: tables and frequencies to
// `table`, q and k to the dtype of the case. Channels outside the window are
// copied.
judge::Output exact_output(const cases::Case& c, std::uint32_t operation,
                           reference::Format table);

}  // namespace ropeproof::conformance::explain
