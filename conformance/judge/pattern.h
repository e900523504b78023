// pattern.h -- which elements are wrong: in one sentence, and as evidence.
#ifndef ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_
#define ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_

#include <cstdint>
#include <map>
#include <string>

#include "conformance/cases/case.h"
#include "conformance/judge/equation.h"

namespace ropeproof::conformance::judge {

struct Element;

// Counts along every axis that a bug may follow.
class Pattern {
 public:
  void add(const Element& element, bool wrong, bool unwritten);

  // Lengths before and after: a rotation times m keeps their ratio at |m|.
  void add_length(double in, double out, double amplitude);
  // The same of a head's window; `want` is what its pairs add up to.
  void add_head_length(double want, double out);

  // "36 of 64 wrong: pairs 0-3, every head; position 0 exact; ...".
  std::string text() const;

  Evidence evidence() const;

 private:
  struct Count {
    std::int64_t wrong = 0, all = 0;
  };
  using Axis = std::map<std::int64_t, Count>;

  static std::string wrong_of(const std::string& name, const Axis& axis);

  Axis pairs_, batches_, tokens_, heads_;
  Count total_, position_zero_, outside_;
  std::int64_t unwritten_ = 0;
  double length_error_ = 0, head_length_error_ = 0;  // NaN: kept by none
  bool has_length_ = false;
};

}  // namespace ropeproof::conformance::judge

#endif  // ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_
