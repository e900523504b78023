// Which numbers are rotated: hard ones, and those that are none.
#include <cmath>

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"
#include "reference/golden.h"
#include "reference/rope.h"

namespace ropeproof::conformance::cases {

using reference::Format;
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

// Numbers 2^-6 .. 2^6 and what is above and below them, alternating.
std::uint64_t unlike(Format format, std::size_t i) {
  const double size = std::ldexp(1.375, static_cast<int>(i * 5 % 13) - 6);
  return reference::encode(format, i % 3 == 0 ? -size : size);
}

template <class Value>
Bits filled(const Problem& problem, Value value) {
  Bits x;
  const std::int64_t size =
      problem.tokens() * problem.q_heads * problem.spec.layout.head_dim;
  for (std::int64_t i = 0; i < size; ++i) {
    x.push_back(value(problem.dtype, static_cast<std::size_t>(i)));
  }
  return x;
}

// Pairs at their own angle, rounded: (sin, cos) in the even heads, whose y_u
// cancels, (cos, -sin) in the odd ones, whose y_v does. What remains is what
// rounding left.
Bits cancelling(const Problem& problem) {
  const auto table = reference::Goldens(reference::Oracle::kBinFloat,
                                        problem.spec, problem.positions)
                         .table();
  const std::int64_t d = problem.spec.layout.head_dim;
  Bits x(static_cast<std::size_t>(problem.tokens() * problem.q_heads * d));
  for (std::int64_t row = 0; row < problem.tokens() * problem.q_heads; ++row) {
    const std::int64_t token = row / problem.q_heads;
    for (std::int64_t j = 0; j < problem.pairs(); ++j) {
      const auto& entry =
          table[static_cast<std::size_t>(token * problem.pairs() + j)];
      const double cos = reference::decode(Format::kF64, entry.cos.bits);
      const double sin = reference::decode(Format::kF64, entry.sin.bits);
      const reference::Pair pair = source_pair(problem.spec, j);
      const bool is_even = row % 2 == 0;
      const auto put = [&](std::int64_t channel, double value) {
        x[static_cast<std::size_t>(row * d + channel)] =
            reference::encode(problem.dtype, value);
      };
      put(pair.u, is_even ? sin : cos);
      put(pair.v, is_even ? cos : -sin);
    }
  }
  return x;
}

}  // namespace

Group core_values() {
  Family family(Tier::kCore, "core-values",
                "Values that are hard to round: next to powers of two, where "
                "the spacing changes; pairs of which one output cancels to "
                "rounding errors; numbers of unlike size.");
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kPairings) {
      const auto add = [&](auto make, const char* comment) {
        Problem problem = make_problem(dtype, window(8, 8, 0, pairing), 1e4, 1,
                                       3, 2, 0, {259, 1, 1021});
        problem.q = make(problem);
        family.add(problem, {"output/rounded-wrongly", "memory/aliasing"},
                   comment);
      };
      add([](const Problem& problem) { return filled(problem, next_to_power); },
          "powers of two and their neighbours");
      add(cancelling, "one output of each pair cancels");
      add([](const Problem& problem) { return filled(problem, unlike); },
          "numbers 2^-6 to 2^6");
    }
  }
  return family.take();
}

namespace {

// Heads of seven channels, in the patterns of one format: 1 to 4 are the
// window, two pairs; pair 0 is special and pair 1 is not, or the other way
// round. Every channel that is not named holds 0.8125. `behind` is a head of
// six channels, whose window is 0 to 3.
struct SpecialRow {
  struct Pair {
    std::int64_t j;
    std::uint64_t u, v;
  };
  struct Copy {
    std::size_t channel;
    std::uint64_t bits;
  };
  const char* comment;
  std::vector<Pair> pairs;
  std::vector<Copy> copies = {};
};

struct SpecialRows {
  std::vector<SpecialRow> infinities, others;
  SpecialRow largest, behind;
};

SpecialRows special_rows(Format format) {
  const reference::FormatTraits traits = reference::traits(format);
  const int fraction_bits = traits.precision - 1;
  const std::uint64_t negative = std::uint64_t{1} << (traits.total_bits - 1),
                      least_normal = std::uint64_t{1} << fraction_bits,
                      inf = negative - least_normal,
                      nan = inf | least_normal >> 1,
                      one = reference::encode(format, 1),
                      // binary64's half of it: no oracle rounds beyond its
      // range.
      largest = inf - 1 - (traits.total_bits == 64 ? least_normal : 0);
  return {// Where infinities lie, the signs of cosine and sine decide.
          {{"an infinity beside a number", {{0, inf, one}}},
           {"a number beside minus infinity", {{0, one, inf | negative}}},
           {"two infinities, of one sign and of unlike signs",
            {{0, inf, inf}, {1, inf, inf | negative}}}},
          {{"a NaN first in a pair; the other pair is clean", {{0, nan, one}}},
           {"a NaN second in the other pair", {{1, one, nan | negative}}},
           {"a NaN beside an infinity", {{0, nan, inf}}},
           {"NaN with a payload, infinity and -0 outside the window: copies",
            {},
            {{0, nan | 5}, {5, inf | negative}, {6, negative}}},
           {"subnormal numbers, in the window and outside",
            {{0, least_normal - 1, negative | 3}, {1, 1, least_normal / 2}},
            {{0, 1}}},
           {"the least normal numbers: a product is subnormal",
            {{0, least_normal, least_normal + 1},
             {1, least_normal | negative, 2 * least_normal + 1}}},
           {"zeros of both signs",
            {{0, negative, negative}, {1, 0, negative}},
            {{6, negative}}}},
          {"the largest numbers, whose sums overflow",
           {{0, largest, largest}},
           {{0, largest | negative}}},
          {"NaN with a payload and minus infinity behind the window: copies",
           {},
           {{4, nan | 5}, {5, inf | negative}}}};
}

}  // namespace

