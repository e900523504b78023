// ropeproof_cuda_types.h -- CUDA's small types and intrinsics in C++: half and
// bfloat16 with one rounding an operation, vectors, shuffles, mathematics.
// ropeproof_cuda.h includes it.
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_TYPES_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_TYPES_H_

namespace ropeproof_cuda {

// A float of 16 bits, of which kFraction follow the leading 1; its exponent has
// the bias kBias.
template <int kFraction, int kBias>
struct Narrow {
  std::uint16_t bits;

  Narrow() = default;
  Narrow(float value) : bits(rounded(value)) {}
  Narrow(double value) : bits(rounded(odd(value))) {}
  template <class Whole, class = std::enable_if_t<std::is_integral_v<Whole>>>
  Narrow(Whole value) : Narrow(static_cast<double>(value)) {}

  operator float() const {
    const int exponent = bits >> kFraction & (1 << (15 - kFraction)) - 1;
    const int fraction = bits & ((1 << kFraction) - 1);
    float value;
    if (exponent == (1 << (15 - kFraction)) - 1) {
      const std::uint32_t wide =
          0x7f800000u | static_cast<std::uint32_t>(fraction)
                            << (23 - kFraction);
      std::memcpy(&value, &wide, sizeof value);
    } else {
      value = std::ldexp(
          static_cast<float>(exponent == 0 ? fraction
                                           : fraction + (1 << kFraction)),
          std::max(exponent, 1) - kBias - kFraction);
    }
    return std::copysign(value, bits >> 15 != 0 ? -1.0f : 1.0f);
  }

  friend Narrow operator+(Narrow a, Narrow b) { return float(a) + float(b); }
  friend Narrow operator-(Narrow a, Narrow b) { return float(a) - float(b); }
  friend Narrow operator*(Narrow a, Narrow b) { return float(a) * float(b); }
  friend Narrow operator/(Narrow a, Narrow b) { return float(a) / float(b); }
  Narrow operator-() const {
    Narrow negative = *this;
    negative.bits ^= 0x8000;
    return negative;
  }
  Narrow& operator+=(Narrow b) { return *this = *this + b; }
  Narrow& operator*=(Narrow b) { return *this = *this * b; }

 private:
  // Rounds to nearest, ties to even; what is too large becomes an infinity.
  static std::uint16_t rounded(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    constexpr int kInfinity = ((1 << (15 - kFraction)) - 1) << kFraction;
    const float size = std::fabs(value);
    if (std::isnan(value)) return 0x7fff;  // the one that devices give
    if (std::isinf(value)) return sign | kInfinity;
    if (size == 0) return sign;
    int exponent = 0;
    std::frexp(size, &exponent);  // size is in [2^(exponent - 1), 2^exponent)
    const int place = std::max(exponent - 1, 1 - kBias) - kFraction;
    // Whole, and exact: units of the last place, up to 2^(kFraction + 1).
    const auto units =
        static_cast<int>(std::nearbyint(std::ldexp(double{size}, -place)));
    const int encoded = ((place + kFraction + kBias - 1) << kFraction) + units;
    return sign | static_cast<std::uint16_t>(std::min(encoded, kInfinity));
  }
  // Rounds to f32, to odd, so that a second rounding cannot tell.
  static float odd(double value) {
    const float near = static_cast<float>(value);
    std::uint32_t bits;
    std::memcpy(&bits, &near, sizeof bits);
    if (double{near} == value || std::isnan(value) || (bits & 1) != 0) {
      return near;
    }
    return std::nextafter(near, value > near ? INFINITY : -INFINITY);
  }
};

}  // namespace ropeproof_cuda

using __half = ropeproof_cuda::Narrow<10, 15>;
using __nv_bfloat16 = ropeproof_cuda::Narrow<7, 127>;
using half = __half;
using nv_bfloat16 = __nv_bfloat16;
using __hip_bfloat16 = __nv_bfloat16;

#define ROPEPROOF_VECTOR(T, name)                            \
  struct name##2 {                                           \
    T x, y;                                                  \
  };                                                         \
  struct name##4 {                                           \
    T x, y, z, w;                                            \
  };                                                         \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
ROPEPROOF_VECTOR(float, float)
ROPEPROOF_VECTOR(int, int)
ROPEPROOF_VECTOR(unsigned, uint)
ROPEPROOF_VECTOR(double, double)
ROPEPROOF_VECTOR(__half, half)
ROPEPROOF_VECTOR(__nv_bfloat16, __nv_bfloat16)
#undef ROPEPROOF_VECTOR
using __half2 = half2;
using nv_bfloat162 = __nv_bfloat162;

inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline float __half2float(__half x) { return x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
inline half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline float2 __half22float2(half2 x) { return {x.x, x.y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 x) { return {x.x, x.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 x) { return {x.x, x.y}; }

// Arithmetic by name, and of pairs; a fused operation is exact in f64 but for
// bfloat16 of very unequal sizes.
#define ROPEPROOF_PAIR(T)                                                  \
  inline T __hadd(T a, T b) { return a + b; }                              \
  inline T __hsub(T a, T b) { return a - b; }                              \
  inline T __hmul(T a, T b) { return a * b; }                              \
  inline T __hdiv(T a, T b) { return a / b; }                              \
  inline T __hneg(T a) { return -a; }                                      \
  inline T __hfma(T a, T b, T c) {                                         \
    return std::fma(double{float(a)}, double{float(b)}, double{float(c)}); \
  }                                                                        \
  inline T##2 operator+(T##2 a, T##2 b) { return {a.x + b.x, a.y + b.y}; } \
  inline T##2 operator-(T##2 a, T##2 b) { return {a.x - b.x, a.y - b.y}; } \
  inline T##2 operator*(T##2 a, T##2 b) { return {a.x * b.x, a.y * b.y}; } \
  inline T##2 operator-(T##2 a) { return {-a.x, -a.y}; }                   \
  inline T##2 __hadd2(T##2 a, T##2 b) { return a + b; }                    \
  inline T##2 __hsub2(T##2 a, T##2 b) { return a - b; }                    \
  inline T##2 __hmul2(T##2 a, T##2 b) { return a * b; }                    \
  inline T##2 __hneg2(T##2 a) { return -a; }                               \
  inline T##2 __hfma2(T##2 a, T##2 b, T##2 c) {                            \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                 \
  }                                                                        \
  inline float __low2float(T##2 a) { return a.x; }                         \
  inline float __high2float(T##2 a) { return a.y; }
ROPEPROOF_PAIR(__half)
ROPEPROOF_PAIR(__nv_bfloat16)
#undef ROPEPROOF_PAIR
inline half2 __halves2half2(half a, half b) { return {a, b}; }
inline half2 __half2half2(half a) { return {a, a}; }
inline half2 __float2half2_rn(float x) { return {x, x}; }
inline half __low2half(half2 a) { return a.x; }
inline half __high2half(half2 a) { return a.y; }
inline half2 __lowhigh2highlow(half2 a) { return {a.y, a.x}; }
inline __nv_bfloat162 __halves2bfloat162(nv_bfloat16 a, nv_bfloat16 b) {
  return {a, b};
}
inline __nv_bfloat162 __bfloat162bfloat162(nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }

template <class T>
T __ldg(const T* x) {
  return *x;
}
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline void __sincosf(float x, float* s, float* c) {
  *s = std::sin(x), *c = std::cos(x);
}
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}
template <class T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to = before + value;
  return before;
}

inline void __syncthreads() { ropeproof_cuda::Machine::here().wait(false, 0); }
inline void __syncwarp(unsigned mask = 0xffffffff) {
  ropeproof_cuda::Machine::here().wait(true, mask);
}
inline unsigned __activemask() { return 0xffffffff; }
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int own = static_cast<int>(ropeproof_cuda::Machine::here().lane());
  return ropeproof_cuda::of_lane(
      mask, value, static_cast<std::size_t>(own - own % width + lane % width));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  const int own = static_cast<int>(ropeproof_cuda::Machine::here().lane());
  return ropeproof_cuda::of_lane(mask, value,
                                 ropeproof_cuda::within(own ^ with, width));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int by, int width = 32) {
  const int own = static_cast<int>(ropeproof_cuda::Machine::here().lane());
  return ropeproof_cuda::of_lane(mask, value,
                                 ropeproof_cuda::within(own - by, width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int by, int width = 32) {
  const int own = static_cast<int>(ropeproof_cuda::Machine::here().lane());
  return ropeproof_cuda::of_lane(mask, value,
                                 ropeproof_cuda::within(own + by, width));
}
// HIP's, of all lanes of a warp, which has 32 here.
#define __shfl(...) __shfl_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(0xffffffffu, __VA_ARGS__)

#endif  // ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_TYPES_H_
