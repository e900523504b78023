#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "conformance/diagnosis/knobs.h"
#include "conformance/identify/arithmetic.h"
#include "conformance/identify/shapes.h"
#include "conformance/plugin/words.h"
#include "conformance/text/format.h"
#include "conformance/text/words.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using diagnosis::truncated;
using reference::Format;

// x_u c - x_v s, or x_v c + x_u s as its like with -s, in one order of roundings.
struct Order {
  const char* name;
  double (*of)(Format format, double a, double c, double b, double s);
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

constexpr Order kOrders[] = {
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
constexpr std::size_t kOrderCount = std::size(kOrders);

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

// Where cosines and sines are given, in the table's type, they are known; where they
// are the kernel's own, unit vectors show them: so is every bit.
Finding orders_of_wide(Prober& prober, std::uint32_t operation,
                       const cases::RopeCase& like, const ChannelMap& map) {
  std::uint64_t count = 0;
  Tally u_tally, v_tally;
  const Format table = prober.table_of(operation, like);
  const auto pairs = pairs_in_order(map, like.spec);
  std::optional<RotationReader> reader;
  if (operation == ROPEPROOF_ROPE) reader.emplace(prober, like, map);
  for (int round = 1; round <= kRounds; ++round) {
    cases::RopeCase c = like;
    c.positions.assign(1, round);
    std::optional<std::vector<diagnosis::CosSin>> rotations;
    if (reader) {
      rotations = reader->at(round);
    } else {
      form_again(c);
      rotations.emplace();
      for (std::size_t j = 0; j < pairs.size(); ++j) {
        const auto entry = [&](const cases::Bits& bits) {
          return round_to(table, std::bit_cast<double>(bits[j]));
        };
        rotations->push_back({entry(c.cos), entry(c.sin)});
      }
    }
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
      const diagnosis::CosSin& rotation = (*rotations)[j];
      const double a = reference::at(x, pairs[j]->u),
                   b = reference::at(x, pairs[j]->v);
      const auto predict = [&](double p, double q, double s) {
        std::vector<double> all;
        for (const Order& order : kOrders) {
          all.push_back(order.of(c.dtype, p, rotation.c, q, s));
        }
        return all;
      };
      const auto got = [&](std::int64_t channel) {
        return decode(c.dtype, output->q[static_cast<std::size_t>(channel)]);
      };
      u_tally.add(got(pairs[j]->to_u), predict(a, b, -rotation.s));
      v_tally.add(got(pairs[j]->to_v), predict(b, a, rotation.s));
    }
  }
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
  static_assert(kOrderCount > 1);
  return {Standing::kMeasured, "roundings", text,
          text::part_of(same, all) + " elements bit for bit, " +
              std::to_string(telling) + " of them tell orders apart"};
}

struct HalfWay {
  const char* name;
  std::uint32_t rounding;
  bool has_half_table;
  double (*of)(Format format, double a, double c, double b, double s);
};

double once(Format f, double a, double c, double b, double s) {
  return round_to(f, in_f32(in_f32(a * c) + in_f32(b * s)));
}
double each(Format f, double a, double c, double b, double s) {
  return round_to(f, round_to(f, a * c) + round_to(f, b * s));
}
double cut(Format f, double a, double c, double b, double s) {
  return truncated(f, in_f32(in_f32(a * c) + in_f32(b * s)));
}

constexpr HalfWay kHalfWays[] = {
    {"f32 cos and sin, f32 arithmetic, one rounding", ROPEPROOF_ROUND_ONCE,
     false, once},
    {"cos and sin rounded to the dtype, f32 arithmetic, one rounding",
     ROPEPROOF_ROUND_ONCE, true, once},
    {"f32 cos and sin, products and sum each rounded to the dtype",
     ROPEPROOF_ROUND_EACH, false, each},
    {"cos and sin rounded to the dtype, products and sum each rounded to it",
     ROPEPROOF_ROUND_EACH, true, each},
    {"f32 cos and sin, f32 arithmetic, last bits cut off", ROPEPROOF_TRUNCATE,
     false, cut},
    {"cos and sin cut to the dtype, f32 arithmetic, last bits cut off",
     ROPEPROOF_TRUNCATE, true, cut}};

// The cosines that are due stand for the kernel's: a bit or two of an f32 is seldom
// seen after a rounding to 16.
Finding orders_of_half(Prober& prober, std::uint32_t operation,
                       const cases::RopeCase& like) {
  const bool is_given = operation != ROPEPROOF_ROPE;
  const Format table =
      is_given ? prober.table_of(operation, like) : Format::kF32;
  std::uint64_t count = 0;
  Tally tally;
  const Format dtype = like.dtype;
  constexpr std::size_t kFew = 6;  // positions
  std::vector<cases::RopeCase> formed(kFew, like);
  for (std::size_t i = 0; i < kFew; ++i) {
    formed[i].positions.assign(1, static_cast<double>(i + 1));
    form_again(formed[i]);
  }
  for (int round = 1; round <= kRounds; ++round) {
    cases::RopeCase c = formed[static_cast<std::size_t>(round) % kFew];
    std::vector<double> x;
    for (std::int64_t t = 0; t < c.spec.layout.head_dim; ++t) {
      x.push_back(drawn(dtype, count++));
    }
    set_elements(c, [&](std::int64_t, std::int64_t, std::int64_t t) {
      return reference::at(x, t);
    });
    if (!prober.takes(operation, c)) break;
    const auto output = prober.ask(operation, c);
    if (!output) break;
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      const reference::Pair from = source_pair(c.spec, j),
                            to = target_pair(c.spec, j);
      const auto entry = [&](const cases::Bits& bits) {
        return round_to(table, std::bit_cast<double>(reference::at(bits, j)));
      };
      const double cosine = entry(c.cos), sine = entry(c.sin);
      const double a = reference::at(x, from.u), b = reference::at(x, from.v);
      const auto predict = [&](double p, double q, double sign) {
        std::vector<double> all;
        for (const HalfWay& way : kHalfWays) {
          const auto held = [&](double e) {
            if (!way.has_half_table) return e;
            return way.rounding == ROPEPROOF_TRUNCATE ? truncated(dtype, e)
                                                      : round_to(dtype, e);
          };
          all.push_back(way.of(dtype, p, held(cosine), q, sign * held(sine)));
        }
        return all;
      };
      const auto got = [&](std::int64_t channel) {
        return decode(dtype, reference::at(output->q, channel));
      };
      tally.add(got(to.u), predict(a, b, -1));
      tally.add(got(to.v), predict(b, a, 1));
    }
  }
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
