// The expected values of one case of type rope.
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/prove/second_oracle/frequency.h"
#include "tools/prove/second_oracle/layout.h"
#include "tools/prove/second_oracle/pattern.h"
#include "tools/prove/second_oracle/power.h"
#include "tools/prove/second_oracle/recheck.h"
#include "tools/prove/second_oracle/special.h"

namespace ropeproof::second_oracle {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::string text(const Ball& y) {
  char* digits = arb_get_str(y, 25, 0);
  std::string result = digits;
  flint_free(digits);
  return result;
}

class RopeCheck {
 public:
  RopeCheck(const Case& c, Result& result) : c_(c), result_(result) {}

  void run() {
    check_shapes();
    amplitude_ = amplitude(c_);
    for (std::int64_t j = 0; j < c_.pairs(); ++j) {
      frequencies_.push_back(frequency(c_, j));
    }
    check_amplitude();
    check_frequencies();
    for (std::int64_t token = 0; token < c_.tokens(); ++token) {
      for (std::int64_t j = 0; j < c_.pairs(); ++j) check_cos_sin(token, j);
    }
    check_untouched("q", c_.q_heads);
    check_untouched("k", c_.k_heads);
  }

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

  // Every tensor that must be there is, in its size, and no other.
  void check_shapes() const {
    const std::int64_t entries = c_.tokens() * c_.pairs();
    const std::int64_t q = c_.tokens() * c_.q_heads * c_.head_dim;
    const std::int64_t k = c_.tokens() * c_.k_heads * c_.head_dim;
    std::map<std::string, std::int64_t> sizes = {{"inv_freq_hi", c_.pairs()},
                                                 {"inv_freq_lo", c_.pairs()},
                                                 {"cos", entries},
                                                 {"sin", entries},
                                                 {"q", q},
                                                 {"k", k}};
    if (c_.xpos) sizes["pair_amplitude"] = entries;
    if (has_low_parts()) {
      for (const char* name : {"cos", "sin", "q", "k"}) {
        sizes[std::string(name) + "_lo"] = sizes.at(name);
      }
    }
    for (const auto& [name, patterns] : c_.expected) {
      if (!sizes.contains(name)) {
        throw std::runtime_error("expected." + name + " has no meaning here");
      }
    }
    for (const auto& [name, size] : sizes) {
      if (expected(name).size() != at(size)) {
        throw std::runtime_error("expected." + name + " has the wrong size");
      }
    }
    if (c_.tensors.at("q").size() != at(q) ||
        c_.tensors.at("k").size() != at(k) ||
        c_.positions.size() != at(c_.axes * c_.tokens())) {
      throw std::runtime_error("q, k or positions have the wrong size");
    }
  }

  void check_amplitude() {
    if (!c_.expected_amplitude) return;
    ++result_.values;
    if (!(f64_value(*c_.expected_amplitude) == amplitude_)) {
      result_.disagree(c_.id + " amplitude: golden " +
                       hex(*c_.expected_amplitude) + " is another number");
    }
  }

  void check_frequencies() {
    const Patterns& hi = expected("inv_freq_hi");
    const Patterns& lo = expected("inv_freq_lo");
    for (std::size_t j = 0; j < hi.size(); ++j) {
      ++result_.values;
      Verdict verdict = Verdict::kUndecided;
      for (const slong bits : kLadder) {
        const Ball theta = frequencies_[j].enclose(bits);
        verdict = is_nearest_pair(theta, hi[j], lo[j], bits);
        result_.bits = std::max(result_.bits, bits);
        if (verdict == Verdict::kRefuted) {
          disagree("inv_freq_hi", j, "y is " + text(theta));
        }
        if (verdict != Verdict::kUndecided) break;
      }
      if (verdict == Verdict::kUndecided) {
        disagree("inv_freq_hi", j, "undecided");
      }
    }
  }

