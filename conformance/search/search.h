// search.h -- looking for a case that a kernel fails, for as long as it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cases/corpus_files.h"
#include "conformance/cover/model.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/plugin/kernel.h"
#include "conformance/report/report.h"
#include "reference/golden.h"

namespace ropeproof::conformance::search {

struct StressFailure {
  std::uint64_t index = 0;  // of the stream that the seed names
  std::uint32_t operation = 0;
  cases::Case c;       // the smallest that was found
  check::Check check;  // what it shows
  // The diagnoses of all calls of the last batch and of the shrinking.
  std::vector<explain::Diagnosis> diagnoses;
  std::int64_t tries = 0;  // cases tried to find it
  // The case passes in a fresh process: it fails after other calls alone, and
  // is the one that was drawn.
  bool needs_earlier_calls = false;
};

struct StressResult {
  std::uint64_t drawn = 0;  // cases
  // Calls; the others are not offered, or declined.
  std::int64_t judged = 0, not_judged = 0;
  std::optional<StressFailure> failure;  // the first; the search ends with it
};

// Forms and judges cover::drawn_recipe() i = first, first + 1 ... under every
// operation that the kernel offers: small ones, without special values, in the
// storages that files have words for. It ends with the first failure, or where
// `goes_on`, asked before each batch of at most kStressBatch cases with the
// number drawn so far, returns 0. `goes_on` says how many more may be drawn.
//
// A failure is made smaller by shrink() while it stays what it is: FAIL, CRASH,
// ERROR; a timeout is left as drawn. The smaller case, else the drawn one, is
// confirmed in a fresh process where the kernel has one. The result depends on
// the kernel, the seed and the answers of `goes_on` alone. Throws what
// reference/golden.h throws.
using GoesOn = std::function<std::uint64_t(std::uint64_t drawn)>;
inline constexpr std::uint64_t kStressBatch = 32;
StressResult search(plugin::Kernel& kernel, const cover::Model& model,
                    std::uint64_t seed, std::uint64_t first,
                    const GoesOn& goes_on, reference::Oracle oracle);

// The failure as vectors of one case, for `ropeproof run --vectors`.
cases::Files failure_files(const StressFailure& failure,
                           reference::Oracle oracle,
                           const std::string& version);

}  // namespace ropeproof::conformance::search
