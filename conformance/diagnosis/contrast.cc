#include "conformance/diagnosis/contrast.h"

#include <bit>
#include <map>
#include <string>

#include "conformance/check/contract.h"
#include "conformance/check/formed.h"
#include "conformance/diagnosis/failures.h"
#include "conformance/diagnosis/knob_kernel.h"

namespace ropeproof::conformance::diagnosis {
namespace {

constexpr std::size_t kMost = 240;
constexpr std::int64_t kLargest = std::int64_t{1} << 13;  // elements

cases::Bits rounded_to(reference::Format format, const cases::Bits& goldens) {
  cases::Bits bits;
  for (const std::uint64_t golden : goldens) {
    bits.push_back(encode(format, std::bit_cast<double>(golden)));
  }
  return bits;
}

judge::Output exact_output(const cases::RopeCase& c, std::uint32_t operation,
                           reference::Format table) {
  judge::Output output;
  if (operation == ROPEPROOF_FREQUENCIES) {
    output.inv_freq = rounded_to(table, c.inv_freq_hi);
  } else if (operation == ROPEPROOF_TABLE) {
    output.cos = rounded_to(table, c.cos);
    output.sin = rounded_to(table, c.sin);
  } else {
    output.q = rounded_to(c.dtype, c.q_out);
    output.k = rounded_to(c.dtype, c.k_out);
  }
  return output;
}

}  // namespace

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
  std::map<std::string, std::shared_ptr<const cases::RopeCase>> cases;
  for (const cases::Group& group : corpus.groups) {
    for (const cases::RopeCase& c : group.rope_cases) {
      cases[c.id] = {std::shared_ptr<void>{}, &c};  // the corpus owns it
    }
  }
  std::map<std::string, const cover::FormedCase*> formed;
  for (const cover::FormedCase& c : run.formed) formed[c.id] = &c;

  const KnobKernel claims(run.kernel, {});
  std::vector<RightAnswer> answers;
  const std::size_t count = std::min(kMost, passing.size());
  for (std::size_t i = 0; i < count; ++i) {
    const check::Check& check = *passing[i * passing.size() / count];
    auto& c = cases[check.case_id];
    const auto found = formed.find(check.case_id);
    if (c == nullptr && found != formed.end()) {
      const cover::FormedCase* const one = found->second;
      c = std::make_shared<const cases::RopeCase>(
          check::form_all({&one, 1}, run.formed_for).front().rope);
    }
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
