#include "conformance/explain/right_answers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "conformance/check/contract.h"
#include "conformance/check/formed.h"
#include "conformance/cover/formed.h"
#include "conformance/explain/failures.h"
#include "conformance/wrong/pipeline_kernel.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

using cases::rounded_to;
using reference::at;

constexpr std::size_t kMostPassing = 240;
constexpr std::int64_t kLargest = std::int64_t{1} << 13;  // elements

// The goldens of heads, rounded once; channels outside the window are copied.
cases::Bits rotated(const cases::RopeCase& c, const cases::Bits& x,
                    const cases::Bits& goldens) {
  cases::Bits y = x;
  for (std::int64_t head = 0; head < std::ssize(y);
       head += c.spec.layout.head_dim) {
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      const reference::Pair to = reference::target_pair(c.spec, j);
      for (const std::int64_t t : {head + to.u, head + to.v}) {
        at(y, t) = encode(c.dtype, cases::value_of(at(goldens, t)));
      }
    }
  }
  return y;
}

// The cases of a run by their ids.
class Asked {
 public:
  // Both outlive it.
  Asked(const check::Run& run, const cases::Corpus& corpus)
      : run_(run), corpus_(corpus) {}

  // Null where there is none of this id.
  std::shared_ptr<const cases::RopeCase> rope(const std::string& id) {
    if (auto c = committed(&cases::Group::rope_cases, id)) return c;
    const auto question = form(id);
    return {question, question ? &question->rope : nullptr};
  }
  std::shared_ptr<const cases::PermuteCase> permute(const std::string& id) {
    if (auto c = committed(&cases::Group::permute_cases, id)) return c;
    const auto question = form(id);
    return {question,
            question && question->permute ? &*question->permute : nullptr};
  }

 private:
  template <class Case>
  std::shared_ptr<const Case> committed(std::vector<Case> cases::Group::*list,
                                        const std::string& id) const {
    for (const cases::Group& group : corpus_.groups) {
      const auto found = std::ranges::find(group.*list, id, &Case::id);
      if (found == (group.*list).end()) continue;
      return {std::shared_ptr<void>{}, &*found};
    }
    return nullptr;
  }

  // Formed once and kept: several operations ask it.
  std::shared_ptr<const check::FormedQuestion> form(const std::string& id) {
    auto& question = questions_[id];
    const auto found =
        std::ranges::find(run_.formed, id, &cover::FormedCase::id);
    if (question == nullptr && found != run_.formed.end()) {
      question = std::make_shared<const check::FormedQuestion>(
          check::Forming({&*found}, run_.formed_for).next());
    }
    return question;
  }

  const check::Run& run_;
  const cases::Corpus& corpus_;
  std::map<std::string, std::shared_ptr<const check::FormedQuestion>>
      questions_;
};

}  // namespace

judge::Output exact_output(const cases::RopeCase& c, std::uint32_t operation,
                           reference::Format table) {
  judge::Output output;
  if (operation == ROPEPROOF_FREQUENCIES) {
    output.inv_freq = rounded_to(table, c.inv_freq_hi);
  } else if (operation == ROPEPROOF_TABLE) {
    output.cos = rounded_to(table, c.cos);
    output.sin = rounded_to(table, c.sin);
  } else {
    output.q = rotated(c, c.q, c.q_out);
    output.k = rotated(c, c.k, c.k_out);
  }
  return output;
}

std::vector<RightAnswer> right_answers(
    const check::Run& run, const cases::Corpus& corpus,
    const std::set<std::uint32_t>& operations) {
  std::vector<const check::Check*> passing;
  for (const check::Check& check : run.checks) {
    if (check.verdict == check::Verdict::kPass && check.aspect.empty() &&
        check.measurement && check.measurement->elements <= kLargest &&
        operations.contains(check.operation)) {
      passing.push_back(&check);
    }
  }
  Asked asked(run, corpus);
  const wrong::PipelineKernel claims(run.kernel, {});
  std::vector<RightAnswer> answers;
  const std::size_t count = std::min(kMostPassing, passing.size());
  for (std::size_t i = 0; i < count; ++i) {
    const check::Check& check = *passing[i * passing.size() / count];
    if (check.operation == ROPEPROOF_PERMUTE) {
      const auto c = asked.permute(check.case_id);
      if (c == nullptr) continue;
      judge::Output exact;
      exact.permuted = c->out;
      answers.push_back(
          {&check, c, std::make_unique<Trial>(*c, run.kernel, exact)});
      continue;
    }
    const auto c = asked.rope(check.case_id);
    if (c == nullptr || c->is_special) continue;
    const reference::Format table =
        check::subject_of(claims, *c, check.operation).claim.table;
    answers.push_back({&check, c,
                       trial_of(*c, check.operation, run.kernel,
                                exact_output(*c, check.operation, table))});
  }
  return answers;
}

}  // namespace ropeproof::conformance::explain