Group core_special() {
  Family family(Tier::kCore, "core-special",
                "NaN, infinities, subnormals, signed zeros and the largest "
                "numbers, beside clean pairs and outside the window. Expected "
                "is what IEEE arithmetic gives in every order and precision.");
  const std::vector<double> far = {0, 1, 4, 131071};
  // Where 0.1 < |cos|, |sin| < 0.8: a sum of two largest numbers is either well
  // inside or well outside the format.
  const std::vector<double> clear = {0, 4, 7};
  const auto add_head = [&](Format dtype, const reference::Layout& layout,
                            const SpecialRow& row,
                            const std::vector<double>& positions,
                            bool is_adjoint = false) {
    Problem problem = make_problem(dtype, layout, 1e4, 1,
                                   static_cast<std::int64_t>(positions.size()),
                                   1, 0, positions);
    if (is_adjoint) problem = adjoint(problem);
    problem.is_special = true;
    Bits head(static_cast<std::size_t>(layout.head_dim),
              reference::encode(dtype, 0.8125));
    for (const auto& [j, u, v] : row.pairs) {
      const reference::Pair from = source_pair(problem.spec, j);
      head[static_cast<std::size_t>(from.u)] = u;
      head[static_cast<std::size_t>(from.v)] = v;
    }
    for (const auto& [channel, bits] : row.copies) head[channel] = bits;
    for (std::size_t s = 0; s < positions.size(); ++s) {
      problem.q.insert(problem.q.end(), head.begin(), head.end());
    }
    family.add(problem, {"value/special-mishandled"}, row.comment);
  };
  const auto add = [&](Format dtype, Pairing pairing, const SpecialRow& row,
                       const std::vector<double>& positions,
                       bool is_adjoint = false) {
    add_head(dtype, window(7, 4, 1, pairing), row, positions, is_adjoint);
  };
  for (const Format dtype : kDtypes) {
    const SpecialRows rows = special_rows(dtype);
    for (const Pairing pairing : kCommonPairings) {
      for (const SpecialRow& row : rows.infinities) {
        add(dtype, pairing, row, far);
      }
      for (const SpecialRow& row : rows.others) add(dtype, pairing, row, far);
      add(dtype, pairing, rows.largest, clear);
    }
    // The other pairings, and the adjoint, whose sine has the other sign.
    for (const SpecialRow& row : rows.infinities) {
      add(dtype, Pairing::kInterleavedToHalf, row, far, true);
      add(dtype, Pairing::kNestedHalfSplit, row, far);
    }
  }
  // Even heads: whole ones, and one with copies behind the window.
  for (const Format dtype : kDtypes) {
    const SpecialRows rows = special_rows(dtype);
    for (const Pairing pairing : kCommonPairings) {
      const auto add_whole = [&](SpecialRow row,
                                 const std::vector<double>& positions) {
        if (row.pairs.empty()) return;
        row.copies.clear();
        add_head(dtype, window(4, 4, 0, pairing), row, positions);
      };
      for (const SpecialRow& row : rows.infinities) add_whole(row, far);
      for (const SpecialRow& row : rows.others) add_whole(row, far);
      add_whole(rows.largest, clear);
      add_head(dtype, window(6, 4, 0, pairing), rows.behind, far);
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
