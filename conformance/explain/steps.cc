#include "conformance/explain/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "conformance/explain/angle_cause.h"
#include "conformance/explain/factors.h"
#include "conformance/explain/levels.h"
#include "conformance/explain/spots.h"
#include "conformance/text/format.h"
#include "conformance/wrong/mutation_lists.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::size_t kMostSpots = 1 << 15;
// A step leaves less than this part of all squared errors, and does so by
// chance less often than this.
constexpr double kMostLeft = 0.15, kStepLuck = 0.004;
// Another one that leaves less than so many times as much is as good.
constexpr double kAsGood = 2.5;
// What is farther off counts as this, over the bound, squared.
constexpr double kLargestError = 64;

constexpr const char* kOffsets =
    "look at offsets, strides and the types they are held in";

// The ways in which the rotation of pairs may be off. Each is one number or two
// for all rows of a pair and token; a sign needs none.
enum Way { kCosine, kSine, kScale, kAngle, kTurn, kSign, kWays };

// Squared errors, over the squares of the bounds, and what is left of them once
// a way explains them, by so many unknowns.
struct Left {
  double errors = 0, equations = 0, squares = 0, unknowns = 0;
  double largest = 0;  // what is left of one pair, over its bound

  double part() const { return errors > 0 ? squares / errors : 1; }
  // How likely a way that has nothing to do with the errors leaves as little.
  double chance() const {
    const double excess = equations - unknowns;
    return excess < 1 ? 1 : std::pow(part(), excess / 2);
  }
};

class Reader {
 public:
  Reader(const std::vector<const Answer*>& wrong,
         const plugin::Description& kernel)
      : kernel_(kernel) {
    for (const Answer* answer : wrong) {
      const bool rotates = answer->operation == ROPEPROOF_ROPE ||
                           answer->operation == ROPEPROOF_ROTATE ||
                           answer->operation == ROPEPROOF_LOOKUP;
      if (!rotates || answer->asked->problem.is_special) continue;
      if (spots_ > kMostSpots) break;
      add(*answer);
    }
  }

  Step step() const {
    if (answers_.empty()) return {};
    if (spots_ == 0) return outside();
    if (is_most(left_alone_) && !are_nans()) return unwritten();
    if (const auto moved = moved_step()) return *moved;
    if (is_most(not_finite_ + (are_nans() ? left_alone_ : 0))) {
      return not_finite();
    }
    if (is_most(zeros_)) {
      // Far from any row memory holds 0.
      return are_zeros_far_
                 ? Step{"0 in place of results, as of inputs read elsewhere",
                        "memory/wrong-place", 6, kOffsets}
                 : Step{"0 in place of results", "value/altered", 4,
                        "look for a flush, a mask, a row that is cleared"};
    }
    if (2 * (not_finite_ + left_alone_) > spots_) return {};
    return numeric();
  }

 private:
  bool is_most(std::size_t some) const { return 20 * some >= 19 * spots_; }
  // What looks as if it was left is a NaN in so many answers, and a number, of
  // which half of all buffers are full, in none.
  bool are_nans() const { return left_nans_ >= 8 && !has_left_numbers_; }

  void add(const Answer& answer) {
    const std::vector<Spot> spots = wrong_spots(answer, kMostSpots / 8);
    const cases::Spacing spacing = answer.asked->problem.storage.spacing;
    const bool is_far =
        spacing == cases::Spacing::kWide || spacing == cases::Spacing::kFar;
    answers_.push_back(&answer);
    spots_ += spots.size();
    left_nans_ += std::ranges::any_of(spots, &Spot::is_left) ? 1u : 0u;
    for (const Spot& spot : spots) {
      has_left_numbers_ = has_left_numbers_ || (spot.is_left && spot.is_finite);
      left_alone_ += spot.is_left ? 1 : 0;
      not_finite_ += spot.is_finite || spot.is_left ? 0 : 1;
      zeros_ += spot.is_zero ? 1 : 0;
      are_zeros_far_ = are_zeros_far_ && (!spot.is_zero || is_far);
      has_halves_ = has_halves_ || std::isfinite(spot.y.real()) !=
                                       std::isfinite(spot.y.imag());
    }
    moves_.add(answer, spots);
    for (auto first = spots.begin(); first != spots.end();) {
      const auto last = std::find_if(first, spots.end(), [&](const Spot& s) {
        return s.token != first->token || s.pair != first->pair;
      });
      add_group({first, last});
      first = last;
    }
  }

