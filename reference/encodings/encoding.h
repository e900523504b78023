// encoding.h -- the position encodings that are not rotations, as data: what
// x'_p or a score is given instead of RoPE.
//
// absolute.h and relative.h say what each is; here is what they have in common.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "reference/encodings/absolute.h"
#include "reference/encodings/relative.h"
#include "reference/format.h"
#include "reference/golden.h"

namespace ropeproof::reference::encodings {

using Encoding =
    std::variant<Integer, Normalised, Binary, Sine, Sinusoidal, Shift, Learned,
                 Decay, Relative, TransformerXl, T5, Alibi>;

// Whether an encoding has values of pairs of tokens, not of tokens.
template <class E>
inline constexpr bool kIsRelative =
    std::is_same_v<E, Relative> || std::is_same_v<E, TransformerXl> ||
    std::is_same_v<E, T5> || std::is_same_v<E, Alibi>;

// Throws std::invalid_argument naming the field or the position, its value and
// its range; also for more than 2^24 numbers.
void validate(const Encoding& encoding, Positions positions);

// [tokens, width], for a Shift [tokens, dim, dim]; of a relative encoding
// [queries, keys, width], `positions` being those of both.
std::vector<std::int64_t> shape(const Encoding& encoding, Positions positions);

// Number i of them, row-major.
template <class Real>
Real element(const Encoding& encoding, Positions positions, std::int64_t i) {
  return std::visit(
      [&]<class E>(const E& e) {
        const std::int64_t n = std::ssize(positions), w = width(e);
        if constexpr (kIsRelative<E>) {
          return element<Real>(e, positions, i / w / n, i / w % n, i % w);
        } else {
          return element<Real>(e, at(positions, i / w), i % w);
        }
      },
      encoding);
}

// The golden values of an encoding, certified as golden.h says. Rounded to odd
// they are what vectors hold, to nearest the binary64 numbers. Cost: some 10 us
// for each, 64 times as much for a Decay of 128 channels.
std::vector<Golden> golden_encoding(Oracle oracle, const Encoding& encoding,
                                    Positions positions,
                                    Rounding rounding = Rounding::kToOdd);

}  // namespace ropeproof::reference::encodings
