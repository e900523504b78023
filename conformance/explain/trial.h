// trial.h -- a wrong answer beside what kernels with known bugs would answer.
#pragma once

#include <ropeproof_kernel.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/answer.h"
#include "conformance/explain/predictor.h"
#include "conformance/judge/tolerance.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

// How far a bug explains an answer. A wrong element is explained where the
// answer is the bug's to within twice its own bound, or once that of its head:
// the bug may rotate it by another angle or another pair's.
struct Fit {
  std::int64_t wrong = 0;      // elements beyond their bound
  std::int64_t explained = 0;  // of these
  // Wrong elements with an error beyond 8 bounds of the head, which no chance
  // explains; where none is, those beyond 8 bounds of their own, if the bug
  // gives six of them or more, and all.
  std::int64_t sharp = 0;
  std::int64_t broken = 0;  // right ones that the bug would have spoilt
  // All elements that are not the bug's correctly rounded, and that are not
  // the exact result's: what tells fine faults apart where the output has 16
  // bits.
  std::int64_t unlike_bug = 0, unlike_exact = 0;
  // Wrong elements that are the bug's more than twice as nearly as right.
  std::int64_t near = 0;
  // The largest distance of the answer from the bug's over the bound of the
  // head, of the wrong elements.
  double residual = 0;
  // The hypothesis rounds, and nothing is farther off than a rounding moves.
  bool rounds = false;
  // Not counted to the end: the bug misses half of the wrong elements.
  bool is_partial = false;

  // The bug explains every wrong element; a bug that only rounds, seven of
  // eight.
  bool explains_wrong() const {
    const std::int64_t spare = rounds ? wrong / 8 : 0;
    return wrong > 0 && explained >= wrong - spare &&
           (sharp > 0 || (unlike_exact > 0 && 4 * unlike_bug <= unlike_exact &&
                          2 * near >= wrong));
  }
  // Nothing contradicts it, though all may be too blurred to tell; some
  // elements may be spared.
  bool allows(bool spares_some = false) const {
    return explained == wrong && (broken == 0 || spares_some);
  }
  // The bug explains every wrong element, and no right one is at odds with it.
  bool explains_all() const {
    return explains_wrong() && broken <= (rounds ? wrong / 8 : 0);
  }
};

// What an element of an answer says of a bug: kUnmoved, that the bug changes
// nothing there; kBroken, that it is right and the bug's is not; kUnseen stands
// in heads that are not looked at.
enum class Mark : char { kUnmoved, kExplained, kUnexplained, kBroken, kUnseen };

// An answer to a case, and what an element of it may be off by.
class Trial {
 public:
  // The case that was asked outlives it; it is not `is_special`. The answer has
  // an output. Without `heads` some of a large answer's are chosen, right and
  // wrong ones.
  Trial(const Answer& answer, const plugin::Description& kernel,
        std::vector<bool> heads = {});

  // Returns the answer of an exact kernel with these changes.
  std::vector<double> predict(const wrong::Change& change) const {
    return bugs_(change);
  }

  // Compares the answer with that. `marks`, if given, gets one an element.
  Fit fit(const wrong::Change& change, bool rounds,
          std::vector<Mark>* marks = nullptr) const;
  // Returns a fit that may be partial, in less time.
  Fit glance(const wrong::Change& change, bool rounds) const;
  // Returns this answer with few heads to look at, all of them wrong: a bug
  // that does not explain these explains none of it. Nothing where that saves
  // little.
  std::optional<Trial> few_wrong_heads() const;

  std::int64_t elements() const { return elements_; }
  // Whether no wrong element was written: each is as buffers are before a call.
  bool is_unwritten() const { return is_unwritten_; }
  // Whether each is a NaN then that not all buffers hold: it may be written.
  bool may_be_nan() const { return is_unwritten_ && may_be_nan_; }
  void take_for_nan();  // that was written
  // How far wrong elements are off, relative to what is due: the median, at
  // most 2; 0 where none is.
  double relative_error() const;
  // Whether a right element, were it as far off, would be seen.
  bool would_show(std::size_t i, double relative) const {
    return is_seen(i) && !judged(i).is_vacuous &&
           relative * std::abs(at(i).want) > judged(i).bound;
  }
  bool is_wrong(std::size_t i) const { return judged(i).is_wrong; }
  // Not all heads are looked at.
  bool is_part() const { return !seen_.empty(); }
  // An element, and where it lies.
  judge::Element element(std::size_t i) const;

 private:
  // The bounds that the elements of a head share: the largest, for another
  // angle or pair; and of a frequency, relative to the bug's.
  struct RowBound {
    double head = 0, relative = 0;
  };
  // One element.
  struct Value {
    double got = 0, want = 0;
    bool is_wrong = false, is_exact = false;
  };

  const judge::Mark& judged(std::size_t i) const {
    return answer_.judged->marks[i];
  }
  bool permutes() const { return answer_.operation == ROPEPROOF_PERMUTE; }
  bool has_heads() const {
    return !permutes() && answer_.operation != ROPEPROOF_TABLE &&
           answer_.operation != ROPEPROOF_FREQUENCIES;
  }
  std::int64_t row_size() const;
  std::vector<RowBound> row_bounds() const;
  reference::Format format() const;  // of the elements
  void find_unwritten();
  // Chooses some heads of a large answer, right and wrong ones.
  void choose_heads();
  bool is_seen(std::size_t element) const {
    return seen_.empty() ||
           seen_[element / static_cast<std::size_t>(row_size())];
  }
  // Lets go of the elements of heads that are not looked at.
  void forget_unseen();
  const Value& at(std::size_t element) const {
    const auto size = static_cast<std::size_t>(row_size());
    return values_[starts_.empty() ? element
                                   : starts_[element / size] + element % size];
  }
  const RowBound& row(std::size_t element) const {
    static constexpr RowBound kNone;
    return rows_.empty()
               ? kNone
               : rows_[element / static_cast<std::size_t>(row_size())];
  }
  // Whether `got` is the number `exact`, rounded to nearest.
  bool is_rounded(double got, double exact) const;
  // How far the answer may be from `is`, where it is looked at; `rotated` is
  // the same with other angles, or empty.
  std::vector<double> limits(const std::vector<double>& is,
                             const std::vector<double>& rotated) const;
  // Ends once more than `most_missed` wrong elements are not explained.
  Fit compare(const std::vector<double>& is, const std::vector<double>& limits,
              bool rounds, std::vector<Mark>* marks,
              std::int64_t most_missed) const;
  Fit fit_of(const wrong::Change& change, bool rounds, std::vector<Mark>* marks,
             std::int64_t most_missed) const;

  Answer answer_;
  const cases::Problem& problem_;
  const cases::Golden& golden_;
  Predictor bugs_;
  double angle_error_ = 0;  // relative, of what the claim allows
  std::int64_t elements_ = 0;
  std::vector<Value> values_;        // of the heads that are looked at
  std::vector<std::size_t> starts_;  // of each head among them; empty: all are
  std::vector<RowBound> rows_;
  bool is_unwritten_ = false, may_be_nan_ = false;
  std::size_t without_bug_ = 0;  // the hash of what a right kernel gives
  std::vector<bool> seen_;       // heads; empty: all
  std::int64_t wrong_ = 0;       // elements of these
};

}  // namespace ropeproof::conformance::explain