  void check_cos_sin(std::int64_t token, std::int64_t j) {
    const std::size_t index = at(token * c_.pairs() + j);
    std::vector<Task> tasks = {{What::kCos, "cos", index, {}, {}},
                               {What::kSin, "sin", index, {}, {}}};
    if (c_.xpos) {
      tasks.push_back({What::kAmplitude, "pair_amplitude", index, {}, {}});
    }
    add_heads(token, j, "q", c_.q_heads, tasks);
    add_heads(token, j, "k", c_.k_heads, tasks);
    result_.values += static_cast<std::int64_t>(tasks.size());

    const Rational p = coordinate(token, j);
    for (const slong bits : kLadder) {
      const CosSin now = cos_sin(token, j, p, bits);
      result_.bits = std::max(result_.bits, bits);
      std::erase_if(tasks, [&](const Task& task) {
        if (!task.has_numbers()) {
          if (!keeps_rule(task, now, bits)) {
            disagree(task.tensor, task.index, "not the rule for its elements");
          }
          return true;
        }
        const Ball y = value(task, now, bits);
        const Verdict verdict = judge(task, y, bits);
        if (verdict == Verdict::kRefuted) {
          disagree(task.tensor, task.index, "y is " + text(y));
        }
        return verdict != Verdict::kUndecided;
      });
      if (tasks.empty()) return;
    }
    for (const Task& task : tasks) {
      disagree(task.tensor, task.index, "undecided");
    }
  }

  // The channels of pair j in every head of a tensor.
  void add_heads(std::int64_t token, std::int64_t j, const char* tensor,
                 std::int64_t heads, std::vector<Task>& tasks) const {
    const Patterns& x = c_.tensors.at(tensor);
    const PairChannels pair = channels(c_, j);
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t row = (token * heads + head) * c_.head_dim;
      const Element x_u = decode(x[at(row + pair.in.u)], c_.dtype);
      const Element x_v = decode(x[at(row + pair.in.v)], c_.dtype);
      tasks.push_back({What::kU, tensor, at(row + pair.out.u), x_u, x_v});
      tasks.push_back({What::kV, tensor, at(row + pair.out.v), x_u, x_v});
    }
  }

  void check_untouched(const char* tensor, std::int64_t heads) {
    const Patterns& x = c_.tensors.at(tensor);
    const Patterns& y = expected(tensor);
    const std::vector<bool> is_untouched = untouched(c_);
    for (std::size_t i = 0; i < x.size() && heads > 0; ++i) {
      if (!is_untouched[i % at(c_.head_dim)]) continue;
      ++result_.values;
      const bool has_low_part =
          has_low_parts() && expected(std::string(tensor) + "_lo")[i] != 0;
      if (has_low_part || !is_copy(decode(x[i], c_.dtype), y[i])) {
        disagree(tensor, i, "the channel is in no pair, and not a copy");
      }
    }
  }

  const Rational& position(std::int64_t axis, std::int64_t token) const {
    return c_.positions.at(at(axis * c_.tokens() + token));
  }

  // sum_k W[k,j] p_k
  Rational coordinate(std::int64_t token, std::int64_t j) const {
    if (c_.weights.empty()) {
      return position(c_.axis_of_pair.empty() ? 0 : c_.axis_of_pair.at(at(j)),
                      token);
    }
    Rational sum;
    for (std::int64_t axis = 0; axis < c_.axes; ++axis) {
      const Rational& weight = c_.weights.at(at(axis * c_.pairs() + j));
      sum = sum + weight * position(axis, token);
    }
    return sum;
  }

  CosSin cos_sin(std::int64_t token, std::int64_t j, const Rational& coordinate,
                 slong bits) const {
    CosSin cos_sin;
    const Frequency& theta = frequencies_[at(j)];
    if (coordinate.sign() == 0 || theta.is_zero()) {
      cos_sin.cos = Ball(Rational(1), bits);  // and the sine is 0
    } else {
      // A large angle costs as many bits of its sine.
      const auto more =
          static_cast<slong>(fmpz_bits(coordinate.numerator())) + slong{8};
      cos_sin.phi = multiply(theta.enclose(bits + more),
                             Ball(coordinate, bits + more), bits + more);
      arb_sin_cos(cos_sin.sin.get(), cos_sin.cos.get(), cos_sin.phi, bits);
    }
    Rational exact = amplitude_;
    cos_sin.denominator = Ball(Rational(1), bits);
    if (c_.xpos) {
      const Stretch s = stretch(c_, j, position(0, token));
      if (const auto whole = rational_power(s.zeta, s.exponent)) {
        exact = exact * *whole;
      } else {
        cos_sin.numerator = multiply(Ball(amplitude_, bits),
                                     power(s.zeta, s.exponent, bits), bits);
        return cos_sin;
      }
    }
    Rational numerator, denominator;
    fmpz_set(fmpq_numref(numerator.get()), exact.numerator());
    fmpz_set(fmpq_numref(denominator.get()), exact.denominator());
    cos_sin.numerator = Ball(numerator, bits);
    cos_sin.denominator = Ball(denominator, bits);
    return cos_sin;
  }

