#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/identify/arithmetic.h"
#include "conformance/identify/shapes.h"
#include "conformance/plugin/words.h"
#include "conformance/text/format.h"
#include "conformance/text/words.h"
#include "conformance/wrong/pipeline.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using wrong::truncated;

// a c + b s, of x_u c - x_v s as of x_v c + x_u s, in one order of roundings.
struct Way {
  const char* name;
  double (*of)(Format format, double a, double c, double b, double s);
  // Of 16 bits.
  std::uint32_t rounding = ROPEPROOF_ROUND_ONCE;
  bool has_half_table = false;  // cos and sin rounded likewise, to the dtype

  double held(Format dtype, double entry) const {
    if (!has_half_table) return entry;
    return rounding == ROPEPROOF_TRUNCATE ? truncated(dtype, entry)
                                          : round_to(dtype, entry);
  }
};

double in_f32(double x) { return double{static_cast<float>(x)}; }

// Of f32 and f64; binary64 holds the products of f32 numbers exactly.
double product(Format format, double a, double b) {
  return format == Format::kF64 ? a * b : in_f32(a * b);
}
double fused(Format format, double a, double b, double sum) {
  return format == Format::kF64
             ? std::fma(a, b, sum)
             : double{std::fma(static_cast<float>(a), static_cast<float>(b),
                               static_cast<float>(sum))};
}
double sum_of(Format format, double a, double b) {
  return format == Format::kF64 ? a + b : in_f32(a + b);
}

constexpr Way kOrders[] = {
    {"two products and their sum, each rounded",
     [](Format f, double a, double c, double b, double s) {
       return sum_of(f, product(f, a, c), product(f, b, s));
     }},
    {"fused multiply-add, the sine's product rounded",
     [](Format f, double a, double c, double b, double s) {
       return fused(f, a, c, product(f, b, s));
     }},
    {"fused multiply-add, the cosine's product rounded",
     [](Format f, double a, double c, double b, double s) {
       return fused(f, b, s, product(f, a, c));
     }},
    {"rounded once, from wider arithmetic",
     [](Format f, double a, double c, double b, double s) {
       if (f == Format::kF64) {
         using Wide = long double;
         return static_cast<double>(Wide{a} * Wide{c} + Wide{b} * Wide{s});
       }
       return in_f32(a * c + b * s);
     }}};

// How often an answer is each of several predictions; how often these differ.
struct Tally {
  std::vector<std::int64_t> same;
  std::int64_t all = 0, telling = 0;

  void add(double got, const std::vector<double>& predicted) {
    same.resize(predicted.size(), 0);
    ++all;
    if (std::ranges::any_of(predicted,
                            [&](double x) { return x != predicted[0]; })) {
      ++telling;
    }
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      if (got == predicted[i]) ++same[i];
    }
  }
  std::size_t best() const {
    return static_cast<std::size_t>(std::ranges::max_element(same) -
                                    same.begin());
  }
};

constexpr int kRounds = 24;  // of so many positions, each with other elements

Finding not_seen(const char* subject, std::string why) {
  return {Standing::kUnseen, subject, std::move(why), ""};
}

using Rotations = std::vector<wrong::CosSin>;

// The cosines and sines of one token, in the table's type.
Rotations entries_of(const cases::RopeCase& c, Format table) {
  const auto entry = [&](const cases::Bits& bits, std::int64_t j) {
    return round_to(table, std::bit_cast<double>(reference::at(bits, j)));
  };
  Rotations all;
  for (std::int64_t j = 0; j < c.pairs(); ++j) {
    all.push_back({entry(c.cos, j), entry(c.sin, j)});
  }
  return all;
}

// How often channels are what each way gives: the first and the second ones of the pairs
// in a tally each, or with one tally all. form(round, c) puts the token elsewhere, and
// says what each pair is rotated by.
template <class Form>
std::vector<Tally> tallied(Prober& prober, std::uint32_t operation,
                           const cases::RopeCase& like,
                           const std::vector<std::optional<SeenPair>>& pairs,
                           std::span<const Way> ways, std::size_t tallies,
                           const Form& form) {
  std::vector<Tally> result(tallies);
  std::uint64_t count = 0;
  for (int round = 1; round <= kRounds; ++round) {
    cases::RopeCase c = like;
    const std::optional<Rotations> rotations = form(round, c);
    std::vector<double> x;
    for (std::int64_t t = 0; t < c.spec.layout.head_dim; ++t) {
      x.push_back(drawn(c.dtype, count++));
    }
    set_elements(c, [&](std::int64_t, std::int64_t, std::int64_t t) {
      return reference::at(x, t);
    });
    if (!rotations || !prober.takes(operation, c)) break;
    const auto output = prober.ask(operation, c);
    if (!output) break;
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      if (!pairs[j]) continue;
      const wrong::CosSin& rotation = (*rotations)[j];
      const double a = reference::at(x, pairs[j]->u),
                   b = reference::at(x, pairs[j]->v);
      const auto predict = [&](double p, double q, double sign) {
        std::vector<double> all;
        for (const Way& way : ways) {
          all.push_back(way.of(c.dtype, p, way.held(c.dtype, rotation.c), q,
                               sign * way.held(c.dtype, rotation.s)));
        }
        return all;
      };
      const auto got = [&](std::int64_t channel) {
        return decode(c.dtype, reference::at(output->q, channel));
      };
      result.front().add(got(pairs[j]->to_u), predict(a, b, -1));
      result.back().add(got(pairs[j]->to_v), predict(b, a, 1));
    }
  }
  return result;
}

