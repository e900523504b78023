// rope_check.h -- proves the expected values of one case of type rope anew.
#ifndef ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ROPE_CHECK_H_
#define ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ROPE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/prove/second_oracle/frequency.h"
#include "tools/prove/second_oracle/layout.h"
#include "tools/prove/second_oracle/recheck.h"

namespace ropeproof::second_oracle {

class RopeCheck {
 public:
  RopeCheck(const Case& c, Result& result) : c_(c), result_(result) {}

  // Throws std::runtime_error for a case that makes no sense.
  void run();

 private:
  // A pair at a token: its angle, cosine and sine without the amplitude, which
  // is numerator/denominator, so that a value at an angle of zero is exact
  // wherever it fits.
  struct CosSin {
    Ball phi, cos, sin, numerator, denominator;
  };

  // One expected value that belongs to a token and a pair.
  enum class What { kCos, kSin, kAmplitude, kU, kV };
  struct Task {
    What what = What::kCos;
    const char* tensor = "";
    std::size_t index = 0;
    Element x_u, x_v;  // kU, kV

    bool has_numbers() const { return x_u.is_finite() && x_v.is_finite(); }
  };

  void check_shapes() const;
  void check_amplitude();
  void check_frequencies();
  void check_cos_sin(std::int64_t token, std::int64_t j);
  void add_heads(std::int64_t token, std::int64_t j, const char* tensor,
                 std::int64_t heads, std::vector<Task>& tasks) const;
  void check_untouched(const char* tensor, std::int64_t heads);

  // sum_k W[k,j] p_k
  Rational coordinate(std::int64_t token, std::int64_t j) const;
  const Rational& position(std::int64_t axis, std::int64_t token) const;
  CosSin cos_sin(std::int64_t token, std::int64_t j, const Rational& coordinate,
                 slong bits) const;
  Ball value(const Task& task, const CosSin& cos_sin, slong bits) const;

  // Whether the golden of `task` is what `y`, its value, says.
  Verdict judge(const Task& task, const Ball& y, slong bits) const;
  // The same where an element is no number.
  bool keeps_rule(const Task& task, const CosSin& cos_sin, slong bits) const;
  std::uint64_t low_part(const Task& task) const;  // 0 where there is none
  bool has_low_parts() const { return c_.dtype.bits == 64; }
  const Patterns& expected(const std::string& tensor) const;
  void disagree(const char* tensor, std::size_t index, const std::string& why);

  const Case& c_;
  Result& result_;
  Rational amplitude_;
  std::vector<Frequency> frequencies_;
};

}  // namespace ropeproof::second_oracle

#endif  // ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ROPE_CHECK_H_
