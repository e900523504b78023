#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/identify/arithmetic.h"
#include "conformance/identify/shapes.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/pipeline.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using wrong::truncated;

// a c + b s, of x_u c - x_v s as of x_v c + x_u s, in one order of roundings.
struct Order {
  const char* name;
  wrong::Products products;

  double of(Format format, double a, double c, double b, double s) const {
    return wrong::sum_of_products(products, format, a, c, b, s);
  }
};

constexpr Order kOrders[] = {
    {"two products and their sum, each rounded", wrong::Products::kRounded},
    {"fused multiply-add, the sine's product rounded",
     wrong::Products::kFirstFused},
    {"fused multiply-add, the cosine's product rounded",
     wrong::Products::kSecondFused},
    {"rounded once, from wider arithmetic", wrong::Products::kOnce}};

// The same in 16 bits, of f32 products or of rounded ones; cos and sin in f32,
// or rounded likewise to the dtype.
struct HalfWay {
  const char* name;
  std::uint32_t rounding;
  bool has_half_table = false;

  double of(Format format, double a, double c, double b, double s) const {
    const auto held = [&](double entry) {
      return !has_half_table                  ? entry
             : rounding == ROPEPROOF_TRUNCATE ? truncated(format, entry)
                                              : round_to(format, entry);
    };
    c = held(c), s = held(s);
    if (rounding == ROPEPROOF_ROUND_EACH) {
      return round_to(format,
                      round_to(format, a * c) + round_to(format, b * s));
    }
    const double sum = wrong::sum_of_products(wrong::Products::kRounded,
                                              Format::kF32, a, c, b, s);
    return rounding == ROPEPROOF_TRUNCATE ? truncated(format, sum)
                                          : round_to(format, sum);
  }
};

constexpr HalfWay kHalfWays[] = {
    {"f32 cos and sin, f32 arithmetic, one rounding", ROPEPROOF_ROUND_ONCE},
    {"cos and sin rounded to the dtype, f32 arithmetic, one rounding",
     ROPEPROOF_ROUND_ONCE, true},
    {"f32 cos and sin, products and sum each rounded to the dtype",
     ROPEPROOF_ROUND_EACH},
    {"cos and sin rounded to the dtype, products and sum each rounded to it",
     ROPEPROOF_ROUND_EACH, true},
    {"f32 cos and sin, f32 arithmetic, last bits cut off", ROPEPROOF_TRUNCATE},
    {"cos and sin cut to the dtype, f32 arithmetic, last bits cut off",
     ROPEPROOF_TRUNCATE, true}};

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
Rotations entries_of(const cases::Case& c, Format table) {
  const auto entry = [&](const cases::Bits& bits, std::int64_t j) {
    return round_to(table, std::bit_cast<double>(reference::at(bits, j)));
  };
  Rotations all;
  for (std::int64_t j = 0; j < c.problem.pairs(); ++j) {
    all.push_back({entry(c.golden.cos, j), entry(c.golden.sin, j)});
  }
  return all;
}

// How often channels are what each way gives: the first and the second ones of
// the pairs in a tally each, or with one tally all. form(round, c) puts the
// token elsewhere, and says what each pair is rotated by.
template <class Ways, class Form>
std::vector<Tally> tallied(Prober& prober, std::uint32_t operation,
                           const cases::Case& like,
                           const std::vector<std::optional<SeenPair>>& pairs,
                           const Ways& ways, std::size_t tallies,
                           const Form& form) {
  std::vector<Tally> result(tallies);
  std::uint64_t count = 0;
  for (int round = 1; round <= kRounds; ++round) {
    cases::Case c = like;
    const std::optional<Rotations> rotations = form(round, c);
    std::vector<double> x;
    for (std::int64_t t = 0; t < c.problem.spec.layout.head_dim; ++t) {
      x.push_back(drawn(c.problem.dtype, count++));
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
        for (const auto& way : ways) {
          all.push_back(
              way.of(c.problem.dtype, p, rotation.c, q, sign * rotation.s));
        }
        return all;
      };
      const auto got = [&](std::int64_t channel) {
        return decode(c.problem.dtype, reference::at(output->q, channel));
      };
      result.front().add(got(pairs[j]->to_u), predict(a, b, -1));
      result.back().add(got(pairs[j]->to_v), predict(b, a, 1));
    }
  }
  return result;
}

// Where cosines and sines are given, in the table's type, they are known; where
// they are the kernel's own, unit vectors show them: so is every bit.
Finding orders_of_wide(Prober& prober, std::uint32_t operation,
                       const cases::Case& like, const ChannelMap& map) {
  const Format table = prober.table_of(operation, like);
  std::optional<RotationReader> reader;
  if (operation == ROPEPROOF_ROPE) reader.emplace(prober, like, map);
  const std::vector<Tally> tallies = tallied(
      prober, operation, like, pairs_in_order(map, like.problem.spec), kOrders,
      2, [&](int round, cases::Case& c) -> std::optional<Rotations> {
        c.problem.positions.assign(1, round);
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

// The cosines that are due stand for the kernel's: a bit or two of an f32 is
// seldom seen after a rounding to 16.
Finding orders_of_half(Prober& prober, std::uint32_t operation,
                       const cases::Case& like) {
  const bool is_given = operation != ROPEPROOF_ROPE;
  const Format table =
      is_given ? prober.table_of(operation, like) : Format::kF32;
  const Format dtype = like.problem.dtype;
  constexpr std::size_t kFew = 6;  // positions
  std::vector<cases::Case> formed(kFew, like);
  for (std::size_t i = 0; i < kFew; ++i) {
    formed[i].problem.positions.assign(1, static_cast<double>(i + 1));
    form_again(formed[i]);
  }
  std::vector<std::optional<SeenPair>> pairs;
  for (std::int64_t j = 0; j < like.problem.pairs(); ++j) {
    const reference::Pair from = source_pair(like.problem.spec, j),
                          to = target_pair(like.problem.spec, j);
    pairs.push_back(SeenPair{from.u, from.v, to.u, to.v});
  }
  const Tally tally =
      tallied(prober, operation, like, pairs, kHalfWays, 1,
              [&](int round, cases::Case& c) -> std::optional<Rotations> {
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
                                      const cases::Case& c,
                                      const ChannelMap& map) {
  if (is_16_bit(c.problem.dtype)) return orders_of_half(prober, operation, c);
  Finding found = orders_of_wide(prober, operation, c, map);
  found.subject += ", " + text::word(text::kFormatWords, c.problem.dtype);
  return found;
}

}  // namespace ropeproof::conformance::identify
