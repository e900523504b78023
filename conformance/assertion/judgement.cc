#include "conformance/assertion/judgement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "conformance/assertion/abi_problem.h"
#include "conformance/assertion/fused_readings.h"
#include "conformance/assertion/judged.h"
#include "conformance/assertion/part.h"
#include "conformance/assertion/screening.h"
#include "conformance/assertion/table_rows.h"
#include "conformance/cases/summary.h"
#include "conformance/explain/account.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/pair_bounds.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::assertion {
namespace {

// Hypotheses are tried on so many elements, claims on so many.
constexpr std::int64_t kMostExplained = std::int64_t{1} << 17;
constexpr std::int64_t kMostClaimed = std::int64_t{1} << 23;

// A cache is searched for the rows that a kernel took up to this size.
constexpr std::int64_t kMostEntries = std::int64_t{1} << 23;

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

plugin::Description kernel_of(const cases::Problem& p, std::uint32_t operation,
                              const ropeproof_claim& claim) {
  plugin::Description kernel;
  kernel.name = "kernel", kernel.version = "0";
  kernel.operations = operation;
  kernel.dtypes = plugin::abi_dtype(p.dtype);
  kernel.pairings = plugin::abi_pairing(p.spec.layout.pairing);
  kernel.features = ROPEPROOF_OUT_OF_PLACE;
  if (p.k_heads > 0) kernel.features |= ROPEPROOF_KEYS;
  // The kernel has the parameters of a scaling: its roundings are on top.
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

}  // namespace

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

// The part of a large result that hypotheses are tried on.
std::optional<Part> Judgement::Judged::looked_at() const {
  const bool has_heads = operation == ROPEPROOF_ROPE || given;
  if (elements() <= kMostExplained || !has_heads) return std::nullopt;
  return part_around(asked, output, *measurement.first_wrong, kMostExplained);
}

std::vector<explain::Diagnosis> Judgement::Judged::diagnoses(
    explain::Answer answer, const std::optional<Part>& part) const {
  std::string other = cache ? rows_taken(asked, *cache, claim, output) : "";
  if (given && other.empty()) {
    other = channels_taken(asked.problem, *given, claim, output);
  }
  if (fused) {
    const judge::Element& wrong = *measurement.first_wrong;
    other = other_reading(*fused, wrong.batch * asked.problem.seq + wrong.token,
                          rotation_claim(kernel.claims[0]));
  }
  if (!other.empty()) {
    explain::Diagnosis read;
    read.what = other, read.residual = 0;
    read.checks = read.tried = 1;
    return {read};
  }
  if (are_nans()) return {};
  if (!part && elements() > kMostExplained) return {};
  explain::Evidence evidence;
  evidence.kernel = kernel;
  const explain::Facts facts;  // of one problem, the places alone tell apart
  if (part) {
    answer =
        explain::answer_of(std::make_shared<const cases::Case>(part->asked),
                           operation, claim, part->output);
  }
  answer.facts = &facts;
  if (part) answer.tokens = part->tokens, answer.seq = asked.problem.seq;
  evidence.wrong.push_back(std::move(answer));
  evidence.right = [](const std::set<std::uint32_t>&) {
    return std::vector<explain::Answer>();
  };
  return explain::explain(evidence).faults;
}

std::string Judgement::Judged::case_text() const {
  const cases::Problem& p = asked.problem;
  // What a fused kernel was given has the dtype in its words.
  if (fused) return words_of(*fused) + cases::shape_text(asked);
  if (!given) return cases::summary(asked);
  const reference::Layout& layout = p.spec.layout;
  return cases::type_text(p) + ", cos and sin given, head_dim " +
         std::to_string(layout.head_dim) + ", rotary_dim " +
         std::to_string(layout.rotary_dim) + ", batch " +
         std::to_string(p.batch) + ", seq " + std::to_string(p.seq) +
         ", heads " + std::to_string(p.q_heads);
}

judge::Claim Judgement::Judged::rotation_claim(
    const ropeproof_claim& made) const {
  return judge::claim_of(made, kernel.features,
                         fused ? fused->dtype : asked.problem.dtype, operation);
}

// Of all that the kernel computes.
judge::Claim Judgement::Judged::claim_by(const ropeproof_claim& made) const {
  judge::Claim by = rotation_claim(made);
  if (given) by.table = reference::Format::kF64;  // exact, as given
  return fused ? claim_of(*fused, by, largest_scale(*fused)) : by;
}

// The bound of the worst element as a number, and what it consists of.
std::string Judgement::Judged::bound_text() const {
  const judge::Element& e =
      measurement.worst ? *measurement.worst : *measurement.first_wrong;
  if (e.pair < 0) {
    return fused ? "of the norm and the stored type: channels outside the "
                   "window are not rotated"
                 : "none: channels outside the window are copied";
  }
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
  text += report::ratio_text(arithmetic) +
          (fused && fused->norm ? " for the norm and the arithmetic after it"
                                : " for the arithmetic after it");
  if (terms.result > 0) {
    text += ", " + report::ratio_text(terms.result) +
            " of the result for its rounding";
  }
  return text + " (claim " + kClassNames[kernel.claims[0].angle_class] + ")";
}

// The first claim beside the caller's by which nothing is wrong: what an honest
// kernel of another arithmetic has to say. 16-bit angles (A3) are not tried.
std::string Judgement::Judged::other_claim_text() const {
  if (elements() > kMostClaimed) return "";
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
  const auto truncates = [](Claim& c) { c.rounding = ROPEPROOF_TRUNCATE; };
  const auto rounds_each = [](Claim& c) { c.rounding = ROPEPROOF_ROUND_EACH; };
  // cos and sin of a kernel for narrower tensors.
  const auto in_f32_throughout = [&](Claim& c) {
    in_f32(c), c.table_dtype = ROPEPROOF_F32;
  };
  std::vector<std::function<void(Claim&)>> changes = {
      in_f32, rounds_each, by_exp2, in_ulps, in_steps, truncates};
  if (kernel.dtypes == ROPEPROOF_F64) changes.push_back(in_f32_throughout);
  for (const auto& change : changes) {
    Claim other = kernel.claims[0];
    change(other);
    const judge::Measurement m = judge::judge(
        asked.problem, asked.golden, operation, claim_by(other), output);
    if (m.wrong == 0 && is_verdict(m.vacuous, m.elements)) {
      return report::paragraph(
          "claim", "the looser claim " + plugin::claim_members(other).dump() +
                       " allows errors of this size; make it only for a kernel "
                       "that computes so");
    }
  }
  return "";
}

// As in the report of a run, without what replays it.
std::string Judgement::Judged::failure_text() const {
  const judge::Measurement& m = measurement;
  const explain::Answer answer = explain::answer_of(
      {std::shared_ptr<void>{}, &asked}, operation, claim, output);
  const explain::Account account = explain::account_of(answer);
  const std::optional<Part> part = looked_at();
  const std::vector<explain::Diagnosis> faults = diagnoses(answer, part);
  const std::string claim_text = other_claim_text();
  // Elements that are altered somehow are what a looser claim allows.
  const bool is_named = std::ranges::any_of(faults, [&](const auto& d) {
    const bool says_little =
        d.bug.area() == cases::Area::kMemory ||
        (d.bug.area() == cases::Area::kValue && !claim_text.empty());
    return d.what != "" && !(d.bug.is_seen() && says_little);
  });
  // What stands there, where it was found, says more than a bug without a name.
  const bool is_seen = !is_named && !account.measured.empty();
  const bool is_claim_first = !is_named && !is_seen && !claim_text.empty();
  std::string text =
      std::to_string(m.wrong) + " of " + std::to_string(m.elements) +
      " elements are beyond their bound\n" +
      (is_seen          ? report::paragraph("what", account.measured[0])
       : is_claim_first ? claim_text
                        : report::diagnoses_text(faults, false)) +
      (part && is_named ? report::paragraph("tried", "on " + part->text) : "") +
      report::paragraph("case", case_text()) +
      report::element_text("first", *m.first_wrong);
  if (m.worst) text += report::element_text("worst", *m.worst);
  text += report::paragraph("bound", bound_text());
  if (!is_claim_first) text += claim_text;
  text += report::paragraph("pattern", account.pattern);
  for (std::size_t i = is_seen ? 1 : 0; i < account.measured.size(); ++i) {
    text += report::paragraph("measured", account.measured[i]);
  }
  // A name's reason has its equation; else it stands where numbers show it.
  if (is_named || !account.is_equation_shown) return text;
  const explain::Equation& equation = explain::equation(account.equation);
  return text +
         report::paragraph("equation", "(R" + std::to_string(equation.number) +
                                           ") " + std::string(equation.text));
}

Judgement::Judgement(const ropeproof_problem& problem,
                     const ropeproof_claim& claim, Result result)
    : judged_(std::make_unique<Judged>()) {
  Judged& j = *judged_;
  const bool is_lookup = problem.operation == ROPEPROOF_LOOKUP;
  j.operation = problem.operation;
  if (is_lookup) j.operation = ROPEPROOF_ROTATE;  // by its rows
  cases::Problem& p = j.asked.problem;
  p = read_problem(problem);
  j.kernel = kernel_of(p, j.operation, claim);
  if (result == Result::kNone) wrong_ = -1;
  if (j.elements() == 0) return;
  if (j.operation == ROPEPROOF_ROTATE) {
    j.given = read_given_table(problem, p.spec);
  }
  j.claim = j.claim_by(j.kernel.claims[0]);
  if (!j.is_table()) {
    j.tables = j.given ? golden_of(*j.given, p) : frequencies_of(p);
  }
  if (result == Result::kNone) return;
  j.output = read_output(problem);
  if (is_surely_within(p, j.tables, j.operation, j.claim, j.output,
                       j.given ? &*j.given : nullptr)) {
    return;
  }
  wrong_ = j.measured().wrong;
  unjudged_ = j.measured().vacuous;
  if (wrong_ > 0 && is_lookup &&
      problem.cache_rows * p.pairs() <= kMostEntries) {
    try {
      j.cache = read_given_table(problem, p.spec, Rows::kAll);
    } catch (const std::invalid_argument&) {
      // Rows that no token uses may hold anything.
    }
  }
}

Judgement::Judgement(FusedParts parts, const ropeproof_claim& claim)
    : judged_(std::make_unique<Judged>()) {
  Judged& j = *judged_;
  j.operation = ROPEPROOF_ROPE;
  cases::Problem& p = j.asked.problem = problem_of(parts);
  j.kernel = kernel_of(p, j.operation, claim);
  if (j.elements() == 0) return;
  j.fused = std::move(parts);
  j.claim = j.claim_by(j.kernel.claims[0]);
  FusedOutput made =
      output_of(*j.fused, p, j.golden(), j.rotation_claim(j.kernel.claims[0]));
  j.output = std::move(made.output);
  wrong_ = j.measured().wrong;
  hidden_ = made.hidden;
  unjudged_ = j.measured().vacuous;
}

Judgement::~Judgement() = default;

std::int64_t Judgement::elements() const { return judged_->elements(); }

std::string Judgement::no_verdict() const {
  if (wrong_ > 0) return "";
  if (2 * hidden_ > elements()) {
    return "scale: " + text::part_of(hidden_, elements()) +
           " elements are far beyond the largest number of the stored type, or "
           "below half of its smallest step, whatever the rotation: give "
           "another scale";
  }
  if (is_verdict(unjudged_, elements())) return "";
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

double Judgement::worst() const {
  if (wrong_ < 0) return HUGE_VAL;
  const judge::Measurement& m = judged_->measured();
  return m.worst ? m.worst->ratio() : 0;
}
const std::vector<double>& Judgement::golden() const {
  return judged_->golden_of_each();
}
const std::vector<double>& Judgement::bound() const {
  return judged_->bound_of_each();
}

const std::string& Judgement::text() const {
  std::call_once(judged_->is_told, [&] {
    judged_->told = wrong_ < 0    ? "nothing was judged: no result was given"
                    : wrong_ == 0 ? passing_text(judged_->measured())
                                  : judged_->failure_text();
  });
  return judged_->told;
}

}  // namespace ropeproof::conformance::assertion
