#include "conformance/cover/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/draw.h"
#include "conformance/cases/families/family.h"
#include "conformance/cover/revealing_pairs.h"
#include "reference/rope.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Bits;
using cases::Draw;
using cases::Golden;
using cases::Problem;
using cases::random_bits;
using cases::random_number;
using Pair = RevealingPairs::Pair;
using reference::Format;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::uint64_t unlike(Format format, std::uint64_t seed, std::uint64_t i) {
  Draw draw(random_bits(~seed, i));
  if (draw.one_in(8)) return 0;
  const double power = std::bit_cast<double>(
      static_cast<std::uint64_t>(1023 + draw.between(-8, 8)) << 52);
  const double factor =
      draw.one_in(4) ? 1 : decode(format, random_number(format, seed, i));
  return encode(format, power * factor);
}

// The pair that follows at cosine and sine c and D s of the table.
using NextPair = std::function<Pair(double c, double s)>;

// Fills the pairs of tokens, of `heads` heads each.
void fill_pairs(const Problem& p, const Golden& tables, std::int64_t heads,
                const NextPair& next, std::span<std::uint64_t> x) {
  const std::int64_t d = p.spec.layout.head_dim;
  const auto direction = static_cast<double>(p.spec.direction);
  for (std::int64_t row = 0; row * d < std::ssize(x); ++row) {
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      const std::size_t entry = at(row / heads * p.pairs() + j);
      const auto [u, v] = source_pair(p.spec, j);
      const Pair pair =
          next(std::bit_cast<double>(tables.cos[entry]),
               direction * std::bit_cast<double>(tables.sin[entry]));
      x[at(row * d + u)] = pair.u;
      x[at(row * d + v)] = pair.v;
    }
  }
}

// The powers of two between which |u| + |v| of every pair of a head may lie,
// where |c| + |s| is at most `factor`.
struct Powers {
  int least, most;
};

Powers powers_of_any_head(Format format, double factor) {
  const Powers all = format == Format::kF16   ? Powers{-11, 15}
                     : format == Format::kF64 ? Powers{-600, 600}
                                              : Powers{-90, 127};
  return {all.least, all.most - 1 - std::ilogb(std::max(factor, 1.0))};
}

// Makes one head in four of a size of its own.
void resize_heads(const Problem& p, const Golden& tables, std::int64_t heads,
                  std::uint64_t seed, std::span<std::uint64_t> x) {
  const std::int64_t d = p.spec.layout.head_dim;
  Draw draw(seed);
  for (std::int64_t row = 0; row * d < std::ssize(x); ++row) {
    if (!draw.one_in(4)) continue;
    double factor = 0;
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      const std::size_t entry = at(row / heads * p.pairs() + j);
      factor = std::max(factor,
                        std::abs(std::bit_cast<double>(tables.cos[entry])) +
                            std::abs(std::bit_cast<double>(tables.sin[entry])));
    }
    const auto [least, most] = powers_of_any_head(p.dtype, factor);
    // |u| and |v| are below 2, so their sum is below 2^2.
    const auto power = static_cast<int>(draw.between(least, most - 2));
    for (std::uint64_t& element : x.subspan(at(row * d), at(d))) {
      const double number =
          decode(p.dtype, random_number(p.dtype, draw.bits(), 0));
      element = encode(p.dtype, std::ldexp(number, power));
    }
  }
}

struct Shape {
  std::uint64_t sign, least_normal, infinity, quiet;  // bits of a format
};

constexpr Shape shape_of(Format format) {
  const reference::FormatTraits f = reference::traits(format);
  const std::uint64_t sign = std::uint64_t{1} << (f.total_bits - 1);
  const std::uint64_t least_normal = std::uint64_t{1} << (f.precision - 1);
  return {sign, least_normal, sign - least_normal, least_normal / 2};
}

Pair special(Format format, std::uint64_t seed) {
  Draw draw(seed);
  const auto [sign, least_normal, infinity, quiet] = shape_of(format);
  const auto of_any_sign = [&, s = sign](std::uint64_t x) {
    return x | (draw.one_in(2) ? s : 0);
  };
  const auto subnormal = [&] {
    return of_any_sign(1 + draw.bits() % (least_normal - 1));
  };
  // 1 to 4 times the least.
  const auto least = [&] {
    return of_any_sign(least_normal + draw.bits() % (2 * least_normal));
  };
  const auto ordinary = [&] { return random_number(format, draw.bits(), 0); };
  const auto endless = [&] {
    return of_any_sign(draw.one_in(2) ? infinity : infinity | quiet);
  };
  Pair pair;
  switch (draw.between(0, 9)) {
    case 0:
    case 1:
      pair = {subnormal(), subnormal()};
      break;
    case 2:
    case 3:
      pair = {least(), least()};
      break;
    case 4:
      pair = {subnormal(), least()};
      break;
    case 5:
      pair = {endless(), draw.one_in(2) ? endless() : ordinary()};
      break;
    case 6:
      pair = {of_any_sign(0), draw.one_in(2) ? of_any_sign(0) : subnormal()};
      break;
    default:
      pair = {ordinary(), ordinary()};
  }
  if (draw.one_in(2)) std::swap(pair.u, pair.v);
  return pair;
}

