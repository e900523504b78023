// elements-inl.h -- loops over elements of tensors and tables, widened to the
// type that the kernels compute in and narrowed again, per SIMD target.
#if defined(ROPEPROOF_FAST_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEPROOF_FAST_ELEMENTS_INL_H_
#undef ROPEPROOF_FAST_ELEMENTS_INL_H_
#else
#define ROPEPROOF_FAST_ELEMENTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fast/elements.h"
#include "hwy/highway.h"

// Stands after a lambda's parameters: compiles it for the target and always
// inlines it, for out of line it would read its captures from memory.
#ifndef ROPEPROOF_FAST_LAMBDA
#define ROPEPROOF_FAST_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace ropeproof::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(d, i) for chunks [i, i + Lanes(d)) that cover [0, n) in order:
// full vectors, then the tail by the same code four lanes and one lane wide.
template <typename T, class Body>
HWY_INLINE void ForEachChunk(std::size_t n, const Body& body) {
  std::size_t i = 0;
  const auto run = [&](auto d) HWY_ATTR {
    const std::size_t lanes = hn::Lanes(d);
    for (; i + lanes <= n; i += lanes) body(d, i);
  };
  run(hn::ScalableTag<T>());
  run(hn::CappedTag<T, 4>());
  run(hn::CappedTag<T, 1>());
}

// Loads a vector once for all its uses: g++ would load it again for each.
template <class D, class T>
HWY_INLINE hn::Vec<D> LoadOnce(D d, const T* from) {
  auto v = hn::LoadU(d, from);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// Whether the target converts f16 itself, to nearest even. Below, Highway's
// emulation truncates and knows no NaN.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
#define ROPEPROOF_FAST_NATIVE_F16 0
#else
#define ROPEPROOF_FAST_NATIVE_F16 1
#endif

// Whether rotations of E have streams, and several groups at once. Not on
// SCALAR, for processors before 2008, nor where two dozen operations convert an
// F16: g++ would take two fifths of its time for them.
template <class E>
constexpr bool kIsUnrolled = HWY_TARGET != HWY_SCALAR &&
                             (ROPEPROOF_FAST_NATIVE_F16 ||
                              !std::is_same_v<E, F16>);

template <class E>
using Compute = std::conditional_t<std::is_same_v<E, double>, double, float>;

template <class D>
HWY_INLINE hn::Vec<D> Widen(D d, const hn::TFromD<D>* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE void Narrow(hn::Vec<D> v, D d, hn::TFromD<D>* to) {
  hn::StoreU(v, d, to);
}

// Bits of 16-bit elements, each in 32.
template <class D, class E>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> LoadBits(D, const E* from) {
  const hn::Rebind<std::uint16_t, D> d16;
  return hn::PromoteTo(
      hn::RebindToUnsigned<D>(),
      hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(from)));
}

template <class D, class V, class E>
HWY_INLINE void StoreBits(V bits, D, E* to) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::RebindToSigned<D> i32;
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(i32, bits)), d16,
             reinterpret_cast<std::uint16_t*>(to));
}

template <class D>
HWY_INLINE hn::Vec<D> Widen(D d, const Bf16* from) {
  return hn::BitCast(d, hn::ShiftLeft<16>(LoadBits(d, from)));
}

// Rounds to nearest, ties to even: adds just below a half of the bits to be cut
// off, a half if what remains is odd. A NaN must have nothing there, or it
// might overflow into a number: see WithPlainNan.
template <class V>
HWY_INLINE V RoundToBf16(V bits) {
  const hn::DFromV<V> u32;
  const V odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u32, 1));
  return hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(u32, 0x7fff)), odd));
}

template <class D>
HWY_INLINE void Narrow(hn::Vec<D> v, D d, Bf16* to) {
  const hn::RebindToUnsigned<D> u32;
  StoreBits(RoundToBf16(hn::BitCast(u32, v)), d, to);
}

#if ROPEPROOF_FAST_NATIVE_F16

template <class D>
HWY_INLINE hn::Vec<D> Widen(D d, const F16* from) {
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(
      d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
}

// Converts in a register first: the form that stores takes twice the cycles on
// Zen 5.
template <class D>
HWY_INLINE void Narrow(hn::Vec<D> v, D, F16* to) {
  const hn::Rebind<hwy::float16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(to));
}

#else

// An f16's exponent and fraction, moved to an f32's, are the number times
// 2^-112, subnormals included.
template <class D>
HWY_INLINE hn::Vec<D> Widen(D d, const F16* from) {
  const hn::RebindToUnsigned<D> u32;
  const auto bits = LoadBits(d, from);
  const auto magnitude = hn::And(bits, hn::Set(u32, 0x7fff));
  const auto scaled = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)),
                              hn::Set(d, 0x1p112f));
  // 2^16 and more are infinity and NaNs, quiet as conversions make them.
  const auto is_special = hn::Ge(scaled, hn::Set(d, 0x1p16f));
  const auto is_nan = hn::Gt(hn::BitCast(hn::RebindToSigned<D>(), magnitude),
                             hn::Set(hn::RebindToSigned<D>(), 0x7c00));
  const auto special = hn::Or(
      hn::Or(hn::BitCast(u32, scaled), hn::Set(u32, 0x7f800000)),
      hn::IfThenElseZero(hn::RebindMask(u32, is_nan), hn::Set(u32, 1 << 22)));
  const auto widened = hn::IfThenElse(hn::RebindMask(u32, is_special), special,
                                      hn::BitCast(u32, scaled));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u32, 0x8000)));
  return hn::BitCast(d, hn::Or(widened, sign));
}