  void add_group(const std::vector<Spot>& all) {
    std::vector<Spot> rows;
    std::ranges::copy_if(all, std::back_inserter(rows), [](const Spot& s) {
      return s.is_finite && !s.is_left;
    });
    if (rows.empty() || std::abs(rows[0].turn) == 0) return;
    const auto count = static_cast<double>(rows.size());
    Complex cross = 0;
    double xx = 0, cosine = 0, sine = 0, scale = 0, wants = 0, errors = 0;
    for (const Spot& s : rows) {
      const double w = 1 / (s.bound * s.bound);
      const Complex e = s.y - s.want;
      cross += w * std::conj(s.x) * s.y;
      xx += w * std::norm(s.x);
      cosine += w * (std::conj(s.x) * e).real();
      sine += w * (std::conj(Complex(0, 1) * s.x) * e).real();
      scale += w * (std::conj(s.want) * e).real();
      wants += w * std::norm(s.want);
      errors += w * std::norm(e);
    }
    const bool is_seen = xx > 0 && wants > 0 && std::isfinite(xx * wants) &&
                         std::isfinite(errors) && std::abs(cross) > 0;
    if (!is_seen) return;
    // A few large errors tell no more than others.
    const double share = std::min(1.0, kLargestError * count / errors);
    errors_ += share * errors;
    const Complex turn = cross / xx, due = rows[0].turn;
    const double c = due.real(), d = due.imag();
    results_.add(share, scale, wants);
    cosines_.add(share, c * cosine, c * c * xx);
    sines_.add(share, d * sine, d * d * xx);
    const Complex by[kWays] = {due + cosine / xx,
                               due + Complex(0, sine / xx),
                               due * (1 + scale / wants),
                               turn / std::abs(turn) * std::abs(due),
                               turn,
                               -due};
    for (std::size_t way = 0; way < kWays; ++way) {
      if (way == kTurn && rows.size() < 2) continue;  // it explains all
      Left& left = left_[way];
      left.unknowns += way == kTurn ? 2 : way == kSign ? 0 : 1;
      left.equations += 2 * count;
      left.errors += share * errors;
      for (const Spot& s : rows) {
        const double square =
            std::norm(s.y - by[way] * s.x) / (s.bound * s.bound);
        left.squares += share * square;
        left.largest = std::max(left.largest, std::sqrt(square));
      }
    }
    const double off = std::arg(turn / due);
    furthest_[kCosine] = std::max(furthest_[kCosine], std::abs(cosine / xx));
    furthest_[kSine] = std::max(furthest_[kSine], std::abs(sine / xx));
    furthest_[kAngle] = std::max(furthest_[kAngle], std::abs(off));
    groups_.push_back({answers_.size() - 1, rows[0].token, rows[0].pair,
                       rows[0].position, off,
                       std::min(wants, kLargestError * count / (off * off)),
                       wants, 1 + scale / wants, count});
    if (errors > wants) ++unlike_;
  }

  std::optional<Step> moved_step() const {
    const char* const what =
        moves_.are_results()   ? "results of other elements stand here"
        : moves_.are_inputs()  ? "inputs of other elements rotated here"
        : moves_.are_entries() ? "cosines and sines read elsewhere in a table"
                               : nullptr;
    if (what == nullptr) return std::nullopt;
    return Step{what, "memory/wrong-place", 6, kOffsets};
  }

  static Step unwritten() {
    return {"some elements left as they were", "shape/heads-miscounted", 6,
            "look for an early return, a branch without a store"};
  }
  static Step outside() {
    return {"channels outside the window altered", "window/outside-overwritten",
            5, "copy the channels outside the window, bit for bit"};
  }

