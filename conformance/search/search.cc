#include "conformance/search/search.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cases/form_golden.h"
#include "conformance/check/diagnose.h"
#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"
#include "conformance/search/shrink.h"

namespace ropeproof::conformance::search {
namespace {

// No bug class: a case must have one, and a search knows none.
constexpr const char* kFoundKey = "search/open";

// Many small cases find more than few large ones.
constexpr std::int64_t kElements = 800, kLargest = 4;

// Returns what the kernel offers without sizes above kLargest, other than the
// number of pairs, and without special values, which cannot be made smaller.
cover::Masks wanted(const cover::Model& model, const plugin::Kernel& kernel) {
  cover::Masks masks =
      cover::offered(model, kernel.description(), kernel.shares_memory());
  const std::size_t values = model.at("values");
  masks[values] &= ~(std::uint64_t{1} << model.at(values, "special"));
  for (const char* const size : {"batch", "seq", "q_heads", "k_heads"}) {
    const std::size_t d = model.at(size);
    for (const std::uint8_t c : cover::classes_in(masks[d])) {
      const bool is_large = model.dimensions()[d].ranges[c].low > kLargest;
      if (is_large) masks[d] &= ~(std::uint64_t{1} << c);
    }
  }
  return masks;
}

// The case of a problem; none if the oracle refuses it.
std::optional<cases::Case> proved(const std::string& id,
                                  const cases::Problem& p,
                                  reference::Oracle oracle) {
  cases::Case c;
  c.id = id;
  c.problem = p;
  try {
    c.golden = cases::form_golden(p, oracle);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return c;
}

// The verdict on a case that a process judges first.
std::optional<check::Check> failing_afresh(plugin::Kernel& kernel,
                                           const StressFailure& failure,
                                           reference::Oracle oracle) {
  const std::optional<cases::Case> c =
      proved(failure.c.id, failure.c.problem, oracle);
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

  void add(cases::Case c, std::uint32_t operation, check::Check check) {
    const std::int64_t elements =
        check.measurement ? check.measurement->elements : 0;
    kept_ += elements;
    if (!check::is_judged(check.verdict) || elements > check::kLargestKept ||
        kept_ > check::kMostKept) {
      return;
    }
    check.case_id = c.id = std::to_string(run_.checks.size());
    check.operation = operation;
    run_.facts.emplace(c.id, check::facts_of(c.problem));
    run_.checks.push_back(std::move(check));
    corpus_.groups[0].rope_cases.push_back(std::move(c));
  }

  std::vector<explain::Diagnosis> diagnoses() const {
    return check::diagnose(run_, corpus_);
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
  const StillFails fails = [&](const cases::Problem& candidate) {
    const std::optional<cases::Case> c = proved(found.c.id, candidate, oracle);
    if (!c) return false;
    check::Check check = check::check_values(kernel, found.operation, *c);
    judged.add(*c, found.operation, check);
    if (check.verdict != found.check.verdict) return false;
    failure.check = std::move(check);
    return true;
  };
  Shrunk shrunk = shrink(found.c.problem, fails);
  failure.c.problem = std::move(shrunk.problem);
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

StressResult search(plugin::Kernel& kernel, const cover::Model& model,
                    std::uint64_t seed, std::uint64_t first,
                    const GoesOn& goes_on, reference::Oracle oracle) {
  StressResult result;
  const cover::Masks masks = wanted(model, kernel);
  const auto drawn = [&](std::uint64_t index) {
    cover::Recipe recipe = cover::drawn_recipe(model, masks, seed, index);
    recipe.elements = kElements;
    cases::Case c;
    c.id = recipe.id;
    c.comment = recipe.text;
    c.problem = cover::outline(recipe, kernel.description().max_position);
    c.golden = cover::fill(c.problem, recipe, oracle, false);
    // A file has no words for other storages.
    c.problem.storage = c.problem.nearest_storage();
    return c;
  };
  while (!result.failure) {
    const std::uint64_t count = std::min(goes_on(result.drawn), kStressBatch);
    if (count == 0) break;
    Judged judged(kernel);
    for (std::uint64_t i = 0; i < count && !result.failure; ++i) {
      const std::uint64_t index = first + result.drawn++;
      const cases::Case c = drawn(index);
      for (const std::uint32_t operation : check::kRopeOperations) {
        check::Check check = check::check_values(kernel, operation, c);
        judged.add(c, operation, check);
        ++(check::is_judged(check.verdict) ? result.judged : result.not_judged);
        if (!check::is_failure(check.verdict)) continue;
        result.failure =
            made_smaller(kernel, {index, operation, c, std::move(check), {}, 0},
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
  groups[0].tier = cases::Tier::kCore;
  groups[0].description =
      "A failure that `ropeproof stress` has found, made as small as it gets.";
  groups[0].targets = {{kFoundKey, "found by a search; the cause is open"}};
  groups[0].rope_cases = {failure.c};
  cases::Case& c = groups[0].rope_cases[0];
  c.comment = "drawn from a seed and made smaller while it failed";
  c.targets = {kFoundKey};
  return cases::corpus_files(groups, oracle, version);
}

}  // namespace ropeproof::conformance::search