  Ball value(const Task& task, const CosSin& cos_sin, slong bits) const {
    const auto scaled = [&](const Ball& y) {
      return divide(multiply(y, cos_sin.numerator, bits), cos_sin.denominator,
                    bits);
    };
    switch (task.what) {
      case What::kCos:
        return scaled(cos_sin.cos);
      case What::kSin:
        return scaled(cos_sin.sin);
      case What::kAmplitude:
        return scaled(Ball(Rational(1), bits));
      case What::kU:
      case What::kV:
        break;
    }
    const Ball x_u(task.x_u.value(), bits), x_v(task.x_v.value(), bits);
    // Counter-clockwise by phi; the adjoint rotates backward.
    const bool is_u = task.what == What::kU;
    const Ball straight = multiply(is_u ? x_u : x_v, cos_sin.cos, bits);
    const Ball crossed = multiply(is_u ? x_v : x_u, cos_sin.sin, bits);
    return scaled(is_u != c_.is_adjoint ? subtract(straight, crossed, bits)
                                        : add(straight, crossed, bits));
  }

  // Whether the golden of `task` is what `y`, its value, says.
  Verdict judge(const Task& task, const Ball& y, slong bits) const {
    const std::uint64_t golden = expected(task.tensor)[task.index];
    const bool is_output = task.what == What::kU || task.what == What::kV;
    if (c_.is_special && is_output && !decode(golden, Format{}).is_finite()) {
      return low_part(task) == 0 ? is_beyond(y, golden, c_.dtype)
                                 : Verdict::kRefuted;
    }
    if (task.what == What::kAmplitude || !has_low_parts()) {
      return is_rounded_to_odd(y, golden);
    }
    return is_nearest_pair(y, golden, low_part(task), bits);
  }

  // Whether the golden keeps the rule where an element is no number.
  bool keeps_rule(const Task& task, const CosSin& cos_sin, slong bits) const {
    if (!c_.is_special || low_part(task) != 0) return false;
    const int cos =
        sure_sign(value({What::kCos, "cos", task.index, {}, {}}, cos_sin, bits),
                  cos_sin.phi);
    const int forward =
        sure_sign(value({What::kSin, "sin", task.index, {}, {}}, cos_sin, bits),
                  cos_sin.phi);
    const int sin = c_.is_adjoint ? -forward : forward;
    const std::uint64_t rule =
        task.what == What::kU
            ? sum_without_number(task.x_u, cos, task.x_v, -sin)
            : sum_without_number(task.x_u, sin, task.x_v, cos);
    return expected(task.tensor)[task.index] == rule;
  }

  // 0 where there is none.
  std::uint64_t low_part(const Task& task) const {
    if (!has_low_parts()) return 0;
    return expected(std::string(task.tensor) + "_lo")[task.index];
  }

  const Patterns& expected(const std::string& tensor) const {
    const auto found = c_.expected.find(tensor);
    if (found == c_.expected.end()) {
      throw std::runtime_error("expected." + tensor + " is missing");
    }
    return found->second;
  }

  void disagree(const char* tensor, std::size_t index, const std::string& why) {
    result_.disagree(c_.id + " " + tensor + "[" + std::to_string(index) +
                     "]: golden " + hex(expected(tensor)[index]) + ", " + why);
  }

  bool has_low_parts() const { return c_.dtype.bits == 64; }

  const Case& c_;
  Result& result_;
  Rational amplitude_;
  std::vector<Frequency> frequencies_;
};

}  // namespace

void recheck_rope(const Case& c, Result& result) { RopeCheck(c, result).run(); }

}  // namespace ropeproof::second_oracle
