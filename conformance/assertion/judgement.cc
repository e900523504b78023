#include "conformance/assertion/judgement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "conformance/assertion/abi_problem.h"
#include "conformance/assertion/screening.h"
#include "conformance/cases/form_golden.h"
#include "conformance/cases/summary.h"
#include "conformance/explain/account.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/fields.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::assertion {
namespace {

// Hypotheses are tried on results up to this size; larger ones keep the
// pattern and what was measured.
constexpr std::int64_t kLargestExplained = std::int64_t{1} << 17;

// Whether so many elements whose bound accepts any rotation leave a verdict.
bool is_verdict(std::int64_t open, std::int64_t elements) {
  return 100 * open <= elements;
}

std::string passing_text(const judge::Measurement& m) {
  if (m.elements == 0) return "no elements: there is nothing to judge";
  const std::string all =
      "all " + std::to_string(m.elements) + " elements are within their bound";
  return m.worst
             ? all + ", the worst at " + report::ratio_text(m.worst->ratio()) +
                   " of it: " + report::place(*m.worst)
             : all;
}

constexpr const char* kClassNames[] = {"A0", "A1", "A2", "A3"};
constexpr const char* kClassWords[] = {
    "no error of its own", "a position times a frequency in f32",
    "frequencies that are multiplied on from pair to pair", "a 16-bit type"};

// NaNs and infinities have rules in place of goldens.
bool has_special(reference::Format format, const cases::Bits& x) {
  return judge::with_format(format, [&]<reference::Format kFormat>() {
    return std::ranges::any_of(x, [](std::uint64_t bits) {
      return !std::isfinite(judge::fast_decode<kFormat>(bits));
    });
  });
}

plugin::Description kernel_of(const cases::Problem& p, std::uint32_t operation,
                              const ropeproof_claim& claim) {
  plugin::Description kernel;
  kernel.name = "kernel", kernel.version = "0";
  kernel.operations = operation;
  kernel.dtypes = plugin::abi_dtype(p.dtype);
  kernel.pairings = plugin::abi_pairing(p.spec.layout.pairing);
  kernel.features = ROPEPROOF_OUT_OF_PLACE;
  // Of a scaling the kernel has the parameters: its roundings are on top.
  if (p.spec.frequencies.scaling.index() == 0) {
    kernel.features |= ROPEPROOF_INV_FREQ;
  }
  kernel.claims = {claim};
  ropeproof_claim& held_to = kernel.claims[0];
  held_to.power_ulp = std::max(held_to.power_ulp, 1u);  // 0 means 1
  held_to.trig_ulp = std::max(held_to.trig_ulp, 1u);
  plugin::check_description(kernel, "claim");
  return kernel;
}

// All that decides frequencies and amplitude of a problem, as bytes.
std::string frequency_key(const ropeproof_problem& p) {
  std::string key;
  const auto add = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto add_list = [&](const auto* list) {
    add(list != nullptr);
    if (list == nullptr) return;
    for (std::int64_t j = 0; j < p.rotary_dim / 2; ++j) add(list[j]);
  };
  add(p.rotary_dim), add(p.base), add(p.amplitude);
  add_list(p.inv_freq), add_list(p.pair_bases);
  add_list(p.exponent_numerators), add_list(p.exponent_denominators);
  add(p.scaling != nullptr);
  if (p.scaling == nullptr) return key;
  add(p.scaling->kind);
  const auto add_field = [&](const char*, const auto& value) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
      add_list(value);
    } else {
      add(value);
    }
  };
  plugin::for_each_field(*p.scaling, add_field);
  return key;
}

