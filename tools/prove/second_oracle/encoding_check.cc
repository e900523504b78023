// The values of encodings.json.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "tools/prove/second_oracle/pattern.h"
#include "tools/prove/second_oracle/power.h"
#include "tools/prove/second_oracle/recheck.h"

namespace ropeproof::second_oracle {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::int64_t to_int(const Rational& x) {
  if (!x.is_integer() || !fmpz_fits_si(x.numerator())) {
    throw std::runtime_error("an integer was expected");
  }
  return fmpz_get_si(x.numerator());
}

Rational whole_power(const Rational& x, std::int64_t n) {
  Rational y;
  fmpq_pow_si(y.get(), x, n);
  return y;
}

// One case; value(i, bits) encloses its number i.
class Check {
 public:
  explicit Check(const Encoding& e)
      : e_(e), tokens_(static_cast<std::int64_t>(e.positions.size())) {
    std::int64_t count = 1;
    for (const std::int64_t size : e.shape) count *= size;
    if (at(count) != e.values.size() || tokens_ == 0 || count % tokens_ != 0) {
      throw std::runtime_error("expected has the wrong size");
    }
    width_ = e.shape.back();
    if (e.kind == "shift") width_ *= width_;
    if (width_ != width_by_kind()) {
      throw std::runtime_error("the shape is not that of the parameters");
    }
  }

  Ball value(std::int64_t i, slong bits) const {
    const std::string& kind = e_.kind;
    const std::int64_t row = i / width_, c = i % width_;
    if (kind == "relative" || kind == "t5" || kind == "alibi" ||
        kind == "transformer_xl") {
      return of_pair(row / tokens_, row % tokens_, c, bits);
    }
    return of_token(e_.positions[at(row)], c, bits);
  }

 private:
  const std::vector<Rational>& list(const std::string& name) const {
    const auto found = e_.given.find(name);
    if (found == e_.given.end()) throw std::runtime_error("no " + name);
    return found->second;
  }
  std::int64_t number(const std::string& name) const {
    return to_int(list(name).at(0));
  }
  // 0 where it is not given.
  std::int64_t number_or_0(const std::string& name) const {
    return e_.given.contains(name) ? number(name) : 0;
  }

  std::int64_t width_by_kind() const {
    const std::string& kind = e_.kind;
    if (kind == "decay") return 1;
    if (kind == "transformer_xl") return 5;
    if (kind == "shift") return number("dim") * number("dim");
    if (kind == "alibi") return number("heads");
    if (kind == "t5") return std::max<std::int64_t>(number_or_0("heads"), 1);
    const std::int64_t channels = number_or_0("channels");
    return channels != 0 ? channels : number("dim");
  }

  // p base^(-n/dim)
  Ball phi(std::int64_t n, std::int64_t p, slong bits) const {
    const slong more = bits + 64;
    const Ball theta =
        power(list("base").at(0), Rational(-n) / Rational(number("dim")), more);
    return multiply(Ball(Rational(p), more), theta, more);
  }
  static Ball sine(const Ball& x, slong bits) {
    Ball y;
    arb_sin(y.get(), x, bits);
    return y;
  }
  static Ball cosine(const Ball& x, slong bits) {
    Ball y;
    arb_cos(y.get(), x, bits);
    return y;
  }
  Ball wave(std::int64_t p, std::int64_t c, slong bits) const {
    const Ball x = phi(c / 2 * 2, p, bits);
    return c % 2 == 0 ? sine(x, bits) : cosine(x, bits);
  }

  Ball of_token(std::int64_t p, std::int64_t c, slong bits) const {
    const std::string& kind = e_.kind;
    const std::int64_t dim = number("dim");
    if (kind == "integer") return Ball(Rational(p), bits);
    if (kind == "normalised") {
      return Ball(Rational(p) / Rational(number("length")), bits);
    }
    if (kind == "binary") {
      std::int64_t rest = p;
      for (std::int64_t digit = dim - 1; digit > c; --digit) rest /= 2;
      return Ball(Rational(rest % 2), bits);
    }
    if (kind == "sine") return sine(phi(c, p, bits), bits);
    if (kind == "sinusoidal") return wave(p, c, bits);
    if (kind == "learned") return Ball(list("table").at(at(p * dim + c)), bits);
    if (kind == "decay") {
      Ball sum;
      for (std::int64_t i = 0; i < dim / 2; ++i) {
        sum = add(sum, wave(p, 2 * i + 1, bits), bits);
      }
      return sum;
    }
    if (kind != "shift") throw std::runtime_error("unknown: " + kind);
    const std::int64_t row = c / dim, column = c % dim;
    if (row / 2 != column / 2) return Ball();
    if (row == column) return wave(p, row / 2 * 2 + 1, bits);
    // The sine is odd.
    return wave(row < column ? p : -p, row / 2 * 2, bits);
  }

