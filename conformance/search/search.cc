#include "conformance/search/search.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/stress_case.h"
#include "conformance/check/features.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/diagnose.h"
#include "conformance/plugin/words.h"
#include "conformance/search/shrink.h"

namespace ropeproof::conformance::search {
namespace {

// No bug class: a case must have one, and a search knows none.
constexpr const char* kFoundKey = "search/open";

bool is_offered(const plugin::Kernel& kernel, const cases::RopeCase& c) {
  return !check::offered_operations(kernel.description(), c,
                                    kernel.shares_memory())
              .empty();
}

// Whether the kernel's main operation takes a case, as far as it is drawn. Its
// other operations get the same cases.
bool is_wanted(const plugin::Kernel& kernel, const cases::RopeCase& c) {
  const plugin::Description& description = kernel.description();
  const auto lacks = [&](std::uint32_t feature) {
    return (description.features & feature) == 0;
  };
  const reference::Frequencies& f = c.spec.frequencies;
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP, ROPEPROOF_TABLE,
        ROPEPROOF_FREQUENCIES}) {
    if ((description.operations & operation) == 0) continue;
    // missing_feature() reads amplitudes from goldens, which are not there yet.
    const bool has_amplitudes = (operation & plugin::kAngles) != 0;
    if (has_amplitudes && f.amplitude != 1 && lacks(ROPEPROOF_AMPLITUDE)) {
      return false;
    }
    if (has_amplitudes && f.xpos && lacks(ROPEPROOF_PAIR_AMPLITUDE)) {
      return false;
    }
    return check::missing_feature(description, operation, c,
                                  kernel.shares_memory())
        .empty();
  }
  return false;
}

// A case with its goldens; none if an oracle refuses it.
std::optional<cases::RopeCase> proved(const cases::RopeCase& c,
                                      reference::Oracle oracle) {
  cases::Group group;
  group.rope_cases = {c};
  try {
    cases::prove(oracle, group);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return std::move(group.rope_cases[0]);
}

// The verdict on a case that a process judges first.
std::optional<check::Check> failing_afresh(plugin::Kernel& kernel,
                                           const StressFailure& failure,
                                           reference::Oracle oracle) {
  const std::optional<cases::RopeCase> c = proved(failure.c, oracle);
  if (!c) return std::nullopt;
  kernel.restart(0);
  check::Check check = check::check_values(kernel, failure.operation, *c);
  if (!check::is_failure(check.verdict)) return std::nullopt;
  return check;
}

// Calls that a search has judged, as a run: what a diagnosis looks at.
class Judged {
 public:
  explicit Judged(const plugin::Kernel& kernel) {
    run_.kernel = kernel.description();
    run_.shares_memory = kernel.shares_memory();
    corpus_.groups.resize(1);
  }

  void add(cases::RopeCase c, std::uint32_t operation, check::Check check,
           judge::Output answer) {
    const std::int64_t elements =
        check.measurement ? check.measurement->elements : 0;
    kept_ += elements;
    if (!check::is_judged(check.verdict) || elements > check::kLargestKept ||
        kept_ > check::kMostKept) {
      return;
    }
    check.case_id = c.id = std::to_string(run_.checks.size());
    check.operation = operation;
    run_.facts.emplace(c.id, check::facts_of(c));
    if (check.measurement && !check.measurement->pass()) {
      run_.wrong.push_back({run_.checks.size(), c, std::move(answer)});
    }
    run_.checks.push_back(std::move(check));
    corpus_.groups[0].rope_cases.push_back(std::move(c));
  }

  std::vector<diagnosis::Diagnosis> diagnoses() const {
    return diagnosis::diagnose(run_, corpus_);
  }

 private:
  check::Run run_;
  cases::Corpus corpus_;
  std::int64_t kept_ = 0;  // elements
};

StressFailure made_smaller(plugin::Kernel& kernel, const StressFailure& found,
                           reference::Oracle oracle, Judged& judged) {
  StressFailure failure = found;
  // Each try would wait for the time limit.
  if (found.check.verdict == check::Verdict::kTimeout) return failure;
  const StillFails fails = [&](const cases::RopeCase& candidate) {
    const std::optional<cases::RopeCase> c = proved(candidate, oracle);
    if (!c) return false;
    judge::Output answer;
    check::Check check =
        check::check_values(kernel, found.operation, *c, false, 1, &answer);
    judged.add(*c, found.operation, check, std::move(answer));
    if (check.verdict != found.check.verdict) return false;
    failure.check = std::move(check);
    return true;
  };
  Shrunk shrunk = shrink(found.c, fails);
  failure.c = std::move(shrunk.c);
  failure.tries = shrunk.tries;
  // A kernel that remembers its calls may have led the search astray.
  for (StressFailure candidate : {failure, found}) {
    std::optional<check::Check> check =
        failing_afresh(kernel, candidate, oracle);
    if (!check) continue;
    candidate.check = std::move(*check);
    return candidate;
  }
  failure = found;
  failure.needs_earlier_calls = true;
  return failure;
}

}  // namespace

StressResult search(plugin::Kernel& kernel, std::uint64_t seed,
                    std::uint64_t first, const GoesOn& goes_on,
                    reference::Oracle oracle) {
  StressResult result;
  const auto drawn = [&](std::uint64_t index) {
    return cases::stress_case(seed, index, [&](const cases::RopeCase& c) {
      return is_wanted(kernel, c);
    });
  };
  while (!result.failure) {
    const std::uint64_t count = std::min(goes_on(result.drawn), kStressBatch);
    if (count == 0) break;
    // What a description rules out for certain needs no proof. Amplitudes are
    // known only with one: check_values() asks again.
    std::vector<std::uint64_t> indices;
    cases::Group group;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t index = first + result.drawn++;
      cases::RopeCase c = drawn(index);
      if (!is_offered(kernel, c)) {
        result.unsupported += std::ssize(check::kRopeOperations);
        continue;
      }
      indices.push_back(index);
      group.rope_cases.push_back(std::move(c));
    }
    cases::prove(oracle, group);
    Judged judged(kernel);
    for (std::size_t i = 0; i < indices.size() && !result.failure; ++i) {
      for (const std::uint32_t operation : check::kRopeOperations) {
        judge::Output answer;
        check::Check check = check::check_values(
            kernel, operation, group.rope_cases[i], false, 1, &answer);
        judged.add(group.rope_cases[i], operation, check, std::move(answer));
        ++(check.verdict == check::Verdict::kUnsupported ? result.unsupported
                                                         : result.judged);
        if (!check::is_failure(check.verdict)) continue;
        result.failure = made_smaller(
            kernel,
            {indices[i], operation, drawn(indices[i]), std::move(check), {}, 0},
            oracle, judged);
        result.failure->diagnoses = judged.diagnoses();
        break;
      }
    }
  }
  return result;
}

cases::Files failure_files(const StressFailure& failure,
                           reference::Oracle oracle,
                           const std::string& version) {
  std::vector<cases::Group> groups(1);
  groups[0].name = "stress";
  groups[0].tier = "core";
  groups[0].description =
      "A failure that `ropeproof stress` has found, made as small as it gets.";
  groups[0].targets = {{kFoundKey, "found by a search; the cause is open"}};
  groups[0].rope_cases = {failure.c};
  cases::RopeCase& c = groups[0].rope_cases[0];
  c.comment = "drawn from a seed and made smaller while it failed";
  c.targets = {kFoundKey};
  return cases::corpus_files(groups, oracle, version);
}

}  // namespace ropeproof::conformance::search