// What the judge and the screening need of a golden beside q and k. An oracle
// takes some 10 us for each frequency, and tests ask for few sets of them.
cases::Golden frequencies_of(const ropeproof_problem& given,
                             const cases::Problem& p) {
  constexpr std::size_t kMostKept = 64;
  static std::mutex mutex;
  static std::map<std::string, cases::Golden> kept;
  const std::string key = frequency_key(given);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = kept.find(key); found != kept.end()) {
      return found->second;
    }
  }
  const reference::Goldens goldens(reference::best_oracle(), p.spec, {});
  cases::Golden golden;
  golden.amplitude = goldens.resolution().amplitude;
  for (const auto& theta : goldens.frequencies()) {
    golden.inv_freq_hi.push_back(theta.hi);
    golden.inv_freq_lo.push_back(theta.lo);
  }
  const std::lock_guard lock(mutex);
  if (kept.size() == kMostKept) kept.clear();
  return kept[key] = golden;
}

}  // namespace

struct Judgement::Judged {
  plugin::Description kernel;
  std::uint32_t operation = 0;
  cases::Case asked;  // its golden is formed when it is needed
  std::optional<GivenTable> given;
  judge::Claim claim;
  judge::Output output;

  std::once_flag is_measured, is_told;
  judge::Measurement measurement;
  Numbers numbers;
  std::string told;

  std::int64_t elements() const;
  bool is_screened(const ropeproof_problem& problem) const;
  void measure();
  bool are_nans() const;
  std::vector<explain::Diagnosis> diagnoses() const;
  std::string case_text() const;
  std::string bound_text() const;
  std::string other_claim_text() const;
  std::string failure_text() const;
};

std::int64_t Judgement::Judged::elements() const {
  return operation == ROPEPROOF_TABLE
             ? 2 * asked.problem.tokens() * asked.problem.pairs()
             : asked.problem.elements();
}

bool Judgement::Judged::is_screened(const ropeproof_problem& problem) const {
  const cases::Problem& p = asked.problem;
  if (operation == ROPEPROOF_TABLE) return false;
  return is_surely_within(
      p, given ? golden_of(*given, p) : frequencies_of(problem, p), operation,
      claim, output, given ? &*given : nullptr);
}

void Judgement::Judged::measure() {
  if (elements() == 0) {  // the lists are there for C
    numbers.golden.reserve(1), numbers.bound.reserve(1);
    return;
  }
  cases::Problem& p = asked.problem;
  p.is_special = has_special(p.dtype, p.q) || has_special(p.dtype, p.k);
  cases::Golden& g = asked.golden;
  if (given) {
    g = golden_of(*given, p);
    rotate(*given, p, g);
  } else {
    g = cases::form_golden(p, reference::best_oracle());
  }
  measurement = judge::judge(p, g, operation, claim, output);
  numbers.wrong = measurement.wrong;
  numbers.worst = measurement.worst ? measurement.worst->ratio() : 0;
  for (const judge::Mark& mark :
       judge::marks_of(p, g, operation, claim, output)) {
    numbers.bound.push_back(mark.bound);
  }
  const bool is_table = operation == ROPEPROOF_TABLE;
  for (const cases::Bits* bits :
       is_table ? std::array{&g.cos, &g.sin} : std::array{&g.q, &g.k}) {
    for (const std::uint64_t golden : *bits) {
      numbers.golden.push_back(cases::value_of(golden));
    }
  }
}

// Whether every wrong element is a NaN, which no buffer of the suite held.
bool Judgement::Judged::are_nans() const {
  const auto nans = [&](const cases::Bits& bits) {
    return std::ranges::count_if(bits, [&](std::uint64_t b) {
      return std::isnan(judge::fast_decode(asked.problem.dtype, b));
    });
  };
  return operation != ROPEPROOF_TABLE && !asked.problem.is_special &&
         nans(output.q) + nans(output.k) == measurement.wrong;
}

