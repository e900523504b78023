#include "conformance/explain/angle_cause.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <ranges>
#include <tuple>
#include <utility>

#include "conformance/explain/rotations.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

// A cause leaves less than this part of the squares, by chance less often than
// this; the other one leaves so many times as much.
constexpr double kMostUnexplained = 0.15, kCauseLuck = 0.004, kClearer = 2.5;

class Causes {
 public:
  Causes(const std::vector<const Answer*>& answers,
         const std::vector<TurnedPair>& pairs)
      : answers_(answers), pairs_(pairs) {}

  AngleCause find() const {
    // An angle that is off by more may be off by whole circles, too.
    constexpr double kFar = 0.5;
    const bool are_near = std::ranges::all_of(
        pairs_, [](const TurnedPair& p) { return std::abs(p.off) < kFar; });
    const AngleCause cause = are_near ? of_near() : of_far();
    return cause == AngleCause::kUnknown && are_whole_tokens()
               ? AngleCause::kPosition
               : cause;
  }

 private:
  // Pairs with the same key are rotated by the same position, or by the same
  // frequency.
  using Key = std::tuple<std::size_t, std::int64_t, double>;
  static Key key(const TurnedPair& p, bool is_position) {
    return is_position ? Key(p.answer, p.token, p.position)
                       : Key(p.answer, p.pair, 0.0);
  }
  double theta(const TurnedPair& p) const {
    return cases::value_of(
        reference::at(answers_[p.answer]->asked->golden.inv_freq_hi, p.pair));
  }
  // What the unknown of the cause is multiplied by.
  double times(const TurnedPair& p, bool is_position) const {
    return is_position ? theta(p) : p.position;
  }

  // Whether a position may be off by so much: to another whole number, unless
  // positions are real. A little of it is a rounding of frequencies where the
  // fastest pair is right, which another position moves most.
  bool may_be_other(const Key& key, double off, double error) const {
    const auto& [number, token, position] = key;
    const Answer& answer = *answers_[number];
    const cases::Problem& p = answer.asked->problem;
    const reference::Axes& axes = p.spec.axes;
    constexpr double kLittle = 0x1p-16;
    if (axes.count == 1 && axes.weights.empty() &&
        std::abs(off) < kLittle * std::abs(position) &&
        !is_wrong(answer, token, fastest(answer))) {
      return false;
    }
    if (p.has_real_positions() || !axes.weights.empty()) return true;
    const double whole = std::round(off);
    return whole != 0 && std::abs(off - whole) <= std::max(4 * error, 0x1p-10);
  }
  static std::int64_t fastest(const Answer& answer) {
    const auto& theta = answer.asked->golden.inv_freq_hi;
    return std::ranges::max_element(theta, {},
                                    [](std::uint64_t bits) {
                                      return std::abs(cases::value_of(bits));
                                    }) -
           theta.begin();
  }
  static bool is_wrong(const Answer& answer, std::int64_t token,
                       std::int64_t pair) {
    const judge::OutputLayout layout = answer.layout();
    const reference::Pair to = reference::at(layout.channels().to, pair);
    const std::int64_t d = answer.asked->problem.spec.layout.head_dim;
    for (const judge::OutputTensor& tensor : layout.tensors()) {
      for (std::int64_t h = 0; h < tensor.heads; ++h) {
        const std::int64_t row = tensor.first + (token * tensor.heads + h) * d;
        if (reference::at(answer.judged->marks, row + to.u).is_wrong ||
            reference::at(answer.judged->marks, row + to.v).is_wrong) {
          return true;
        }
      }
    }
    return false;
  }

  // The part of all squares that one number for each key leaves; 1 where
  // chance leaves as little.
  double part(bool is_position) const {
    std::map<Key, std::pair<double, double>> fits;  // products and squares
    std::map<Key, double> certainties;
    double all = 0, left = 0;
    for (const TurnedPair& p : pairs_) {
      auto& [products, squares] = fits[key(p, is_position)];
      const double by = times(p, is_position);
      products += p.weight * by * p.off;
      squares += p.weight * by * by;
      certainties[key(p, is_position)] += p.certainty * by * by;
      all += p.weight * p.off * p.off;
    }
    if (is_position) {
      const std::ptrdiff_t others =
          std::ranges::count_if(fits, [&](const auto& one) {
            const auto& [key, sums] = one;
            return may_be_other(key, sums.first / sums.second,
                                1 / std::sqrt(certainties[key]));
          });
      if (4 * others < 3 * std::ssize(fits)) return 1;
    }
    for (const TurnedPair& p : pairs_) {
      const auto& [products, squares] = fits[key(p, is_position)];
      const double slope = squares > 0 ? products / squares : 0;
      const double rest = p.off - slope * times(p, is_position);
      left += p.weight * rest * rest;
    }
    if (all == 0) return 1;
    const double excess =
        static_cast<double>(pairs_.size()) - static_cast<double>(fits.size());
    const bool is_chance =
        excess < 1 || std::pow(left / all, excess / 2) > kCauseLuck;
    return is_chance ? 1 : left / all;
  }

