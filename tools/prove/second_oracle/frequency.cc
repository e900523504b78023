#include "tools/prove/second_oracle/frequency.h"

#include <bit>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "tools/prove/second_oracle/pattern.h"
#include "tools/prove/second_oracle/power.h"

namespace ropeproof::second_oracle {
namespace {

// Exponents are counted as n/d: pair n/2 of a rotation of d channels.
struct Index {
  std::int64_t n = 0, d = 0;
  Rational pair() const { return Rational(n) / Rational(2); }
};

Index index_of(const Case& c, std::int64_t j) {
  if (c.exponents.empty()) return {2 * j, c.rotary_dim};
  const auto& [n, d] = c.exponents.at(static_cast<std::size_t>(j));
  return {n, d};
}

const Rational& base_of(const Case& c, std::int64_t j) {
  return c.bases.empty() ? c.base : c.bases.at(static_cast<std::size_t>(j));
}

// factor *= base^exponent
void multiply_by_power(Frequency& theta, const Rational& base,
                       const Rational& exponent) {
  if (const auto exact = rational_power(base, exponent)) {
    theta.coefficient = theta.coefficient * *exact;
  } else {
    theta.powers.emplace_back(base, exponent);
  }
}

// Which side of `limit` a real number lies on: -1, 0 or 1. `exact` is the
// number where it is rational; only then can it be the limit.
int side(const std::optional<Rational>& exact, const Rational& limit,
         const std::function<Ball(slong)>& enclose) {
  if (exact) return (*exact - limit).sign();
  for (const slong bits : kLadder) {
    const Ball difference = subtract(enclose(bits), Ball(limit, bits), bits);
    if (arb_is_positive(difference)) return 1;
    if (arb_is_negative(difference)) return -1;
  }
  throw std::runtime_error("a branch of the scaling stays undecided");
}

// --- YaRN ---

// The index of the pair that rotates `rotations` times in L positions, from
//     L base^(-2 index / d) = 2 pi rotations.
Ball yarn_index(const Rational& length, const Rational& base, std::int64_t d,
                const Rational& rotations, slong bits) {
  Ball circle;
  arb_const_pi(circle.get(), bits);
  circle = multiply(circle, Ball(Rational(2) * rotations, bits), bits);
  const Ball ratio = divide(Ball(length, bits), circle, bits);
  const Ball quotient =
      divide(log(ratio, bits), log(Ball(base, bits), bits), bits);
  return multiply(quotient, Ball(Rational(d) / Rational(2), bits), bits);
}

// floor (round = -1) or ceiling (+1) of a real number that is no integer.
Rational to_integer(int round, const std::function<Ball(slong)>& enclose) {
  for (const slong bits : kLadder) {
    const Ball x = enclose(bits);
    Ball rounded;
    if (round < 0) {
      arb_floor(rounded.get(), x, bits);
    } else {
      arb_ceil(rounded.get(), x, bits);
    }
    Rational integer;
    if (arb_get_unique_fmpz(fmpq_numref(integer.get()), rounded)) {
      return integer;
    }
  }
  throw std::runtime_error("a bound of YaRN's ramp stays undecided");
}

// gamma: 0 keeps theta, 1 divides it by the factor.
Rational yarn_ramp(const Scaling& yarn, const Rational& base,
                   const Index& index) {
  const auto bound = [&](const char* rotations, int round) {
    const auto enclose = [&](slong bits) {
      return yarn_index(yarn.number("original_length"), base, index.d,
                        yarn.number(rotations), bits);
    };
    return yarn.truncate ? to_integer(round, enclose)
                         : f64_value(nearest_f64(enclose));
  };
  Rational low = bound("beta_fast", -1);
  Rational high = bound("beta_slow", 1);
  if (low < Rational(0)) low = Rational(0);
  if (Rational(index.d - 1) < high) high = Rational(index.d - 1);
  if (high < low) throw std::runtime_error("YaRN's ramp runs backwards");
  if (low == high) {  // + 0.001, one rounding
    high = f64_value(nearest_f64([&](slong bits) {
      return Ball(high + Rational(1) / Rational(1000), bits);
    }));
  }
  const Rational gamma = (index.pair() - low) / (high - low);
  if (gamma < Rational(0)) return Rational(0);
  if (Rational(1) < gamma) return Rational(1);
  return gamma;
}

// 0.1 mscale ln s + 1
Ball yarn_gain(const Rational& mscale, const Rational& factor, slong bits) {
  const Ball tenth(mscale / Rational(10), bits);
  const Ball product = multiply(tenth, log(Ball(factor, bits), bits), bits);
  return add(product, Ball(Rational(1), bits), bits);
}

// --- llama3 ---

void scale_llama3(const Scaling& llama3, Frequency& theta) {
  const Rational& factor = llama3.number("factor");
  const Rational& low = llama3.number("low_freq_factor");
  const Rational& high = llama3.number("high_freq_factor");
  // The wavelength is 2 pi / theta with the pi that programs have.
  const Rational pi = f64_value(std::bit_cast<std::uint64_t>(std::numbers::pi));
  const Rational circles_per_theta =
      llama3.number("original_length") / (Rational(2) * pi);
  std::optional<Rational> rotations;
  if (theta.powers.empty()) rotations = circles_per_theta * theta.coefficient;
  const auto enclose = [&](slong bits) {
    return multiply(Ball(circles_per_theta, bits), theta.enclose(bits), bits);
  };
  if (side(rotations, high, enclose) >= 0) return;
  if (side(rotations, low, enclose) <= 0) {
    theta.coefficient = theta.coefficient / factor;
  } else if (rotations) {
    const Rational sigma = (*rotations - low) / (high - low);
    theta.coefficient =
        theta.coefficient * ((Rational(1) - sigma) / factor + sigma);
  } else {
    theta.blend = Frequency::Blend{circles_per_theta, low, high, factor};
  }
}

// The parameter by which NTK-aware scaling raises the base.
Rational ntk_alpha(const Scaling& scaling) {
  if (scaling.kind == "ntk") return scaling.number("alpha");
  const Rational& trained = scaling.number("max_position");
  const Rational& length = scaling.number("seq_len");
  if (length <= trained) return Rational(1);
  const Rational& factor = scaling.number("factor");
  return factor * length / trained - (factor - Rational(1));
}

void scale(const Case& c, std::int64_t j, Frequency& theta) {
  const Scaling& scaling = *c.scaling;
  const Index index = index_of(c, j);
  const auto of_pair = [&](const char* list) -> const Rational& {
    return scaling.list(list).at(static_cast<std::size_t>(j));
  };
  if (scaling.kind == "linear") {
    theta.coefficient = theta.coefficient / scaling.number("factor");
  } else if (scaling.kind == "ntk" || scaling.kind == "dynamic_ntk") {
    // (base alpha^(d/(d-2)))^(-n/d) = base^(-n/d) alpha^(-n/(d-2))
    multiply_by_power(theta, ntk_alpha(scaling),
                      Rational(-index.n) / Rational(index.d - 2));
  } else if (scaling.kind == "yarn") {
    const Rational gamma = yarn_ramp(scaling, base_of(c, j), index);
    theta.coefficient = theta.coefficient * (Rational(1) - gamma +
                                             gamma / scaling.number("factor"));
  } else if (scaling.kind == "long_rope") {
    const bool is_long =
        scaling.number("original_length") < scaling.number("seq_len");
    theta.coefficient =
        theta.coefficient / of_pair(is_long ? "long_factor" : "short_factor");
  } else if (scaling.kind == "llama3") {
    scale_llama3(scaling, theta);
  } else if (scaling.kind == "frequency_factors") {
    theta.coefficient = theta.coefficient / of_pair("factors");
  } else {
    throw std::runtime_error("unknown scaling \"" + scaling.kind + "\"");
  }
}

}  // namespace

Ball Frequency::enclose(slong bits) const {
  Ball theta(coefficient, bits);
  for (const auto& [base, exponent] : powers) {
    theta = multiply(theta, power(base, exponent, bits), bits);
  }
  if (!blend) return multiply(theta, Ball(factor, bits), bits);
  const Ball rotations =
      multiply(Ball(blend->circles_per_theta, bits), theta, bits);
  const Ball sigma = divide(subtract(rotations, Ball(blend->low, bits), bits),
                            Ball(blend->high - blend->low, bits), bits);
  const Ball complement = subtract(Ball(Rational(1), bits), sigma, bits);
  const Ball weight =
      add(divide(complement, Ball(blend->factor, bits), bits), sigma, bits);
  return multiply(multiply(theta, weight, bits), Ball(factor, bits), bits);
}

Frequency frequency(const Case& c, std::int64_t j) {
  Frequency theta;
  if (!c.inv_freq.empty()) {
    theta.coefficient = c.inv_freq.at(static_cast<std::size_t>(j));
  } else {
    const Index index = index_of(c, j);
    if (index.d == 0) {
      theta.coefficient = Rational(0);
    } else {
      multiply_by_power(theta, base_of(c, j),
                        Rational(-index.n) / Rational(index.d));
    }
  }
  if (c.scaling && !theta.is_zero()) scale(c, j, theta);
  // transformers, mistral_large4: the frequency times exp(alpha), of all that
  // came before.
  if (!c.pair_factors.empty()) {
    theta.factor = c.pair_factors.at(static_cast<std::size_t>(j));
  }
  return theta;
}

Rational amplitude(const Case& c) {
  if (!c.scaling) return c.amplitude;
  const Scaling& scaling = *c.scaling;
  const bool is_yarn = scaling.kind == "yarn";
  if (!is_yarn && scaling.kind != "long_rope") return c.amplitude;
  if (scaling.has("attention_factor"))
    return scaling.number("attention_factor");
  const Rational& factor = scaling.number("factor");
  if (factor == Rational(1)) return Rational(1);
  return f64_value(nearest_f64([&](slong bits) {
    if (is_yarn && scaling.has("mscale")) {
      return divide(yarn_gain(scaling.number("mscale"), factor, bits),
                    yarn_gain(scaling.number("mscale_all_dim"), factor, bits),
                    bits);
    }
    if (is_yarn) return yarn_gain(Rational(1), factor, bits);
    const Ball logs =
        divide(log(Ball(factor, bits), bits),
               log(Ball(scaling.number("original_length"), bits), bits), bits);
    Ball root = add(Ball(Rational(1), bits), logs, bits);
    arb_sqrt(root.get(), root, bits);
    return root;
  }));
}

Stretch stretch(const Case& c, std::int64_t j, const Rational& position) {
  const Index index = index_of(c, j);
  // (2j + 0.4 d) / (1.4 d), times ten
  const Rational zeta =
      Rational(10 * index.n + 4 * index.d) / Rational(14 * index.d);
  const Rational exponent = (position - c.xpos->centre) / c.xpos->scale_base;
  return {zeta, c.xpos->is_key ? Rational(0) - exponent : exponent};
}

}  // namespace ropeproof::second_oracle