void fill_random(Format format, std::uint64_t seed,
                 std::span<std::uint64_t> x) {
  with_format(format, [&]<Format kFormat>() {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = random_number(kFormat, seed, i);
    }
  });
}

Bits filled(const Problem& p, const Golden& tables, bool is_key, Values values,
            std::uint64_t seed) {
  const std::int64_t heads = is_key ? p.k_heads : p.q_heads;
  Bits x(at(p.tokens() * heads * p.spec.layout.head_dim));
  const bool is_alike = p.storage.is_broadcast(is_key) && p.batch > 0;
  const std::size_t one = is_alike ? x.size() / at(p.batch) : x.size();
  const std::span<std::uint64_t> first(x.data(), one);
  if (values != Values::kUnlike) fill_random(p.dtype, seed, first);
  if (values == Values::kCancelling) {
    RevealingPairs pairs(p.dtype, ~seed);
    fill_pairs(
        p, tables, heads,
        [&](double cos, double sin) { return pairs.next(cos, sin); }, first);
  } else if (values == Values::kUnlike) {
    for (std::size_t i = 0; i < one; ++i) first[i] = unlike(p.dtype, seed, i);
    resize_heads(p, tables, heads, ~seed, first);
  } else if (values == Values::kSpecial) {
    Draw seeds(~seed);
    fill_pairs(
        p, tables, heads,
        [&](double, double) { return special(p.dtype, seeds.bits()); }, first);
  }
  for (std::size_t i = one; i < x.size(); ++i) x[i] = x[i - one];
  return x;
}

// What a conversion to another format and back, or arithmetic, may change.
template <Format kFormat>
std::uint64_t fragile(std::uint64_t random) {
  constexpr Shape kShape = shape_of(kFormat);
  const auto [sign, least_normal, infinity, quiet] = kShape;
  // Neither 0, which would be an infinity, nor all ones, which outputs hold
  // before a call.
  const std::uint64_t payload = 1 + random % (quiet - 2);
  const std::uint64_t of_sign = (random >> 60 & 1) * sign;
  switch (random >> 61) {
    case 0:
      return sign;
    case 1:
      return of_sign | infinity;
    case 2:
      return of_sign | payload;  // subnormal
    case 3:
    case 4:
      return of_sign | infinity | quiet | payload;
    default:
      return of_sign | infinity | payload;  // signals
  }
}

void mark(const Problem& p, std::uint64_t seed, Bits& x) {
  const std::size_t d = at(p.spec.layout.head_dim);
  std::vector<bool> is_outside(d, true);
  for (std::int64_t j = 0; j < p.pairs(); ++j) {
    const auto [u, v] = target_pair(p.spec, j);
    is_outside[at(u)] = is_outside[at(v)] = false;
  }
  const std::size_t row = p.batch > 0 ? x.size() / at(p.batch) : 0;
  with_format(p.dtype, [&]<Format kFormat>() {
    for (std::size_t t = 0; t < d; ++t) {
      if (!is_outside[t]) continue;
      for (std::size_t i = t, in_row = t; i < x.size(); i += d, in_row += d) {
        if (in_row >= row) in_row -= row;
        Draw draw(random_bits(seed, in_row));
        if (draw.one_in(2)) x[i] = fragile<kFormat>(draw.bits());
      }
    }
  });
}

}  // namespace

void fill_values(Problem& p, const Golden& tables, Values values,
                 std::uint64_t seed) {
  p.is_special = values == Values::kSpecial;
  p.q = filled(p, tables, false, values, random_bits(seed, 0));
  p.k = filled(p, tables, true, values, random_bits(seed, 1));
}

void mark_copies(Problem& p, std::uint64_t seed) {
  mark(p, random_bits(seed, 0), p.q);
  mark(p, random_bits(seed, 1), p.k);
}

Problem random_permutation(Format dtype, const reference::Layout& layout,
                           std::int64_t heads, std::int64_t columns,
                           std::uint64_t seed) {
  Bits weights(at(heads * layout.head_dim * columns));
  with_format(dtype, [&]<Format kFormat>() {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::uint64_t random = random_bits(~seed, i);
      weights[i] = random % 8 == 0 ? fragile<kFormat>(random_bits(random, 0))
                                   : random_number(kFormat, seed, i);
    }
  });
  return cases::permutation(dtype, layout, heads, columns, std::move(weights));
}

}  // namespace ropeproof::conformance::cover
