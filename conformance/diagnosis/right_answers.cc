#include "conformance/diagnosis/right_answers.h"

#include <iterator>
#include <map>
#include <string>

#include "conformance/check/contract.h"
#include "conformance/check/formed.h"
#include "conformance/cover/formed.h"
#include "conformance/diagnosis/failures.h"
#include "conformance/diagnosis/knob_kernel.h"
#include "reference/rope.h"

namespace ropeproof::conformance::diagnosis {
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
  Asked(const check::Run& run, const cases::Corpus& corpus) : run_(run) {
    for (const cases::Group& group : corpus.groups) {
      for (const cases::RopeCase& c : group.rope_cases) ropes_[c.id] = &c;
      for (const cases::PermuteCase& c : group.permute_cases) {
        permutes_[c.id] = &c;
      }
    }
    for (const cover::FormedCase& c : run.formed) formed_[c.id] = &c;
  }

  // Null where there is none of this id.
  std::shared_ptr<const cases::RopeCase> rope(const std::string& id) const {
    const auto found = ropes_.find(id);
    if (found != ropes_.end()) return unowned(found->second);
    const auto question = form(id);
    return question ? std::shared_ptr<const cases::RopeCase>(question,
                                                             &question->rope)
                    : nullptr;
  }
  std::shared_ptr<const cases::PermuteCase> permute(
      const std::string& id) const {
    const auto found = permutes_.find(id);
    if (found != permutes_.end()) return unowned(found->second);
    const auto question = form(id);
    return question && question->permute
               ? std::shared_ptr<const cases::PermuteCase>(question,
                                                           &*question->permute)
               : nullptr;
  }

 private:
  template <class Case>
  static std::shared_ptr<const Case> unowned(const Case* c) {
    return {std::shared_ptr<void>{}, c};
  }

  // Formed once and kept: several operations ask it.
  std::shared_ptr<const check::FormedQuestion> form(
      const std::string& id) const {
    auto& question = questions_[id];
    const auto found = formed_.find(id);
    if (question == nullptr && found != formed_.end()) {
      question = std::make_shared<const check::FormedQuestion>(
          check::Forming({found->second}, run_.formed_for).next());
    }
    return question;
  }

  const check::Run& run_;
  std::map<std::string, const cases::RopeCase*> ropes_;
  std::map<std::string, const cases::PermuteCase*> permutes_;
  std::map<std::string, const cover::FormedCase*> formed_;
  mutable std::map<std::string, std::shared_ptr<const check::FormedQuestion>>
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
  const Asked asked(run, corpus);
  const KnobKernel claims(run.kernel, {});
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

}  // namespace ropeproof::conformance::diagnosis