std::vector<explain::Diagnosis> Judgement::Judged::diagnoses() const {
  if (elements() > kLargestExplained || are_nans()) return {};
  explain::Evidence evidence;
  evidence.kernel = kernel;
  const explain::Facts facts;  // of one problem, the places alone tell apart
  explain::Answer answer;
  answer.facts = &facts;
  answer.operation = operation;
  answer.asked = std::make_shared<const cases::Case>(asked);
  answer.claim = claim;
  answer.output = std::make_shared<const judge::Output>(output);
  answer.is_failure = true;
  answer.elements = measurement.elements;
  evidence.wrong.push_back(std::move(answer));
  evidence.right = [](const std::set<std::uint32_t>&) {
    return std::vector<explain::Answer>();
  };
  return explain::explain(evidence).faults;
}

std::string Judgement::Judged::case_text() const {
  const cases::Problem& p = asked.problem;
  if (!given) return cases::summary(asked);
  const reference::Layout& layout = p.spec.layout;
  return std::string(text::word(text::kFormatWords, p.dtype)) + " " +
         std::string(text::word(text::kPairingWords, layout.pairing)) +
         ", cos and sin given, head_dim " + std::to_string(layout.head_dim) +
         ", rotary_dim " + std::to_string(layout.rotary_dim) + ", batch " +
         std::to_string(p.batch) + ", seq " + std::to_string(p.seq) +
         ", heads " + std::to_string(p.q_heads);
}

// The bound of the worst element as a number, and what it consists of.
std::string Judgement::Judged::bound_text() const {
  const judge::Element& e =
      measurement.worst ? *measurement.worst : *measurement.first_wrong;
  if (e.pair < 0) return "none: channels outside the window are copied";
  judge::PairBounds bounds(asked.problem, asked.golden, claim, operation);
  const judge::Terms& terms = bounds.at(
      e.batch * asked.problem.seq + e.token)[static_cast<std::size_t>(e.pair)];
  if (terms.is_vacuous) {
    return "at this angle the claim accepts any rotation; the length of the "
           "pair is judged";
  }
  const double arithmetic = terms.classes[ROPEPROOF_A0];
  std::string text = report::ratio_text(e.bound) + " for the worst: ";
  if (terms.has_angle && terms.claim > arithmetic) {
    text += report::ratio_text(terms.claim - arithmetic) +
            " of the pair's length for an angle of " +
            kClassWords[kernel.claims[0].angle_class] + ", ";
  }
  text += report::ratio_text(arithmetic) + " for the arithmetic after it";
  if (terms.result > 0) {
    text += ", " + report::ratio_text(terms.result) +
            " of the result for its rounding";
  }
  return text + " (claim " + kClassNames[kernel.claims[0].angle_class] + ")";
}

// The first claim beside the caller's by which nothing is wrong: what an honest
// kernel of another arithmetic has to say. 16-bit angles (A3) are not tried.
std::string Judgement::Judged::other_claim_text() const {
  if (elements() > kLargestExplained) return "";
  using Claim = ropeproof_claim;
  constexpr std::uint32_t kUlps = 4;
  const auto in_f32 = [](Claim& c) {
    c.angle_class = std::max<std::uint32_t>(c.angle_class, ROPEPROOF_A1);
  };
  const auto by_exp2 = [](Claim& c) { c.power = ROPEPROOF_EXP2; };
  const auto in_steps = [](Claim& c) {
    c.angle_class = std::max<std::uint32_t>(c.angle_class, ROPEPROOF_A2);
  };
  const auto in_ulps = [](Claim& c) { c.power_ulp = c.trig_ulp = kUlps; };
  const auto rounds_each = [](Claim& c) { c.rounding = ROPEPROOF_ROUND_EACH; };
  const std::vector<std::function<void(Claim&)>> kChanges = {
      in_f32, by_exp2, in_ulps, in_steps, rounds_each};
  for (const auto& change : kChanges) {
    plugin::Description other = kernel;
    change(other.claims[0]);
    judge::Claim tried = judge::claim_of(other, asked.problem.dtype, operation);
    if (given) tried.table = claim.table;
    const judge::Measurement m =
        judge::judge(asked.problem, asked.golden, operation, tried, output);
    if (m.wrong == 0 && is_verdict(m.vacuous, m.elements)) {
      return report::paragraph(
          "claim", "the looser claim " +
                       plugin::claim_members(other.claims[0]).dump() +
                       " allows errors of this size; make it only for a kernel "
                       "that computes so");
    }
  }
  return "";
}

