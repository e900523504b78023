#include "conformance/assertion/judgement.h"

#include <algorithm>
#include <memory>
#include <set>

#include "conformance/assertion/abi_problem.h"
#include "conformance/cases/form_golden.h"
#include "conformance/cases/summary.h"
#include "conformance/explain/account.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/judge.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"

namespace ropeproof::conformance::assertion {
namespace {

// Hypotheses are tried on results up to this size; larger ones keep the
// pattern and what was measured.
constexpr std::int64_t kLargestExplained = std::int64_t{1} << 17;

struct Judged {
  plugin::Description kernel;
  std::uint32_t operation;
  cases::Case asked;
  judge::Claim claim;
  judge::Output output;
  judge::Measurement measurement;
};

std::vector<explain::Diagnosis> diagnoses_of(const Judged& j) {
  if (j.measurement.elements > kLargestExplained) return {};
  explain::Evidence evidence;
  evidence.kernel = j.kernel;
  explain::Answer answer;
  answer.operation = j.operation;
  answer.asked = std::make_shared<const cases::Case>(j.asked);
  answer.claim = j.claim;
  answer.output = std::make_shared<const judge::Output>(j.output);
  answer.is_failure = true;
  answer.elements = j.measurement.elements;
  evidence.wrong.push_back(std::move(answer));
  evidence.right = [](const std::set<std::uint32_t>&) {
    return std::vector<explain::Answer>();
  };
  return explain::explain(evidence).faults;
}

// As in the report of a run, without what replays it.
std::string failure_text(const Judged& j) {
  const judge::Measurement& m = j.measurement;
  const explain::Account account = explain::account_of(
      m, j.asked.problem, j.asked.golden, j.operation, j.claim, j.output);
  std::string text = std::to_string(m.wrong) + " of " +
                     std::to_string(m.elements) +
                     " elements are beyond their bound\n" +
                     report::diagnoses_text(diagnoses_of(j), false) +
                     report::paragraph("case", cases::summary(j.asked)) +
                     report::element_text("first", *m.first_wrong);
  if (m.worst) text += report::element_text("worst", *m.worst);
  text += report::paragraph("pattern", account.pattern);
  for (const std::string& sentence : account.measured) {
    text += report::paragraph("measured", sentence);
  }
  const explain::Equation& equation = explain::equation(account.equation);
  return text +
         report::paragraph("equation", "(R" + std::to_string(equation.number) +
                                           ") " + std::string(equation.text));
}

std::string passing_text(const judge::Measurement& m) {
  const std::string all =
      "all " + std::to_string(m.elements) + " elements are within their bound";
  return m.worst
             ? all + ", the worst at " + report::ratio_text(m.worst->ratio()) +
                   " of it: " + report::place(*m.worst)
             : all;
}

}  // namespace

Judgement judged(const ropeproof_problem& problem,
                 const ropeproof_claim& claim) {
  Judged j;
  j.operation = problem.operation;
  j.asked.problem = read_problem(problem);
  const cases::Problem& p = j.asked.problem;
  const bool is_given = j.operation == ROPEPROOF_ROTATE;
  j.asked.golden = is_given ? golden_of_given(problem, p)
                            : cases::form_golden(p, reference::best_oracle());
  j.kernel.name = "kernel", j.kernel.version = "0";
  j.kernel.operations = j.operation;
  j.kernel.dtypes = plugin::abi_dtype(p.dtype);
  j.kernel.pairings = plugin::abi_pairing(p.spec.layout.pairing);
  // Scalings are held to the frequencies that they decide.
  j.kernel.features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_INV_FREQ;
  j.kernel.claims = {claim};
  ropeproof_claim& held_to = j.kernel.claims[0];
  held_to.power_ulp = std::max(held_to.power_ulp, 1u);  // 0 means 1
  held_to.trig_ulp = std::max(held_to.trig_ulp, 1u);
  plugin::check_description(j.kernel, "claim");
  j.claim = judge::claim_of(j.kernel, p.dtype, j.operation);
  if (is_given) j.claim.table = reference::Format::kF64;  // exact, as given
  j.output = read_output(problem);
  j.measurement =
      judge::judge(p, j.asked.golden, j.operation, j.claim, j.output);
  const std::vector<judge::Mark> marks =
      judge::marks_of(p, j.asked.golden, j.operation, j.claim, j.output);

  Judgement judgement;
  const judge::Measurement& m = j.measurement;
  judgement.elements = m.elements, judgement.wrong = m.wrong;
  judgement.worst = m.worst ? m.worst->ratio() : 0;
  for (const judge::Mark& mark : marks) judgement.bound.push_back(mark.bound);
  const cases::Golden& g = j.asked.golden;
  const bool is_table = j.operation == ROPEPROOF_TABLE;
  for (const cases::Bits* bits :
       is_table ? std::array{&g.cos, &g.sin} : std::array{&g.q, &g.k}) {
    for (const std::uint64_t golden : *bits) {
      judgement.golden.push_back(cases::value_of(golden));
    }
  }
  judgement.text = m.pass() ? passing_text(m) : failure_text(j);
  return judgement;
}

}  // namespace ropeproof::conformance::assertion
