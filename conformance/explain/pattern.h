// pattern.h -- which elements are wrong: in one sentence, and as symptoms.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_PATTERN_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_PATTERN_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "conformance/cases/case.h"
#include "conformance/explain/equation.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::explain {

// Counts along every axis that a bug may follow.
class Pattern {
 public:
  // `has_positions`: every token has one position, on one axis.
  explicit Pattern(bool has_positions) : has_positions_(has_positions) {}

  // `is_second`: v of its pair (u, v).
  void add(const judge::Element& element, bool is_second, bool wrong,
           bool unwritten);

  // Lengths before and after: a rotation times m keeps their ratio at |m|.
  void add_length(double in, double out, double amplitude);
  // The same of a head's window; `want` is what its pairs add up to.
  void add_head_length(double want, double out);

  // "36 of 64 elements wrong; in every head; pair 0-3 only; right at positions
  // 0 to 256, wrong at 257 to 4096; ...".
  std::string text() const;

  Symptoms symptoms() const;

 private:
  struct Count {
    std::int64_t wrong = 0, all = 0;
  };
  using Axis = std::map<std::int64_t, Count>;

  // By position, whether the tokens there are wrong; empty where some are and
  // some are not, or all are.
  std::map<double, bool> wrong_positions() const;
  std::string places_text() const;

  bool has_positions_;
  Axis pairs_, batches_, tokens_, heads_;
  // By batch row and token: its position.
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, Count>>
      tokens_of_all_;
  Count total_, position_zero_, outside_, second_;
  std::int64_t unwritten_ = 0;
  double length_error_ = 0, head_length_error_ = 0;  // NaN: kept by none
  bool has_length_ = false;
};

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_PATTERN_H_
