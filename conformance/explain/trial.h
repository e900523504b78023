// trial.h -- a wrong answer beside what kernels with known bugs would answer.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_TRIAL_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_TRIAL_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/explain/answer.h"
#include "conformance/explain/predictor.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/tolerance.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

// How far a bug explains an answer. A wrong element is explained where the
// answer is the bug's to within twice its own bound, or once that of its head:
// the bug may rotate it by another angle or another pair's.
struct Fit {
  std::int64_t wrong = 0;      // elements beyond their bound
  std::int64_t explained = 0;  // of these
  // Of these with an error beyond 8 bounds of the head, which no chance
  // explains.
  std::int64_t sharp = 0;
  std::int64_t broken = 0;  // right ones that the bug would have spoilt
  // Of all elements, those that are not the bug's correctly rounded, and not
  // the exact result's: what tells fine faults apart where the output has 16
  // bits.
  std::int64_t unlike_bug = 0, unlike_exact = 0;
  // The largest distance of the answer from the bug's over the bound of the
  // head, of the wrong elements.
  double residual = 0;
  // Of the hypothesis: and nothing is farther off than a rounding moves.
  bool rounds = false;

  // Every wrong element; of those that a rounding may move, nearly every one.
  bool explains_wrong() const {
    const std::int64_t spare = rounds ? wrong / 8 : 0;
    return wrong > 0 && explained >= wrong - spare &&
           (sharp > 0 || 4 * unlike_bug <= unlike_exact);
  }
  // Nothing contradicts it, though all may be too blurred to tell; some
  // elements may be spared.
  bool allows(bool spares_some = false) const {
    return explained == wrong && (broken == 0 || spares_some);
  }
  // And no right one is at odds with it.
  bool explains_all() const {
    return explains_wrong() && broken <= (rounds ? wrong / 8 : 0);
  }
};

// An element beside a bug's: of an answer, one for each.
// kUnseen: of a head that is not looked at.
enum class Mark : char { kUnmoved, kExplained, kUnexplained, kBroken, kUnseen };

// An answer to a case, and what an element of it may be off by.
class Trial {
 public:
  // What was asked outlives it; not for `is_special` cases.
  Trial(const Answer& answer, const plugin::Description& kernel);

  // What an exact kernel with these changes answers.
  std::vector<double> predict(const wrong::Change& change) const {
    return bugs_(change);
  }

  // The answer beside that. `marks`, if given, gets one for each element:
  // kBroken is right and the bug's is not.
  Fit fit(const wrong::Change& change, bool rounds,
          std::vector<Mark>* marks = nullptr) const;

  std::int64_t elements() const {
    return static_cast<std::int64_t>(got_.size());
  }
  // Whether no wrong element was written.
  bool is_unwritten() const { return is_unwritten_; }
  // Where an element lies.
  judge::Element element(std::size_t i) const;

 private:
  struct Bound {
    double own = 0;   // of the element
    double head = 0;  // the largest of its head's: another angle, another pair
    bool is_vacuous = false;  // accepts any rotation: right says nothing
    double relative = 0;      // to the bug's, of a frequency
  };

  judge::OutputLayout layout_of_output() const;
  bool permutes() const { return answer_.operation == ROPEPROOF_PERMUTE; }
  bool has_heads() const {
    return !permutes() && answer_.operation != ROPEPROOF_TABLE &&
           answer_.operation != ROPEPROOF_FREQUENCIES;
  }
  std::int64_t row_size() const;
  std::vector<Bound> row_bounds() const;
  void add(double got, double want, bool is_wrong, const Bound& bound);
  reference::Format format() const;  // of the elements
  void find_unwritten();
  // Of a large answer some heads are looked at: right and wrong ones.
  void choose_heads();
  bool is_seen(std::size_t element) const {
    return seen_.empty() ||
           seen_[element / static_cast<std::size_t>(row_size())];
  }
  // How far the answer may be from `is`, where it is looked at; `rotated` is
  // the same with other angles, or empty.
  std::vector<double> limits(const std::vector<double>& is,
                             const std::vector<double>& rotated) const;
  Fit compare(const std::vector<double>& is, const std::vector<double>& limits,
              bool rounds, std::vector<Mark>* marks) const;

  Answer answer_;
  const cases::Problem& problem_;
  const cases::Golden& golden_;
  Predictor bugs_;
  double angle_error_ = 0;  // relative, of what the claim allows
  std::vector<double> got_, want_;
  std::vector<std::uint64_t> bits_;  // of got_, in format()
  std::vector<Bound> bounds_;
  std::vector<bool> is_wrong_, is_exact_;
  bool is_unwritten_ = false;
  std::vector<bool> seen_;  // heads; empty: all
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_TRIAL_H_
