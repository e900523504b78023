#include "conformance/explain/frequency_fits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "conformance/explain/rotations.h"
#include "conformance/text/format.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::explain {
namespace {

// An angle that is `off`, though it is `due`; the power of a base that its
// frequency should be.
struct Angle {
  double due, off, weight;
  double log_base, exponent;
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
                          static_cast<double>(spec.layout.rotary_dim)});
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
  return {what,
          "",
          bug,
          1,
          "theta_j = base^(-2j/r), j = 0 .. r/2 - 1",
          std::move(change)};
}

double exponent(const Angle& a) { return a.exponent; }
double log_power(const Angle& a) { return a.exponent * a.log_base; }
double minus_log_power(const Angle& a) { return -log_power(a); }
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
  const double factor = factor_of_angles(answers, pairs);
  all.push_back(named(
      text::format("frequencies times %.6g", factor), bug,
      wrong::changes_frequency([factor](double theta, const AbiProblem&, auto) {
        return factor * theta;
      })));
  return all;
}

}  // namespace ropeproof::conformance::explain
