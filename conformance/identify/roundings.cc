#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/identify/readings.h"
#include "conformance/identify/shapes.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/arithmetic.h"
#include "conformance/wrong/mutation.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;

// One order of the roundings of a c + b s: of x_u c - x_v s, of x_v c + x_u s.
struct Way {
  const char* name;
  wrong::Change change;
  bool has_half_table = false;  // cos and sin in the dtype, not in f32

  wrong::Pipeline pipeline(Format dtype) const {
    wrong::Pipeline pipeline;
    if (has_half_table || dtype == Format::kF64) pipeline.table = dtype;
    if (change) change(pipeline);
    return pipeline;
  }
};

using wrong::Pipeline, wrong::Products, wrong::set;

const Way kWideWays[] = {{"two products and their sum, each rounded", nullptr},
                         {"fused multiply-add, the sine's product rounded",
                          set(&Pipeline::products, Products::kFirstFused)},
                         {"fused multiply-add, the cosine's product rounded",
                          set(&Pipeline::products, Products::kSecondFused)},
                         {"rounded once, from wider arithmetic",
                          set(&Pipeline::products, Products::kOnce)}};

const Way kHalfWays[] = {
    {"f32 cos and sin, f32 arithmetic, one rounding", nullptr},
    {"cos and sin rounded to the dtype, f32 arithmetic, one rounding", nullptr,
     true},
    {"f32 cos and sin, products and sum each rounded to the dtype",
     set(&Pipeline::round_each, true)},
    {"cos and sin rounded to the dtype, products and sum each rounded to it",
     set(&Pipeline::round_each, true), true},
    {"f32 cos and sin, f32 arithmetic, last bits cut off",
     set(&Pipeline::truncates, true)},
    {"cos and sin cut to the dtype, f32 arithmetic, last bits cut off",
     set(&Pipeline::truncates, true), true}};

std::uint32_t rounding_of(const Pipeline& pipeline) {
  return pipeline.truncates    ? ROPEPROOF_TRUNCATE
         : pipeline.round_each ? ROPEPROOF_ROUND_EACH
                               : ROPEPROOF_ROUND_ONCE;
}

// How often answers are what each way gives; how often the ways differ.
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

using Rotations = std::vector<wrong::CosSin>;

// The cosines and sines of one token that are due, in the table's type.
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

// One token at a position, with elements of its own.
struct Round {
  cases::Case c;
  Rotations rotations;  // what each pair is rotated by
};

// Where cosines and sines are given, in the table's type, they are known; where
// they are the kernel's own, unit vectors show them: so is every bit. In 16
// bits those that are due stand for them: a bit or two of an f32 is seldom seen
// after the last rounding.
std::vector<Round> rounds_of(Prober& prober, std::uint32_t operation,
                             const cases::Case& like, const ChannelMap& map) {
  const Format dtype = like.problem.dtype;
  const bool is_half = is_16_bit(dtype), is_own = operation == ROPEPROOF_ROPE;
  const Format table =
      is_half && is_own ? Format::kF32 : prober.table_of(operation, like);
  std::optional<RotationReader> reader;
  if (is_own && !is_half) reader.emplace(prober, like, map);
  constexpr int kFew = 6;  // positions in 16 bits, taken again and again
  std::vector<Round> rounds;
  std::uint64_t count = 0;
  for (int i = 1; i <= kRounds; ++i) {
    const int position = is_half ? i % kFew + 1 : i;
    Round round{like, {}};
    round.c.problem.positions.assign(1, position);
    if (is_half && i > kFew) {
      round = rounds[static_cast<std::size_t>(i - 1 - kFew)];
    } else if (!reader) {
      form_again(round.c);
      round.rotations = entries_of(round.c, table);
    } else if (const auto rotations = reader->at(position)) {
      round.rotations = *rotations;
    } else {
      break;
    }
    std::vector<double> x;
    for (std::int64_t t = 0; t < like.problem.spec.layout.head_dim; ++t) {
      x.push_back(drawn(dtype, count++));
    }
    set_elements(round.c,
                 [&](auto, auto, auto t) { return reference::at(x, t); });
    rounds.push_back(std::move(round));
  }
  return rounds;
}

