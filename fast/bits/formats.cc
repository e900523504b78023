#include "fast/bits/formats.h"

#include <array>

namespace ropeproof::fast {
namespace {

std::uint64_t with_sign(const Format& format, std::uint64_t magnitude,
                        std::mt19937_64& random) {
  return magnitude | random() % 2 << (format.bits - 1);
}

// The lowest `count` bits of a random word.
std::uint64_t random_bits(int count, std::mt19937_64& random) {
  return random() >> (64 - count);
}

std::uint64_t plain(const Format& format, std::mt19937_64& random) {
  const std::uint64_t binade = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t magnitude = format.one() - random() % 4 * binade +
                                  random_bits(format.fraction_bits, random);
  return with_sign(format, magnitude, random);
}

std::uint64_t special(const Format& format, std::mt19937_64& random) {
  const std::uint64_t least_normal = std::uint64_t{1} << format.fraction_bits;
  const std::array<std::uint64_t, 10> magnitudes = {
      0,
      1,                                          // the least subnormal
      random_bits(format.fraction_bits, random),  // a subnormal
      least_normal - 1,                           // the greatest subnormal
      least_normal,
      format.infinity() - 1,  // the greatest number
      format.infinity(),
      format.infinity() + 1,                  // a signalling NaN
      format.infinity() + least_normal / 2,   // a quiet NaN
      format.infinity() + least_normal - 1};  // another
  return with_sign(format, magnitudes[random() % magnitudes.size()], random);
}

// 0 (half of them), 1, 3/2, 2, 3 or 4.
std::uint64_t short_number(const Format& format, std::mt19937_64& random) {
  const std::uint64_t half_binade = std::uint64_t{1}
                                    << (format.fraction_bits - 1);
  const std::uint64_t magnitude =
      random() % 2 ? 0 : format.one() + random() % 5 * half_binade;
  return with_sign(format, magnitude, random);
}

std::uint64_t element(const Format& format, Fill fill,
                      std::mt19937_64& random) {
  switch (fill) {
    case Fill::kPlain:
      return plain(format, random);
    case Fill::kAny:
      return random_bits(format.bits, random);
    case Fill::kSpecials:
      return random() % 2 ? special(format, random) : plain(format, random);
    case Fill::kTies:
      return short_number(format, random);
  }
  return 0;
}

// A number between 2^-24 and 2 with one digit more than `tensor` has: as a
// result midway between two of its numbers, or below its normal ones.
std::uint64_t midway(const Format& format, const Format& tensor,
                     std::mt19937_64& random) {
  const int spare = format.fraction_bits - (tensor.fraction_bits + 1);
  if (spare < 0) return plain(format, random);
  const std::uint64_t digits =
      random_bits(tensor.fraction_bits, random) << 1 | 1;
  const std::uint64_t binade = std::uint64_t{1} << format.fraction_bits;
  return with_sign(format,
                   format.one() - random() % 25 * binade + (digits << spare),
                   random);
}

template <class Draw>
Array filled(const Format& format, std::size_t count, const Draw& draw) {
  Array array(format.type, count);
  for (std::size_t i = 0; i < count; ++i) array.set_bits(i, draw());
  return array;
}

}  // namespace

Array drawn(const Format& format, Fill fill, std::size_t count,
            std::mt19937_64& random) {
  return filled(format, count, [&] { return element(format, fill, random); });
}

Array drawn_cos_sin(const Format& format, Fill fill, const Format& tensor,
                    std::size_t count, std::mt19937_64& random) {
  return filled(format, count, [&] {
    return fill == Fill::kTies ? midway(format, tensor, random)
                               : element(format, fill, random);
  });
}

}  // namespace ropeproof::fast
