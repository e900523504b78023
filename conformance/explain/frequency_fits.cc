// The numbers that fit the frequencies which wrong angles show.
#include <algorithm>
#include <cmath>
#include <optional>

#include "conformance/explain/angle_cause.h"
#include "conformance/explain/rotations.h"
#include "conformance/text/format.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::explain {
namespace {

// An angle that is `off`, though it is `due`; the power of a base that its
// frequency should be.
struct Angle {
  double due, off, weight;
  double log_base, exponent, pair;
};

// log(frequency / due one) = slope(x) * s + term(x), for a number s.
struct Form {
  double (*slope)(const Angle&);
  double (*term)(const Angle&);
};

std::vector<Angle> angles_of(const std::vector<const Answer*>& answers,
                             const std::vector<TurnedPair>& pairs) {
  std::vector<Angle> angles;
  for (const TurnedPair& p : pairs) {
    const cases::Case& asked = *answers[p.answer]->asked;
    const reference::Spec& spec = asked.problem.spec;
    const reference::Frequencies& f = spec.frequencies;
    const bool follows_base = f.inv_freq.empty() && f.exponents.empty() &&
                              f.bases.empty() && f.base > 0;
    if (!follows_base || p.pair == 0) continue;
    const double sense =
        spec.direction == reference::Direction::kAdjoint ? -1 : 1;
    const double due = p.position * cases::value_of(reference::at(
                                        asked.golden.inv_freq_hi, p.pair));
    angles.push_back({sense * due, p.off, p.certainty, std::log(f.base),
                      -2 * static_cast<double>(p.pair) /
                          static_cast<double>(spec.layout.rotary_dim),
                      static_cast<double>(p.pair)});
  }
  return angles;
}

// The number that most small angles show, then by all that it explains to
// within a part of a circle.
std::optional<double> fit(const std::vector<Angle>& angles, const Form& form) {
  constexpr double kSmall = 1, kExplained = 0.25;
  constexpr std::size_t kFewest = 4;
  std::vector<double> shown;
  for (const Angle& a : angles) {
    const double ratio = 1 + a.off / a.due;
    if (std::abs(a.due) > kSmall || a.due == 0 || !(ratio > 0)) continue;
    shown.push_back((std::log(ratio) - form.term(a)) / form.slope(a));
  }
  if (shown.size() < kFewest) return std::nullopt;
  const auto middle = shown.begin() + std::ssize(shown) / 2;
  std::ranges::nth_element(shown, middle);
  double s = *middle;
  for (int i = 0; i < 8; ++i) {
    double products = 0, squares = 0;
    for (const Angle& a : angles) {
      const double taken = a.due * std::exp(form.slope(a) * s + form.term(a));
      const double left = in_half_circle(a.off + a.due - taken);
      if (!(std::abs(left) < kExplained)) continue;
      const double by = taken * form.slope(a);
      products += a.weight * by * left;
      squares += a.weight * by * by;
    }
    if (squares > 0) s += products / squares;
  }
  return s;
}

wrong::Mutation named(const std::string& what, cases::Bug bug,
                      wrong::Change change) {
  const wrong::Slip slip{bug, 1, "theta_j = base^(-2j/r), j = 0 .. r/2 - 1"};
  return slip(what, "", std::move(change));
}

double exponent(const Angle& a) { return a.exponent; }
double log_power(const Angle& a) { return a.exponent * a.log_base; }
double minus_log_power(const Angle& a) { return -log_power(a); }
double minus_log_step(const Angle& a) { return -2 * a.pair * a.log_base; }
double zero(const Angle&) { return 0; }

}  // namespace

std::vector<wrong::Mutation> fitted_frequencies(
    const std::vector<const Answer*>& answers,
    const std::vector<TurnedPair>& pairs, cases::Bug bug) {
  constexpr cases::Bug kBase = "frequency/wrong-base",
                       kExponent = "frequency/wrong-exponent";
  using wrong::AbiProblem, wrong::PairPower, wrong::takes_power;
  const std::vector<Angle> angles = angles_of(answers, pairs);
  std::vector<wrong::Mutation> all;
  if (const auto s = fit(angles, {exponent, minus_log_power})) {
    const double base = std::exp(*s);
    all.push_back(named(
        text::format("base always %.6g", base), kBase,
        takes_power([base](const AbiProblem&, auto, const PairPower& due) {
          return PairPower{base, due.n, due.d}.value();
        })));
  }
  if (const auto s = fit(angles, {exponent, zero})) {
    const double by = std::exp(*s);
    all.push_back(
        named(text::format("base times %.9g", by), kBase,
              takes_power([by](const AbiProblem&, auto, const PairPower& due) {
                return PairPower{by * due.base, due.n, due.d}.value();
              })));
  }
  if (const auto s = fit(angles, {log_power, zero})) {
    const double by = 1 + *s;
    all.push_back(
        named(text::format("exponents times %.9g", by), kExponent,
              takes_power([by](const AbiProblem&, auto, const PairPower& due) {
                return PairPower{due.base, by * due.n, due.d}.value();
              })));
  }
  if (const auto s = fit(angles, {minus_log_step, minus_log_power})) {
    const double width = std::round(1 / *s);
    all.push_back(named(
        text::format("exponent -2j/%.6g, whatever the width", width), kExponent,
        takes_power([width](const AbiProblem&, auto j, const PairPower& due) {
          return PairPower{due.base, 2 * static_cast<double>(j), width}.value();
        })));
  }
  const double fitted = factor_of_angles(answers, pairs);
  const double factor = std::abs(fitted) < 1e-9 ? 0 : fitted;
  all.push_back(named(
      text::format("frequencies times %.6g", factor), bug,
      wrong::changes_frequency([factor](double theta, const AbiProblem&, auto) {
        return factor * theta;
      })));
  return all;
}

cases::Bug bug_of_frequencies(const std::vector<const Answer*>& answers,
                              const std::vector<TurnedPair>& pairs,
                              const plugin::Description& kernel) {
  constexpr cases::Bug kNone = "frequency/other";
  const auto scaling_of = [](const Answer* a) -> const reference::Scaling& {
    return a->asked->problem.spec.frequencies.scaling;
  };
  const auto is_linear = [&](const Answer* a) {
    return std::holds_alternative<reference::Linear>(scaling_of(a));
  };
  // A factor divides all frequencies, that of pair 0, too; a base does not.
  if (std::ranges::any_of(answers, is_linear) &&
      std::ranges::none_of(pairs, [&](const TurnedPair& p) {
        return p.pair == 0 && is_linear(answers[p.answer]);
      })) {
    return kNone;
  }
  std::optional<cases::Bug> bug;
  for (const Answer* a : answers) {
    const cases::Bug own = std::visit(
        []<class S>(const S&) -> cases::Bug {
          using namespace reference;
          if (std::is_same_v<S, Linear>) return "scaling/linear-misapplied";
          if (std::is_same_v<S, Ntk> || std::is_same_v<S, DynamicNtk>) {
            return "scaling/dynamic-ntk";
          }
          if (std::is_same_v<S, Yarn>) return "scaling/yarn-ramp";
          if (std::is_same_v<S, LongRope>) return "scaling/longrope-list";
          if (std::is_same_v<S, Llama3>) return "scaling/llama3-smoothing";
          return kNone;
        },
        scaling_of(a));
    const bool is_formed = kernel.scalings != 0 || a->claim.computes_scaling;
    if (own == kNone || !is_formed) return kNone;
    bug = !bug || *bug == own ? own : cases::Bug("scaling/other");
  }
  return bug.value_or(kNone);
}

}  // namespace ropeproof::conformance::explain
