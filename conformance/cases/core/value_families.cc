// Which numbers turn: hard ones, and those that are none.
#include <cmath>

#include "conformance/cases/core/choices.h"
#include "conformance/cases/core/core_families.h"
#include "reference/golden.h"
#include "reference/rope.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Layout;
using reference::Pairing;

namespace {

// The powers of two around `i`, their neighbours above and below, either sign.
std::uint64_t next_to_power(Format format, std::size_t i) {
  const double power = std::ldexp(1.0, static_cast<int>(i % 7) - 3);
  const std::uint64_t bits = reference::encode(format, power);
  const std::uint64_t neighbour = bits + i % 3 - 1;
  const std::uint64_t sign = i / 2 % 2;
  return neighbour | sign << (reference::traits(format).total_bits - 1);
}

// Numbers 2^-6 .. 2^6 and what is above and below them by turns.
std::uint64_t unlike(Format format, std::size_t i) {
  const double size = std::ldexp(1.375, static_cast<int>(i * 5 % 13) - 6);
  return reference::encode(format, i % 3 == 0 ? -size : size);
}

template <class Value>
Bits filled(const RopeCase& c, Value value) {
  Bits x;
  const std::int64_t size = c.tokens() * c.q_heads * c.spec.layout.head_dim;
  for (std::int64_t i = 0; i < size; ++i) {
    x.push_back(value(c.dtype, static_cast<std::size_t>(i)));
  }
  return x;
}

// Pairs along their own turn, rounded: (sin, cos) in the even heads, whose y_u
// cancels, (cos, -sin) in the odd ones, whose y_v does. What remains is what
// rounding left.
Bits cancelling(const RopeCase& c) {
  const auto turns = reference::golden_table(reference::Oracle::kBinFloat,
                                             c.spec, c.positions);
  const std::int64_t d = c.spec.layout.head_dim;
  Bits x(static_cast<std::size_t>(c.tokens() * c.q_heads * d));
  for (std::int64_t row = 0; row < c.tokens() * c.q_heads; ++row) {
    const std::int64_t token = row / c.q_heads;
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      const auto& turn = turns[static_cast<std::size_t>(token * c.pairs() + j)];
      const double cos = reference::decode(Format::kF64, turn.cos.bits);
      const double sin = reference::decode(Format::kF64, turn.sin.bits);
      const reference::Pair pair = source_pair(c.spec, j);
      const bool is_even = row % 2 == 0;
      const auto put = [&](std::int64_t channel, double value) {
        x[static_cast<std::size_t>(row * d + channel)] =
            reference::encode(c.dtype, value);
      };
      put(pair.u, is_even ? sin : cos);
      put(pair.v, is_even ? cos : -sin);
    }
  }
  return x;
}

}  // namespace

Group core_values() {
  Family family("core", "core-values",
                "Values that are hard to round: next to powers of two, where "
                "the spacing changes; pairs of which one output cancels to "
                "rounding errors; numbers of unlike size.");
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kPairings) {
      const auto add = [&](auto make, const char* comment) {
        RopeCase c = make_case(dtype, window(8, 8, 0, pairing), 1e4, 1, 3, 2, 0,
                               {259, 1, 1021});
        c.q = make(c);
        family.add(c, {"output/rounded-wrongly", "memory/aliasing"}, comment);
      };
      add([](const RopeCase& c) { return filled(c, next_to_power); },
          "powers of two and their neighbours");
      add(cancelling, "one output of each pair cancels");
      add([](const RopeCase& c) { return filled(c, unlike); },
          "numbers 2^-6 to 2^6");
    }
  }
  return family.take();
}

namespace {

// Special bit patterns of a format.
struct Patterns {
  explicit Patterns(Format format)
      : traits(reference::traits(format)),
        fraction_bits(traits.precision - 1),
        negative(std::uint64_t{1} << (traits.total_bits - 1)),
        infinity(negative - (std::uint64_t{1} << fraction_bits)),
        nan(infinity | std::uint64_t{1} << (fraction_bits - 1)),
        one(reference::encode(format, 1)) {}

  reference::FormatTraits traits;
  int fraction_bits;
  std::uint64_t negative, infinity, nan, one;

  std::uint64_t least_normal() const {
    return std::uint64_t{1} << fraction_bits;
  }
  // binary64's half of it: no oracle rounds beyond its range.
  std::uint64_t largest() const {
    const std::uint64_t largest = infinity - 1;
    return traits.total_bits == 64 ? largest - least_normal() : largest;
  }
};

// A head of seven channels: 1 to 4 are the window, two pairs; pair 0 is special
// and pair 1 is not, or the other way round.
struct Head {
  Layout layout;
  Bits channels;