  AngleCause of_near() const {
    const double position = part(true), frequency = part(false);
    if (position <= kMostUnexplained && kClearer * position < frequency) {
      return AngleCause::kPosition;
    }
    if (frequency <= kMostUnexplained && kClearer * frequency < position) {
      return AngleCause::kFrequency;
    }
    return AngleCause::kUnknown;
  }

  // How many keys one number explains, of those that it can be seen of, and how
  // many none does.
  std::pair<int, int> solved(bool is_position) const {
    std::map<Key, std::vector<const TurnedPair*>> all;
    for (const TurnedPair& p : pairs_) all[key(p, is_position)].push_back(&p);
    int solved_ = 0, unsolved = 0;
    for (const auto& [key, some] : all) {
      if (some.size() < 2) continue;
      const cases::Problem& problem = answers_[some[0]->answer]->asked->problem;
      const double sense =
          problem.spec.direction == reference::Direction::kAdjoint ? -1 : 1;
      std::vector<Multiple> multiples;
      for (const TurnedPair* p : some) {
        multiples.push_back({times(*p, is_position),
                             p->position * theta(*p) + sense * p->off,
                             1 / std::sqrt(p->certainty)});
      }
      const double due = is_position ? some[0]->position : theta(*some[0]);
      const double limit =
          is_position ? std::max(0x1p17, 4 * std::abs(due)) : std::numbers::pi;
      const auto found = solve(std::move(multiples), limit,
                               rotation_noise(problem.dtype), due);
      if (!found) {
        ++unsolved;
        continue;
      }
      if (std::isinf(found->error)) continue;
      const auto whole = found->whole();
      const bool is_other = whole && may_be_other(key, *whole - due, 0);
      ++(!is_position || is_other ? solved_ : unsolved);
    }
    return {solved_, unsolved};
  }

  AngleCause of_far() const {
    constexpr int kFewest = 2;
    const auto [positions, no_positions] = solved(true);
    const auto [frequencies, no_frequencies] = solved(false);
    const bool is_position =
        positions >= kFewest && positions > 4 * no_positions;
    const bool is_frequency =
        frequencies >= kFewest && frequencies > 4 * no_frequencies;
    if (is_position == is_frequency) return AngleCause::kUnknown;
    return is_position ? AngleCause::kPosition : AngleCause::kFrequency;
  }

  // Whether tokens are wrong in all pairs beside right tokens, and small angles
  // are large ones there: what is done to an angle or a frequency leaves those
  // small, or strikes the other tokens, too.
  bool are_whole_tokens() const {
    constexpr double kSmall = 0.25, kLarge = 0.5;
    std::map<std::size_t, std::map<std::int64_t, std::int64_t>> wrong;
    int small = 0, large = 0;
    for (const TurnedPair& p : pairs_) {
      ++wrong[p.answer][p.token];
      if (std::abs(p.position * theta(p)) > kSmall) continue;
      ++small;
      large += std::abs(p.off) > kLarge ? 1 : 0;
    }
    std::ptrdiff_t whole = 0, all = 0;
    bool has_right = false;
    for (const auto& [answer, tokens] : wrong) {
      const cases::Problem& problem = answers_[answer]->asked->problem;
      has_right = has_right || std::ssize(tokens) < problem.tokens();
      for (const std::int64_t pairs : tokens | std::views::values) {
        all += pairs > 1 ? 1 : 0;  // one may be all that is not 0
        whole += pairs > 1 && pairs == problem.pairs() ? 1 : 0;
      }
    }
    return has_right && 4 * whole > 3 * all && 2 * large > small;
  }

  const std::vector<const Answer*>& answers_;
  const std::vector<TurnedPair>& pairs_;
};

}  // namespace

AngleCause angle_cause(const std::vector<const Answer*>& answers,
                       const std::vector<TurnedPair>& pairs) {
  return Causes(answers, pairs).find();
}

double factor_of_angles(const std::vector<const Answer*>& answers,
                        const std::vector<TurnedPair>& pairs) {
  struct Angle {
    double due, off, weight;
  };
  std::vector<Angle> angles;
  for (const TurnedPair& p : pairs) {
    const cases::Case& asked = *answers[p.answer]->asked;
    const bool is_adjoint =
        asked.problem.spec.direction == reference::Direction::kAdjoint;
    const double due = p.position * cases::value_of(reference::at(
                                        asked.golden.inv_freq_hi, p.pair));
    angles.push_back({is_adjoint ? -due : due, p.off, p.certainty});
  }
  // From small angles on: those before say how many circles one is off by.
  std::ranges::sort(angles, {}, [](const Angle& a) { return std::abs(a.due); });
  double products = 0, squares = 0;
  for (const auto& [due, off, weight] : angles) {
    // Beyond these nobody knows the circles.
    constexpr double kMostDue = 3, kMostUnsure = 0.3;
    if (std::abs(due) > std::max(kMostDue, kMostUnsure * std::sqrt(squares))) {
      break;
    }
    const double expected = squares > 0 ? products / squares * due : 0;
    products += weight * due * (expected + in_half_circle(off - expected));
    squares += weight * due * due;
  }
  return squares > 0 ? 1 + products / squares : 1;
}

}  // namespace ropeproof::conformance::explain