  // NaNs and infinities.
  Step not_finite() const {
    // A frequency that is none spoils both channels of a pair.
    const bool may_be_frequency = forms() && !has_halves_;
    return {"NaN or infinity in place of numbers",
            may_be_frequency ? frequency_bug() : cases::Bug("value/altered"),
            may_be_frequency ? 1 : 4,
            "look for a division by 0, the logarithm of 0, or an element that "
            "was never written"};
  }

  double part(Way way) const { return left_[way].part(); }
  bool is_seen(Way way) const {
    return part(way) <= kMostLeft && left_[way].chance() <= kStepLuck;
  }

  Step numeric() const {
    if (groups_.empty() || errors_ == 0) return {};
    // The other sign makes each element right: an angle off by pi would be
    // chosen anew for every pair and token.
    constexpr double kRightLength = 1.5;  // bounds of a pair: of two elements
    if (left_[kSign].largest <= kRightLength && is_seen(kSign)) {
      return times(Factored::kResults, -1, kSign);
    }
    double least = 1;
    for (const Way way : {kAngle, kSine, kCosine, kScale}) {
      least = std::min(least, part(way));
    }
    if (const auto factored = of_factor(least)) return *factored;
    // Where all are as good the first one; of angles that are far off, what is
    // not one.
    constexpr double kFar = 0.5;
    std::vector<Way> ways = {kAngle, kSine, kCosine, kScale};
    if (furthest_[kAngle] > kFar) ways = {kSine, kCosine, kScale, kAngle};
    for (const Way way : ways) {
      if (!is_seen(way) || part(way) > kAsGood * least + 1e-9) continue;
      if (way == kAngle) return of_angles();
      if (way == kScale) {
        return named("pairs of another length", length_bug(), 4, way);
      }
      const char* words =
          way == kSine ? "sines off by up to %.3g, cosines within the bound"
                       : "cosines off by up to %.3g, sines within the bound";
      return named(text::format(words, furthest_[way]),
                   "rotation/cosine-or-sine-off", 4, way);
    }
    if (is_seen(kTurn) && left_[kTurn].equations > 0.5 * equations()) {
      return named("cosines and sines off", turn_bug(), 4, kTurn);
    }
    return of_elements();
  }
  double equations() const { return left_[kCosine].equations; }

  // The amplitude's, where rows of a pair and token are as long as each other,
  // and only where an amplitude is formed; of other kernels the results'.
  cases::Bug length_bug() const {
    constexpr std::uint32_t kGiven = ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP;
    const bool has_amplitude = (kernel_.features & ROPEPROOF_AMPLITUDE) != 0 &&
                               (kernel_.operations & kGiven) != 0;
    const bool is_of_turn = is_seen(kTurn) && forms();
    return has_amplitude && is_of_turn
               ? cases::Bug("scaling/amplitude-misapplied")
               : cases::Bug("value/altered");
  }
  // That of cosines and sines which are off both.
  cases::Bug turn_bug() const {
    return is_given() ? cases::Bug("table/misread")
                      : cases::Bug("rotation/cosine-or-sine-off");
  }
  // Whether the kernel forms its angles in all wrong answers; or, with false,
  // in none, as it is given tables.
  bool forms(bool is_so = true) const {
    return std::ranges::all_of(answers_, [&](const Answer* a) {
      return (a->operation == ROPEPROOF_ROPE) == is_so;
    });
  }
  bool is_given() const { return forms(false); }

  // No rotation: then single elements.
  Step of_elements() const {
    constexpr double kNoRotation = kMostLeft, kFewest = 8;
    const bool is_none =
        std::ranges::all_of(std::array{kCosine, kSine, kScale, kAngle},
                            [&](Way way) { return part(way) > kNoRotation; });
    const Left& turn = left_[kTurn];
    const bool may_turn =
        turn.equations - turn.unknowns >= kFewest && part(kTurn) <= kNoRotation;
    // What is unlike the result as a whole is another number.
    const bool is_unlike = 4 * unlike_ > groups_.size();
    if (!is_none || may_turn || is_unlike || equations() < kFewest) return {};
    const std::string levels = levels_text(answers_);
    if (!levels.empty()) {
      return {"results in steps: " + levels, "value/altered", 4,
              "look for numbers of few bits, as int8, or a rounding to whole "
              "steps"};
    }
    // What is off by little more than its bound says nothing of a rotation.
    constexpr double kClear = 8;
    if (errors_ < kClear * equations()) return one_of_several();
    return {"inputs, products or results altered", "value/altered", 4,
            "look for what is done to elements by themselves: a narrower "
            "type, a limit, a sign"};
  }