// Rounds to nearest, ties to even, with the bits of other targets' conversions.
template <class D>
HWY_INLINE void Narrow(hn::Vec<D> v, D d, F16* to) {
  const hn::RebindToUnsigned<D> u32;
  const hn::RebindToSigned<D> i32;
  const auto constant = [&](std::uint32_t x)
                            HWY_ATTR { return hn::Set(u32, x); };
  const auto bits = hn::BitCast(u32, hn::Abs(v));
  const auto is_at_least = [&](std::int32_t x) HWY_ATTR {  // signs are gone
    return hn::RebindMask(u32,
                          hn::Gt(hn::BitCast(i32, bits), hn::Set(i32, x - 1)));
  };

  // Normal: rebias the exponent by 112 and round as RoundToBf16 does.
  const auto odd = hn::And(hn::ShiftRight<13>(bits), constant(1));
  const auto normal = hn::ShiftRight<13>(
      hn::Add(hn::Add(bits, constant(0xfff - (112u << 23))), odd));
  // Below 2^-14: adding 1/2 leaves a multiple of f16's ulp in the
  // fraction's low bits, rounded by the addition.
  const auto half = hn::Set(d, 0.5f);
  const auto tiny = hn::Sub(hn::BitCast(u32, hn::Add(hn::Abs(v), half)),
                            hn::BitCast(u32, half));
  // From 65520 on: infinity. NaNs keep the top of their payload, quiet.
  const auto nan = hn::Or(
      constant(0x7e00), hn::ShiftRight<13>(hn::And(bits, constant(0x7fffff))));
  auto result = hn::IfThenElse(is_at_least(113 << 23), normal, tiny);
  result = hn::IfThenElse(is_at_least(0x477ff000), constant(0x7c00), result);
  result = hn::IfThenElse(is_at_least(0x7f800001), nan, result);
  const auto sign =
      hn::And(hn::ShiftRight<16>(hn::BitCast(u32, v)), constant(0x8000));
  StoreBits(hn::Or(result, sign), d, to);
}

#endif  // ROPEPROOF_FAST_NATIVE_F16
#undef ROPEPROOF_FAST_NATIVE_F16

#if HWY_TARGET != HWY_SCALAR

// Two bf16 in a 32-bit word: the even one, below, and the odd one.
template <class D>
HWY_INLINE void LoadWords(D d, const Bf16* from, hn::Vec<D>& even,
                          hn::Vec<D>& odd) {
  const hn::RebindToUnsigned<D> u32;
  const hn::Repartition<std::uint8_t, D> u8;  // of any alignment
  const auto words = hn::BitCast(
      u32, hn::LoadU(u8, reinterpret_cast<const std::uint8_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(words));
  odd = hn::BitCast(d, hn::And(words, hn::Set(u32, 0xffff0000)));
}

// Rounds to nearest, ties to even, as RoundToBf16 does: up where the half cut
// off, or the last bit kept with a tie, exceeds 0x8000.
template <class D>
HWY_INLINE void StoreWords(hn::Vec<D> even, hn::Vec<D> odd, D, Bf16* to) {
  const hn::RebindToUnsigned<D> u32;
  const hn::Repartition<std::uint16_t, D> u16;
  const hn::Repartition<std::uint8_t, D> u8;
  const auto even_bits = hn::BitCast(u32, even);
  const auto odd_bits = hn::BitCast(u32, odd);
  const auto kept =
      hn::OddEven(hn::BitCast(u16, odd_bits),
                  hn::BitCast(u16, hn::ShiftRight<16>(even_bits)));
  const auto cut = hn::OddEven(hn::BitCast(u16, hn::ShiftLeft<16>(odd_bits)),
                               hn::BitCast(u16, even_bits));
  const auto one = hn::Set(u16, 1);
  const auto goes_up =
      hn::Gt(hn::Or(cut, hn::And(kept, one)), hn::Set(u16, 0x8000));
#if HWY_HAVE_SCALABLE || HWY_TARGET <= HWY_AVX3
  const auto rounded = hn::IfThenElse(goes_up, hn::Add(kept, one), kept);
#else  // a mask is a vector, of -1 where it is true
  const auto rounded = hn::Sub(kept, hn::VecFromMask(u16, goes_up));
#endif
  hn::StoreU(hn::BitCast(u8, rounded), u8, reinterpret_cast<std::uint8_t*>(to));
}

#endif  // HWY_TARGET != HWY_SCALAR

// c and s keep a NaN's low half out of RoundToBf16: see there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V WithPlainNan(D d, V v) {
  const auto plain = hn::BitCast(
      d, hn::Set(hn::RebindToUnsigned<D>(), std::uint32_t{0x7fc00000}));
  return hn::IfThenElse(hn::IsNaN(v), plain, v);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropeproof::fast
HWY_AFTER_NAMESPACE();

#endif  // ROPEPROOF_FAST_ELEMENTS_INL_H_