// Where cosines and sines are given, in the table's type, they are known; where they
// are the kernel's own, unit vectors show them: so is every bit.
Finding orders_of_wide(Prober& prober, std::uint32_t operation,
                       const cases::RopeCase& like, const ChannelMap& map) {
  const Format table = prober.table_of(operation, like);
  std::optional<RotationReader> reader;
  if (operation == ROPEPROOF_ROPE) reader.emplace(prober, like, map);
  const std::vector<Tally> tallies = tallied(
      prober, operation, like, pairs_in_order(map, like.spec), kOrders, 2,
      [&](int round, cases::RopeCase& c) -> std::optional<Rotations> {
        c.positions.assign(1, round);
        if (reader) return reader->at(round);
        form_again(c);
        return entries_of(c, table);
      });
  const Tally &u_tally = tallies.front(), &v_tally = tallies.back();
  if (u_tally.all == 0) return not_seen("roundings", "no pair rotates");
  const std::size_t u = u_tally.best(), v = v_tally.best();
  const std::int64_t same = u_tally.same[u] + v_tally.same[v],
                     all = u_tally.all + v_tally.all,
                     telling = u_tally.telling + v_tally.telling;
  if (same < all) {
    return {Standing::kMeasured, "roundings",
            "no order of rounding known here; the nearest: " +
                std::string(kOrders[u].name),
            text::part_of(same, all) + " elements bit for bit"};
  }
  std::string text = kOrders[u].name;
  if (u != v) text = "first channel: " + text + "; second: " + kOrders[v].name;
  return {Standing::kMeasured, "roundings", text,
          text::part_of(same, all) + " elements bit for bit, " +
              std::to_string(telling) + " of them tell orders apart"};
}

double once(Format f, double a, double c, double b, double s) {
  return round_to(f, in_f32(in_f32(a * c) + in_f32(b * s)));
}
double each(Format f, double a, double c, double b, double s) {
  return round_to(f, round_to(f, a * c) + round_to(f, b * s));
}
double cut(Format f, double a, double c, double b, double s) {
  return truncated(f, in_f32(in_f32(a * c) + in_f32(b * s)));
}

constexpr Way kHalfWays[] = {
    {"f32 cos and sin, f32 arithmetic, one rounding", once},
    {"cos and sin rounded to the dtype, f32 arithmetic, one rounding", once,
     ROPEPROOF_ROUND_ONCE, true},
    {"f32 cos and sin, products and sum each rounded to the dtype", each,
     ROPEPROOF_ROUND_EACH},
    {"cos and sin rounded to the dtype, products and sum each rounded to it",
     each, ROPEPROOF_ROUND_EACH, true},
    {"f32 cos and sin, f32 arithmetic, last bits cut off", cut,
     ROPEPROOF_TRUNCATE},
    {"cos and sin cut to the dtype, f32 arithmetic, last bits cut off", cut,
     ROPEPROOF_TRUNCATE, true}};

// The cosines that are due stand for the kernel's: a bit or two of an f32 is seldom
// seen after a rounding to 16.
Finding orders_of_half(Prober& prober, std::uint32_t operation,
                       const cases::RopeCase& like) {
  const bool is_given = operation != ROPEPROOF_ROPE;
  const Format table =
      is_given ? prober.table_of(operation, like) : Format::kF32;
  const Format dtype = like.dtype;
  constexpr std::size_t kFew = 6;  // positions
  std::vector<cases::RopeCase> formed(kFew, like);
  for (std::size_t i = 0; i < kFew; ++i) {
    formed[i].positions.assign(1, static_cast<double>(i + 1));
    form_again(formed[i]);
  }
  std::vector<std::optional<SeenPair>> pairs;
  for (std::int64_t j = 0; j < like.pairs(); ++j) {
    const reference::Pair from = source_pair(like.spec, j),
                          to = target_pair(like.spec, j);
    pairs.push_back(SeenPair{from.u, from.v, to.u, to.v});
  }
  const Tally tally =
      tallied(prober, operation, like, pairs, kHalfWays, 1,
              [&](int round, cases::RopeCase& c) -> std::optional<Rotations> {
                c = formed[static_cast<std::size_t>(round) % kFew];
                return entries_of(c, table);
              })
          .front();
  const std::string subject =
      "roundings, " + text::word(text::kFormatWords, dtype);
  if (tally.all == 0) return not_seen(subject.c_str(), "no call was answered");
  const std::size_t best = tally.best();
  const std::string evidence =
      text::part_of(tally.same[best], tally.all) + " elements bit for bit, " +
      std::to_string(tally.telling) + " of them tell ways apart";
  if (tally.same[best] < tally.all - tally.all / 100) {
    return {Standing::kMeasured, subject,
            "no way of rounding known here; the nearest: " +
                std::string(kHalfWays[best].name),
            evidence};
  }
  const ropeproof_claim& claim =
      prober.description().claim(plugin::abi_dtype(dtype));
  const bool may = claim.rounding == kHalfWays[best].rounding ||
                   kHalfWays[best].rounding == ROPEPROOF_ROUND_ONCE;
  return {may ? Standing::kDeclared : Standing::kDiffers, subject,
          kHalfWays[best].name, evidence};
}

}  // namespace

std::optional<Finding> read_roundings(Prober& prober, std::uint32_t operation,
                                      const cases::RopeCase& c,
                                      const ChannelMap& map) {
  if (is_16_bit(c.dtype)) return orders_of_half(prober, operation, c);
  Finding found = orders_of_wide(prober, operation, c, map);
  found.subject += ", " + text::word(text::kFormatWords, c.dtype);
  return found;
}

}  // namespace ropeproof::conformance::identify
