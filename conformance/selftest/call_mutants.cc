#include "conformance/selftest/call_mutants.h"

#include <array>
#include <map>
#include <stdexcept>

#include "conformance/check/contract_checks.h"
#include "conformance/check/contrast.h"
#include "conformance/check/variations.h"
#include "conformance/explain/promises.h"
#include "conformance/selftest/caching_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::exact_pipeline;
using wrong::PipelineKernel;

// One process for all threads; what they do to each other is done in turn.
class ThreadedKernel : public PipelineKernel {
 public:
  ThreadedKernel() : PipelineKernel(description_of(), exact_pipeline()) {}
  bool is_concurrent() const override { return true; }
  // What is in place is solved once: nobody puts it back.
  std::vector<plugin::Answer> run_together(
      std::span<const ropeproof_problem> problems, int rounds) override {
    std::vector<plugin::Answer> answers(problems.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < problems.size(); ++i) {
        if (round == 0 || problems[i].q.in != problems[i].q.out) {
          answers[i] = run(problems[i]);
        }
      }
    }
    return answers;
  }

 private:
  static plugin::Description description_of() {
    plugin::Description d = computing_description();
    d.features |= ROPEPROOF_CONCURRENT;
    return d;
  }
};

// Rotates nothing from one call on.
class CountingKernel : public ThreadedKernel {
 public:
  explicit CountingKernel(int last) : last_(last) {}
  plugin::Answer run(const ropeproof_problem& problem) override {
    ropeproof_problem p = problem;
    if (calls_++ >= last_) p.rotary_dim = 0;
    return PipelineKernel::run(p);
  }

 private:
  int last_, calls_ = 0;
};

// Rotates nothing from the 20th call of a shape of 4,096 elements on: tuned wrongly.
class TunedKernel : public ThreadedKernel {
 public:
  plugin::Answer run(const ropeproof_problem& problem) override {
    ropeproof_problem p = problem;
    const bool is_large = p.batch * p.seq * p.q.heads * p.head_dim > 4096;
    if (is_large && ++calls_[{p.batch, p.seq, p.q.heads}] >= 20) {
      p.rotary_dim = 0;
    }
    return PipelineKernel::run(p);
  }

 private:
  std::map<std::array<std::int64_t, 3>, int> calls_;
};

// A thread reads the table that another one has just formed in the same place, for
// which it needs so many tokens.
class SharingKernel : public ThreadedKernel {
 public:
  explicit SharingKernel(std::int64_t tokens = 0) : tokens_(tokens) {}

  std::vector<plugin::Answer> run_together(
      std::span<const ropeproof_problem> problems, int rounds) override {
    std::vector<ropeproof_problem> mixed(problems.begin(), problems.end());
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      const ropeproof_problem& other = problems[(i + 1) % problems.size()];
      if (mixed[i].inv_freq != nullptr && other.inv_freq != nullptr &&
          mixed[i].rotary_dim <= other.rotary_dim &&
          mixed[i].batch * mixed[i].seq > tokens_) {
        mixed[i].inv_freq = other.inv_freq;
        if (tokens_ > 0) mixed[i].positions = other.positions;
      }
    }
    return ThreadedKernel::run_together(mixed, rounds);
  }

 private:
  std::int64_t tokens_;
};

// Calls of mutants: of the dtype and pairing of most engines.
constexpr check::ContractChecks::Kind kKind{
    ROPEPROOF_ROPE, reference::Format::kF32, reference::Pairing::kHalfSplit};

}  // namespace

std::vector<CallMutant> call_mutants() {
  const auto cache = [](const std::string& field) {
    return [=] { return std::make_unique<CachingKernel>(field); };
  };
  std::vector<CallMutant> list;
  for (const std::string& field : cached_fields()) {
    list.push_back(
        {"a cache whose key lacks: " + field, "table/stale", cache(field)});
  }
  list.push_back({"a cache whose key has the first and the last position alone",
                  "table/stale", cache(kInnerPositions)});
  for (const int last : {1 << 10, 1 << 15, (1 << 16) - 1}) {
    list.push_back({"not rotated after " + std::to_string(last) + " calls",
                    "table/stale",
                    [=] { return std::make_unique<CountingKernel>(last); }});
  }
  list.push_back({"threads with unlike problems share a table", "memory/race",
                  [] { return std::make_unique<SharingKernel>(); }});
  list.push_back({"threads with long problems share positions", "memory/race",
                  [] { return std::make_unique<SharingKernel>(256); }});
  list.push_back({"tuned wrongly: not rotated from the 20th call of a shape",
                  "table/stale",
                  [] { return std::make_unique<TunedKernel>(); }});
  return list;
}

struct CallJudge::Calls {
  const cases::RopeCase* chosen = nullptr;
  std::vector<check::Variation> variations;
  std::vector<check::Subject> others;
};

CallJudge::CallJudge(const cases::Corpus& corpus) {
  ThreadedKernel right;
  Calls calls;
  calls.chosen =
      check::ContractChecks(right, corpus, false, false).chosen(kKind);
  if (calls.chosen == nullptr) {
    throw std::invalid_argument("no case with several rows and heads");
  }
  calls.variations = check::variations_of(right, ROPEPROOF_ROPE, *calls.chosen);
  std::map<std::string, const cases::RopeCase*> by_id;
  for (const cases::Group& group : corpus.groups) {
    for (const cases::RopeCase& c : group.rope_cases) by_id[c.id] = &c;
  }
  calls.others = check::contrasting_subjects(right, by_id, check::kThreads);
  calls_ = std::make_unique<const Calls>(std::move(calls));
}

CallJudge::~CallJudge() = default;

std::vector<explain::Diagnosis> CallJudge::diagnose(
    PipelineKernel& kernel) const {
  const check::Subject subject =
      check::subject_of(kernel, *calls_->chosen, ROPEPROOF_ROPE);
  check::Run run;
  const auto add = [&](check::Check check) {
    if (check.passes()) return;
    check.case_id = calls_->chosen->id;
    check.operation = ROPEPROOF_ROPE;
    run.checks.push_back(std::move(check));
  };
  add(check::check_changes(kernel, ROPEPROOF_ROPE, calls_->variations));
  if (run.checks.empty() && kernel.is_concurrent()) {
    add(check::check_concurrency(kernel, subject, calls_->others));
    add(check::check_many_calls(kernel, subject));
    add(check::check_large_concurrency(kernel, subject));
  }
  return explain::broken_promises(run);
}

}  // namespace ropeproof::conformance::selftest
