#include "reference/staged/elementary.h"

#if defined(__FAST_MATH__)
#error "reference/ is wrong under -ffast-math"
#endif

#include <cstdint>
#include <stdexcept>

#ifdef ROPEPROOF_HAVE_MPFI
#include <bit>

#include "reference/mpfi_family.h"
#endif

namespace ropeproof::reference::staged {

#ifdef ROPEPROOF_HAVE_MPFI
namespace {

// An MPFR number of 55 bits, which holds every double.
class Number {
 public:
  explicit Number(double value) {
    mpfr_init2(value_, kPiecesBits);
    mpfr_set_d(value_, value, MPFR_RNDZ);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

// a = op(a, b, c), truncated; returns whether anything was cut off.
bool truncate(Op op, Number& a, Number& b, Number& c) {
  const mpfr_ptr x = a.get();
  constexpr mpfr_rnd_t kZero = MPFR_RNDZ;
  switch (op) {
    case Op::kCast:
    case Op::kTruncate:
      return false;
    case Op::kNegate:
      return mpfr_neg(x, x, kZero) != 0;
    case Op::kAdd:
      return mpfr_add(x, x, b.get(), kZero) != 0;
    case Op::kSubtract:
      return mpfr_sub(x, x, b.get(), kZero) != 0;
    case Op::kMultiply:
      return mpfr_mul(x, x, b.get(), kZero) != 0;
    case Op::kDivide:
      return mpfr_div(x, x, b.get(), kZero) != 0;
    case Op::kFma:
      return mpfr_fma(x, x, b.get(), c.get(), kZero) != 0;
    case Op::kPow:
      return mpfr_pow(x, x, b.get(), kZero) != 0;
    case Op::kExp:
      return mpfr_exp(x, x, kZero) != 0;
    case Op::kExp2:
      return mpfr_exp2(x, x, kZero) != 0;
    case Op::kLog:
      return mpfr_log(x, x, kZero) != 0;
    case Op::kLog2:
      return mpfr_log2(x, x, kZero) != 0;
    case Op::kCos:
      return mpfr_cos(x, x, kZero) != 0;
    case Op::kSin:
      return mpfr_sin(x, x, kZero) != 0;
    case Op::kIterate:
      break;
  }
  throw std::logic_error("not a single operation");
}

double round(Format format, Number& number, bool has_fraction) {
  const mpfr_ptr x = number.get();
  if (!mpfr_regular_p(x)) return mpfr_get_d(x, MPFR_RNDZ);
  Pieces pieces = pieces_of_limbs(x);
  pieces.has_fraction = has_fraction;
  if (format == Format::kF64) {
    return std::bit_cast<double>(round_f64(pieces, Rounding::kNearestEven));
  }
  return round_to(format,
                  std::bit_cast<double>(round_f64(pieces, Rounding::kToOdd)));
}

}  // namespace

bool available() { return true; }

double apply(Op op, Format format, double a, double b, double c) {
  if (op == Op::kIterate) {
    const auto factors = static_cast<std::int64_t>(c);
    for (std::int64_t i = 0; i < factors; ++i) {
      a = apply(Op::kMultiply, format, a, b);
    }
    return a;
  }
  if (op == Op::kTruncate) {
    return decode(format, ropeproof::reference::truncate(format, a));
  }
  Number x(a), y(b), z(c);
  const bool has_fraction = truncate(op, x, y, z);
  return round(format, x, has_fraction);
}

#else

bool available() { return false; }

double apply(Op, Format, double, double, double) {
  throw std::invalid_argument(
      "staged goldens need MPFR: configure with ROPEPROOF_MPFI=ON");
}

#endif

}  // namespace ropeproof::reference::staged