  Head(const Layout& l, Format format)
      : layout(l),
        channels(static_cast<std::size_t>(l.head_dim),
                 reference::encode(format, 0.8125)) {}

  void pair(const RopeCase& c, std::int64_t j, std::uint64_t u,
            std::uint64_t v) {
    const reference::Pair from = source_pair(c.spec, j);
    channels[static_cast<std::size_t>(from.u)] = u;
    channels[static_cast<std::size_t>(from.v)] = v;
  }
};

struct SpecialRow {
  const char* comment;
  void (*fill)(Head& head, const RopeCase& c, const Patterns& p);
};

// Where infinities lie, the signs of cosine and sine decide.
constexpr SpecialRow kInfinities[] = {
    {"an infinity beside a number",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.infinity, p.one);
     }},
    {"a number beside minus infinity",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.one, p.infinity | p.negative);
     }},
    {"two infinities, of one sign and of unlike signs",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.infinity, p.infinity);
       h.pair(c, 1, p.infinity, p.infinity | p.negative);
     }}};

constexpr SpecialRow kOthers[] = {
    {"a NaN first in a pair; the other pair is clean",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.nan, p.one);
     }},
    {"a NaN second in the other pair",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 1, p.one, p.nan | p.negative);
     }},
    {"a NaN beside an infinity",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.nan, p.infinity);
     }},
    {"NaN with a payload, infinity and -0 outside the window: copies",
     [](Head& h, const RopeCase&, const Patterns& p) {
       h.channels[0] = p.nan | 5;
       h.channels[5] = p.infinity | p.negative;
       h.channels[6] = p.negative;
     }},
    {"subnormal numbers, in the window and outside",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.least_normal() - 1, p.negative | 3);
       h.pair(c, 1, 1, p.least_normal() / 2);
       h.channels[0] = 1;
     }},
    {"the least normal numbers: a product is subnormal",
     [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.least_normal(), p.least_normal() + 1);
       h.pair(c, 1, p.least_normal() | p.negative, 2 * p.least_normal() + 1);
     }},
    {"zeros of both signs", [](Head& h, const RopeCase& c, const Patterns& p) {
       h.pair(c, 0, p.negative, p.negative);
       h.pair(c, 1, 0, p.negative);
       h.channels[6] = p.negative;
     }}};

// Positions where 0.1 < |cos|, |sin| < 0.8: a sum of two largest numbers is
// either well inside or well outside the format.
constexpr SpecialRow kLargest = {
    "the largest numbers, whose sums overflow",
    [](Head& h, const RopeCase& c, const Patterns& p) {
      h.pair(c, 0, p.largest(), p.largest());
      h.channels[0] = p.largest() | p.negative;
    }};

}  // namespace

Group core_special() {
  Family family("core", "core-special",
                "NaN, infinities, subnormals, signed zeros and the largest "
                "numbers, beside clean pairs and outside the window. Expected "
                "is what IEEE arithmetic gives in every order and precision.");
  const auto add = [&](Format dtype, Pairing pairing, const SpecialRow& row,
                       const std::vector<double>& positions,
                       reference::Direction direction) {
    RopeCase c =
        make_case(dtype, window(7, 4, 1, pairing), 1e4, 1,
                  static_cast<std::int64_t>(positions.size()), 1, 0, positions);
    c.spec.direction = direction;
    c.is_special = true;
    Head head(c.spec.layout, dtype);
    row.fill(head, c, Patterns(dtype));
    for (std::size_t s = 0; s < positions.size(); ++s) {
      c.q.insert(c.q.end(), head.channels.begin(), head.channels.end());
    }
    family.add(c, {"value/special-mishandled"}, row.comment);
  };
  const std::vector<double> positions = {0, 1, 4, 131071};
  constexpr auto kForward = reference::Direction::kForward;
  constexpr auto kAdjoint = reference::Direction::kAdjoint;
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kCommonPairings) {
      for (const SpecialRow& row : kInfinities) {
        add(dtype, pairing, row, positions, kForward);
      }
      for (const SpecialRow& row : kOthers) {
        add(dtype, pairing, row, positions, kForward);
      }
      add(dtype, pairing, kLargest, {0, 4, 7}, kForward);
    }
    // The other pairings, and the adjoint, whose sine has the other sign.
    for (const SpecialRow& row : kInfinities) {
      add(dtype, Pairing::kInterleavedToHalf, row, positions, kAdjoint);
      add(dtype, Pairing::kNestedHalfSplit, row, positions, kForward);
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
