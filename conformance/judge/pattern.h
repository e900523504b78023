// pattern.h -- which elements are wrong, in one sentence.
#ifndef ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_
#define ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_

#include <cstdint>
#include <map>
#include <string>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::judge {

struct Element;

// Counts along every axis that a bug may follow.
class Pattern {
 public:
  void add(const Element& element, bool wrong, bool unwritten);

  // Lengths before and after: a rotation times m keeps their ratio at |m|.
  void add_length(double in, double out, double amplitude);

  // "36 of 64 wrong: pairs 0-3, every head; position 0 exact; ...".
  std::string text() const;

 private:
  struct Count {
    std::int64_t wrong = 0, all = 0;
  };
  using Axis = std::map<std::int64_t, Count>;

  static std::string wrong_of(const std::string& name, const Axis& axis);

  Axis pairs_, batches_, tokens_, heads_;
  Count total_, position_zero_, outside_;
  std::int64_t unwritten_ = 0;
  double length_error_ = 0;
  bool has_length_ = false;
  bool has_nan_ = false;
};

}  // namespace ropeproof::conformance::judge

#endif  // ROPEPROOF_CONFORMANCE_JUDGE_PATTERN_H_