// As in the report of a run, without what replays it.
std::string Judgement::Judged::failure_text() const {
  const judge::Measurement& m = measurement;
  const explain::Account account = explain::account_of(
      m, asked.problem, asked.golden, operation, claim, output);
  const std::vector<explain::Diagnosis> faults = diagnoses();
  const bool is_named = std::ranges::any_of(faults, [](const auto& d) {
    return d.what != "" && !(d.bug == cases::Bug("memory/wrong-place"));
  });
  // What stands there, where it was found, says more than a bug without a name.
  const bool is_seen = !is_named && !account.measured.empty();
  std::string text = std::to_string(m.wrong) + " of " +
                     std::to_string(m.elements) +
                     " elements are beyond their bound\n" +
                     (is_seen ? report::paragraph("what", account.measured[0])
                              : report::diagnoses_text(faults, false)) +
                     report::paragraph("case", case_text()) +
                     report::element_text("first", *m.first_wrong);
  if (m.worst) text += report::element_text("worst", *m.worst);
  text += report::paragraph("bound", bound_text()) + other_claim_text();
  text += report::paragraph("pattern", account.pattern);
  for (std::size_t i = is_seen ? 1 : 0; i < account.measured.size(); ++i) {
    text += report::paragraph("measured", account.measured[i]);
  }
  if (is_named) return text;  // whose reason has its equation
  const explain::Equation& equation = explain::equation(account.equation);
  return text +
         report::paragraph("equation", "(R" + std::to_string(equation.number) +
                                           ") " + std::string(equation.text));
}

Judgement::Judgement(const ropeproof_problem& problem,
                     const ropeproof_claim& claim)
    : judged_(std::make_unique<Judged>()) {
  Judged& j = *judged_;
  j.operation = problem.operation;
  cases::Problem& p = j.asked.problem;
  p = read_problem(problem);
  j.kernel = kernel_of(p, j.operation, claim);
  j.claim = judge::claim_of(j.kernel, p.dtype, j.operation);
  if (j.elements() == 0) return;
  if (j.operation == ROPEPROOF_ROTATE) {
    j.given = read_given_table(problem, p.spec);
    j.claim.table = reference::Format::kF64;  // exact, as given
  }
  j.output = read_output(problem);
  if (j.is_screened(problem)) return;
  wrong_ = numbers().wrong;
  unjudged_ = j.measurement.vacuous;
}

Judgement::~Judgement() = default;

std::int64_t Judgement::elements() const { return judged_->elements(); }

std::string Judgement::no_verdict() const {
  if (wrong_ > 0 || is_verdict(unjudged_, elements())) return "";
  const judge::ByPosition& at = judged_->measurement.vacuous_at;
  const auto first = std::ranges::find_if(at, [](auto n) { return n > 0; });
  const std::int64_t power = first - at.begin();
  const std::string from =
      power == 0 ? "" : " of 2^" + std::to_string(power - 1) + " and more";
  return "positions" + from + ": there the claim " +
         kClassNames[judged_->kernel.claims[0].angle_class] +
         " accepts any rotation, so " + text::part_of(unjudged_, elements()) +
         " elements were not judged; give smaller positions or a stricter "
         "claim";
}

const Numbers& Judgement::numbers() const {
  std::call_once(judged_->is_measured, [&] { judged_->measure(); });
  return judged_->numbers;
}

const std::string& Judgement::text() const {
  numbers();
  std::call_once(judged_->is_told, [&] {
    judged_->told = wrong_ == 0 ? passing_text(judged_->measurement)
                                : judged_->failure_text();
  });
  return judged_->told;
}

}  // namespace ropeproof::conformance::assertion