  Step times(Factored what, double factor, Way way) const {
    const wrong::Mutation fitted = explain::times(what, factor, length_bug());
    Step step = named(fitted.name, fitted.bug, 4, way);
    step.fitted = {fitted};
    return step;
  }

  // A factor of all results, cosines or sines that explains as much as a number
  // for each pair does, or all within the bounds.
  std::optional<Step> of_factor(double least) const {
    const double factor = middle_factor(groups_);
    const double of_results = results_.part(factor, errors_),
                 of_cosines = cosines_.part(cosines_.best(), errors_),
                 of_sines = sines_.part(sines_.best(), errors_);
    const double of_best = std::min({of_results, of_cosines, of_sines});
    const auto is_good = [&](double part) {
      const Left left{errors_, equations(), part * errors_, 1};
      return part <= kMostLeft && left.chance() <= kStepLuck &&
             part <= kAsGood * of_best + 1e-9 &&
             (part <= kAsGood * least + 1e-9 || part * errors_ <= equations());
    };
    const bool is_result = is_good(of_results) && have_factor(groups_, factor);
    if (is_result && (is_good(of_cosines) || is_good(of_sines))) {
      return one_of_several();
    }
    if (is_result) return times(Factored::kResults, factor, kScale);
    if (is_good(of_cosines)) {
      return times(Factored::kCosines, cosines_.best(), kCosine);
    }
    if (!is_good(of_sines)) return std::nullopt;
    return times(Factored::kSines, sines_.best(), kSine);
  }

  Step one_of_several() const {
    return {"inputs, cosines, sines or results off", "value/or-rotation-off", 4,
            "look for a narrower type or a constant on the way"};
  }

  Step named(std::string what, cases::Bug bug, int equation, Way way) const {
    return {std::move(what), bug, equation,
            "look at what is done to these numbers beside the formula",
            left_[way].largest};
  }

  Step of_angles() const {
    Step step = of_cause();
    if (!forms()) return step;
    step.fitted = fitted_frequencies(answers_, groups_, frequency_bug());
    return step;
  }

  // By what an angle is off: the position of a token, the frequency of a pair,
  // or neither.
  Step of_cause() const {
    const double furthest = furthest_[kAngle];
    const std::string by = text::format(", off by up to %.3g rad", furthest);
    const AngleCause cause =
        forms() ? angle_cause(answers_, groups_) : AngleCause::kUnknown;
    if (cause == AngleCause::kPosition) {
      return named("rotated by another position" + by, "position/other", 2,
                   kAngle);
    }
    if (cause == AngleCause::kFrequency) {
      return named("frequencies of pairs off" + by, frequency_bug(), 1, kAngle);
    }
    return named("rotated by another position, frequency or angle" + by,
                 is_given() ? turn_bug() : cases::Bug("angle/other"), 2,
                 kAngle);
  }

  cases::Bug frequency_bug() const {
    return bug_of_frequencies(answers_, groups_, kernel_);
  }

  const plugin::Description& kernel_;
  std::vector<const Answer*> answers_;
  std::vector<TurnedPair> groups_;
  bool has_left_numbers_ = false, has_halves_ = false, are_zeros_far_ = true;
  std::size_t left_nans_ = 0;  // answers
  std::size_t spots_ = 0, left_alone_ = 0, not_finite_ = 0, zeros_ = 0,
              unlike_ = 0;
  MovedSpots moves_;
  double errors_ = 0;
  Factor results_, cosines_, sines_;
  std::array<Left, kWays> left_{};
  std::array<double, kWays> furthest_{};
};

}  // namespace

Step step_of(const std::vector<const Answer*>& wrong,
             const plugin::Description& kernel) {
  return Reader(wrong, kernel).step();
}

}  // namespace ropeproof::conformance::explain