// The channels of the pairs that are read and written: in 16 bits those due.
std::vector<std::optional<SeenPair>> pairs_of(const cases::Problem& problem,
                                              const ChannelMap& map) {
  if (!is_16_bit(problem.dtype)) return pairs_in_order(map, problem.spec);
  std::vector<std::optional<SeenPair>> pairs;
  for (std::int64_t j = 0; j < problem.pairs(); ++j) {
    const reference::Pair from = source_pair(problem.spec, j),
                          to = target_pair(problem.spec, j);
    pairs.emplace_back(SeenPair{from.u, from.v, to.u, to.v});
  }
  return pairs;
}

// Adds the first channels of the pairs to one tally, the second ones to
// another. False where there is no answer.
bool add_round(Prober& prober, std::uint32_t operation, const Round& round,
               const std::vector<std::optional<SeenPair>>& pairs,
               std::span<const Pipeline> ways, Tally& first, Tally& second) {
  const cases::Problem& p = round.c.problem;
  if (!prober.takes(operation, round.c)) return false;
  const auto output = prober.ask(operation, round.c);
  if (!output) return false;
  const auto number = [&](const cases::Bits& bits, std::int64_t channel) {
    return decode(p.dtype, reference::at(bits, channel));
  };
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    if (!pairs[j]) continue;
    const auto [c, s] = round.rotations[j];
    const double x_u = number(p.q, pairs[j]->u), x_v = number(p.q, pairs[j]->v);
    std::vector<double> y_u, y_v;
    for (const Pipeline& way : ways) {
      const wrong::Arithmetic arithmetic(way, p.dtype);
      const auto of = [&](double a, double b, double sine) {
        return round_to(
            p.dtype, arithmetic.result(arithmetic.sum(a, arithmetic.entry(c), b,
                                                      arithmetic.entry(sine))));
      };
      y_u.push_back(of(x_u, x_v, -s));
      y_v.push_back(of(x_v, x_u, s));
    }
    first.add(number(output->q, pairs[j]->to_u), y_u);
    second.add(number(output->q, pairs[j]->to_v), y_v);
  }
  return true;
}

}  // namespace

Finding read_roundings(Prober& prober, std::uint32_t operation,
                       const cases::Case& c, const ChannelMap& map) {
  const Format dtype = c.problem.dtype;
  const bool is_half = is_16_bit(dtype);
  const std::span<const Way> ways =
      is_half ? std::span<const Way>(kHalfWays) : kWideWays;
  std::vector<Pipeline> pipelines;
  for (const Way& way : ways) pipelines.push_back(way.pipeline(dtype));
  const auto pairs = pairs_of(c.problem, map);
  // In 16 bits one way for both channels.
  std::vector<Tally> tallies(is_half ? 1 : 2);
  for (const Round& round : rounds_of(prober, operation, c, map)) {
    if (!add_round(prober, operation, round, pairs, pipelines, tallies.front(),
                   tallies.back())) {
      break;
    }
  }
  const std::string subject =
      "roundings, " + text::word(text::kFormatWords, dtype);
  if (tallies.front().all == 0) {
    return {Standing::kUnseen, subject, "no pair was seen to rotate", ""};
  }
  std::int64_t same = 0, all = 0, telling = 0;
  for (const Tally& tally : tallies) {
    same += tally.same[tally.best()];
    all += tally.all;
    telling += tally.telling;
  }
  const Way &u = ways[tallies.front().best()], &v = ways[tallies.back().best()];
  const std::string evidence =
      text::part_of(same, all) + " elements bit for bit, " +
      std::to_string(telling) + " of them distinguish ways of rounding";
  if (same < all - (is_half ? all / 100 : 0)) {
    return {Standing::kMeasured, subject,
            std::string("no known way of rounding; the nearest: ") + u.name,
            evidence};
  }
  const std::string words = &u == &v ? u.name
                                     : std::string("first channel: ") + u.name +
                                           "; second: " + v.name;
  const ropeproof_claim& claim =
      prober.description().claim(plugin::abi_dtype(dtype));
  const std::uint32_t rounding = rounding_of(pipelines[tallies.front().best()]);
  const bool may =
      claim.rounding == rounding || rounding == ROPEPROOF_ROUND_ONCE;
  return {!is_half ? Standing::kMeasured
          : may    ? Standing::kDeclared
                   : Standing::kDiffers,
          subject, words, evidence};
}

}  // namespace ropeproof::conformance::identify