  Ball of_pair(std::int64_t i, std::int64_t j, std::int64_t c,
               slong bits) const {
    const std::int64_t ahead = e_.positions[at(j)] - e_.positions[at(i)];
    if (e_.kind == "relative") {
      const auto& table = list("table");
      const std::int64_t dim = number("dim");
      const auto rows = static_cast<std::int64_t>(table.size()) / dim;
      return Ball(table.at(at((ahead + rows / 2) * dim + c)), bits);
    }
    if (e_.kind == "t5") {
      const std::int64_t b = bucket(ahead), heads = number_or_0("heads");
      return Ball(
          heads == 0 ? Rational(b) : list("table").at(at(b * heads + c)), bits);
    }
    if (e_.kind == "alibi") {
      return multiply(slope(c + 1, bits),
                      Ball(Rational(-std::abs(ahead)), bits), bits);
    }
    return transformer_xl(i, j, c, bits);
  }

  // 2^(-8h/n), or, beyond the power of two n, every other one for 2n.
  Ball slope(std::int64_t h, slong bits) const {
    std::int64_t n = 1;
    while (2 * n <= number("heads")) n *= 2;
    const Rational exponent =
        h <= n ? Rational(-8 * h) / Rational(n)
               : Rational(-8 * (2 * (h - n) - 1)) / Rational(2 * n);
    return power(Rational(2), exponent, bits);
  }

  // The largest bound below the distance, counted from e: (D/e)^(t/(n-e)).
  std::int64_t bucket(std::int64_t ahead) const {
    const bool is_causal = number_or_0("is_causal") != 0;
    const std::int64_t all = number("buckets");
    const std::int64_t n = is_causal ? all : all / 2, e = n / 2;
    if (is_causal && ahead > 0) return 0;
    const std::int64_t first = ahead > 0 ? n : 0, r = std::abs(ahead);
    if (r < e) return first + r;
    const Rational left = whole_power(Rational(r) / Rational(e), n - e);
    const Rational step = Rational(number("max_distance")) / Rational(e);
    std::int64_t t = 0;
    while (t + 1 < n - e && whole_power(step, t + 1) <= left) ++t;
    return first + e + t;
  }

  // Terms 0 .. 3, and 4, their sum.
  Ball transformer_xl(std::int64_t i, std::int64_t j, std::int64_t c,
                      slong bits) const {
    Ball sum;
    for (std::int64_t term = c == 4 ? 0 : c;
         term <= std::min<std::int64_t>(c, 3); ++term) {
      for (std::int64_t h = 0; h < number("head_dim"); ++h) {
        const Ball left =
            term < 2 ? projected(
                           "w_q", h,
                           [&](std::int64_t k) { return x(i, k, bits); }, bits)
                     : Ball(list(term == 2 ? "u" : "v").at(at(h)), bits);
        const std::int64_t p = e_.positions[at(i)] - e_.positions[at(j)];
        const Ball right =
            term % 2 == 0
                ? projected(
                      "w_ke", h, [&](std::int64_t k) { return x(j, k, bits); },
                      bits)
                : projected(
                      "w_kr", h,
                      [&](std::int64_t k) { return wave(p, k, bits); }, bits);
        sum = add(sum, multiply(left, right, bits), bits);
      }
    }
    return sum;
  }
  Ball x(std::int64_t token, std::int64_t k, slong bits) const {
    return Ball(list("x").at(at(token * number("dim") + k)), bits);
  }
  template <class Entry>
  Ball projected(const char* matrix, std::int64_t h, const Entry& entry,
                 slong bits) const {
    Ball sum;
    for (std::int64_t k = 0; k < number("dim"); ++k) {
      const auto index = at(k * number("head_dim") + h);
      sum =
          add(sum, multiply(entry(k), Ball(list(matrix).at(index), bits), bits),
              bits);
    }
    return sum;
  }

  const Encoding& e_;
  std::int64_t tokens_, width_ = 0;
};

void recheck(const Encoding& e, Result& result) {
  const Check check(e);
  for (std::size_t i = 0; i < e.values.size(); ++i) {
    ++result.values;
    Verdict verdict = Verdict::kUndecided;
    for (const slong bits : kLadder) {
      verdict = is_rounded_to_odd(
          check.value(static_cast<std::int64_t>(i), bits), e.values[i]);
      result.bits = std::max(result.bits, bits);
      if (verdict != Verdict::kUndecided) break;
    }
    if (verdict == Verdict::kProved) continue;
    result.disagree(
        e.id + " values[" + std::to_string(i) + "]: golden " +
        hex(e.values[i]) +
        (verdict == Verdict::kRefuted ? " is not y" : ", undecided"));
  }
}

}  // namespace

Result recheck(const std::vector<Encoding>& encodings) {
  Result result;
  for (const Encoding& e : encodings) {
    try {
      recheck(e, result);
    } catch (const std::exception& error) {
      result.disagree(e.id + ": " + error.what());
    }
  }
  return result;
}

}  // namespace ropeproof::second_oracle
