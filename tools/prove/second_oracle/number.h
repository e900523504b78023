// number.h -- exact rationals and balls: FLINT's and Arb's, as C++ values.
//
// Rational is exact. Ball is a midpoint and a radius that together contain the
// real number they stand for; every operation takes a precision in bits and
// keeps that promise (F. Johansson, "Arb: efficient arbitrary-precision
// midpoint-radius interval arithmetic", IEEE Trans. Computers 66, 2017). An
// operation whose result fits has radius zero if its operands have.
#pragma once

#include <flint/fmpq.h>

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>  // FLINT 3
#else
#include <arb.h>  // Arb 2, beside FLINT 2
#endif

#include <cstdint>

namespace ropeproof::second_oracle {

class Rational {
 public:
  Rational(std::int64_t value = 0) {
    fmpq_init(value_);
    fmpz_set_si(fmpq_numref(value_), value);
  }
  Rational(const Rational& other) : Rational() { fmpq_set(value_, other); }
  Rational(Rational&& other) noexcept : Rational() { swap(other); }
  Rational& operator=(Rational other) noexcept {
    swap(other);
    return *this;
  }
  ~Rational() { fmpq_clear(value_); }

  // significand * 2^exponent
  static Rational scaled(std::int64_t significand, std::int64_t exponent) {
    Rational x(significand);
    const auto shift = static_cast<ulong>(exponent < 0 ? -exponent : exponent);
    if (exponent < 0) {
      fmpq_div_2exp(x.value_, x.value_, shift);
    } else {
      fmpq_mul_2exp(x.value_, x.value_, shift);
    }
    return x;
  }

  operator const fmpq*() const { return value_; }
  fmpq* get() { return value_; }
  const fmpz* numerator() const { return fmpq_numref(value_); }
  const fmpz* denominator() const { return fmpq_denref(value_); }
  int sign() const { return fmpq_sgn(value_); }

  friend Rational operator+(const Rational& a, const Rational& b) {
    Rational c;
    fmpq_add(c.value_, a, b);
    return c;
  }
  friend Rational operator-(const Rational& a, const Rational& b) {
    Rational c;
    fmpq_sub(c.value_, a, b);
    return c;
  }
  friend Rational operator*(const Rational& a, const Rational& b) {
    Rational c;
    fmpq_mul(c.value_, a, b);
    return c;
  }
  friend Rational operator/(const Rational& a, const Rational& b) {
    Rational c;
    fmpq_div(c.value_, a, b);
    return c;
  }
  friend bool operator==(const Rational& a, const Rational& b) {
    return fmpq_equal(a, b) != 0;
  }
  friend bool operator<(const Rational& a, const Rational& b) {
    return fmpq_cmp(a, b) < 0;
  }
  friend bool operator<=(const Rational& a, const Rational& b) {
    return fmpq_cmp(a, b) <= 0;
  }

 private:
  void swap(Rational& other) noexcept { fmpq_swap(value_, other.value_); }

  fmpq_t value_;
};

class Ball {
 public:
  Ball() { arb_init(value_); }
  Ball(const Ball& other) : Ball() { arb_set(value_, other); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(value_, other.value_); }
  Ball& operator=(Ball other) noexcept {
    arb_swap(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  Ball(const Rational& x, slong bits) : Ball() {
    arb_set_fmpq(value_, x, bits);
  }

  operator const arb_struct*() const { return value_; }
  arb_struct* get() { return value_; }
  bool is_exact() const { return arb_is_exact(value_) != 0; }

 private:
  arb_t value_;
};

inline Ball add(const Ball& a, const Ball& b, slong bits) {
  Ball c;
  arb_add(c.get(), a, b, bits);
  return c;
}
inline Ball subtract(const Ball& a, const Ball& b, slong bits) {
  Ball c;
  arb_sub(c.get(), a, b, bits);
  return c;
}
inline Ball multiply(const Ball& a, const Ball& b, slong bits) {
  Ball c;
  arb_mul(c.get(), a, b, bits);
  return c;
}
inline Ball divide(const Ball& a, const Ball& b, slong bits) {
  Ball c;
  arb_div(c.get(), a, b, bits);
  return c;
}
inline Ball log(const Ball& a, slong bits) {
  Ball c;
  arb_log(c.get(), a, bits);
  return c;
}

// Precisions to try, in bits; what the last one leaves open stays open.
inline constexpr slong kLadder[] = {192, 384, 768, 1536, 4096};

}  // namespace ropeproof::second_oracle
