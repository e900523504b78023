#include "conformance/explain/failures.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "conformance/check/contract.h"
#include "conformance/wrong/pipeline_kernel.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::explain {
namespace {

// How many wrong answers are tried, and how many with every hypothesis.
constexpr std::size_t kMostTried = 400;
constexpr std::size_t kMostScans = 24, kFewScans = 4;
// Of hypotheses that are tried on all.
constexpr std::size_t kMostLeads = 12;

bool is_special(const check::WrongAnswer& answer) {
  const auto* rope = std::get_if<cases::RopeCase>(&answer.asked);
  return rope != nullptr && rope->is_special;
}

std::int64_t size_of(const check::Run& run, const check::WrongAnswer& answer) {
  return run.checks[answer.check].measurement->elements;
}

// The small ones, evenly where there are too many.
std::vector<const check::WrongAnswer*> chosen(const check::Run& run) {
  std::vector<const check::WrongAnswer*> all;
  for (const check::WrongAnswer& answer : run.wrong) {
    if (!is_special(answer) && !run.checks[answer.check].is_right_alone) {
      all.push_back(&answer);
    }
  }
  std::ranges::stable_sort(
      all, {}, [&](const auto* answer) { return size_of(run, *answer); });
  if (all.size() <= kMostTried) return all;
  std::vector<const check::WrongAnswer*> some;
  for (std::size_t i = 0; i < kMostTried; ++i) {
    some.push_back(all[i * all.size() / kMostTried]);
  }
  return some;
}

}  // namespace

std::unique_ptr<Trial> trial_of(const cases::RopeCase& c,
                                std::uint32_t operation,
                                const plugin::Description& kernel,
                                const judge::Output& output) {
  if (c.is_special) return nullptr;
  const wrong::PipelineKernel claims(kernel, {});
  return std::make_unique<Trial>(c, operation,
                                 check::subject_of(claims, c, operation).claim,
                                 kernel, output);
}

Failures::Failures(const check::Run& run,
                   const std::vector<wrong::Mutation>& hypotheses)
    : run_(run), hypotheses_(hypotheses) {
  for (const check::WrongAnswer* answer : chosen(run)) {
    std::unique_ptr<Trial> trial;
    if (const auto* c = std::get_if<cases::RopeCase>(&answer->asked)) {
      trial = trial_of(*c, run.checks[answer->check].operation, run.kernel,
                       answer->output);
    } else {
      trial =
          std::make_unique<Trial>(std::get<cases::PermuteCase>(answer->asked),
                                  run.kernel, answer->output);
    }
    failures_.push_back({answer, std::move(trial), {}});
  }
}

const Fit& Failures::fit(std::size_t failure, std::size_t hypothesis) {
  Failure& one = failures_[failure];
  const auto found = one.fits.find(hypothesis);
  if (found != one.fits.end()) return found->second;
  const wrong::Mutation& h = hypotheses_[hypothesis];
  return one.fits[hypothesis] = one.trial->fit(h.change, h.rounds);
}

void Failures::scan(std::size_t failure) {
  std::vector<Fit> fits(hypotheses_.size());
  reference::parallel_for(
      std::ssize(fits),
      [&](std::int64_t h) {
        const wrong::Mutation& one = reference::at(hypotheses_, h);
        reference::at(fits, h) =
            failures_[failure].trial->fit(one.change, one.rounds);
      },
      1);
  for (std::size_t h = 0; h < fits.size(); ++h) {
    failures_[failure].fits.emplace(h, fits[h]);
  }
}

void Failures::try_all() {
  std::vector<std::size_t> hits(hypotheses_.size());
  std::size_t scans = 0;
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    // After a few scans one that explains part of an answer will do, too.
    const bool is_explained = std::ranges::any_of(leads_, [&](std::size_t h) {
      const Fit& one = fit(i, h);
      return one.explains_all() || (scans >= kFewScans && one.explains_wrong());
    });
    if (is_explained || scans == kMostScans) continue;
    ++scans;
    scan(i);
    for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
      if (!fit(i, h).explains_wrong()) continue;
      if (hits[h]++ == 0) leads_.push_back(h);
    }
    std::ranges::stable_sort(leads_, std::greater{},
                             [&](std::size_t h) { return hits[h]; });
  }
  if (leads_.size() > kMostLeads) leads_.resize(kMostLeads);
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    for (const std::size_t h : leads_) fit(i, h);
  }
}

}  // namespace ropeproof::conformance::explain
