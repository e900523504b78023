// What the position of a token is taken for.
#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Format;

// Takes change(position) for a position.
template <class Change>
auto takes_position(Change change) {
  return changes_position(
      [=](double x, const PairIndex&) { return change(x); });
}

// Takes at(index), whatever is given.
template <class At>
auto counts(At at) {
  return set(&Pipeline::position, [=](const PairIndex& index) {
    return static_cast<double>(at(index));
  });
}

// Adds what at(index) counts.
template <class At>
auto adds(At at) {
  return changes_position([=](double x, const PairIndex& index) {
    return x + static_cast<double>(at(index));
  });
}

// Counts on from another token's position: to(index) says whose.
template <class To>
auto counts_from(To to) {
  return changes_positions([=](const auto& f, PairIndex index) {
    const auto token = static_cast<double>(index.token);
    to(index);
    return f(index) + token;
  });
}

Mutations shifts() {
  constexpr const char* kIndex = "position/wrong-index";
  const Slip offset{
      "position/offset-lost", 2,
      "the first token has position 0, unless positions say otherwise"};
  const Slip arrives{kIndex, 2, "look whether positions arrive at this path"};
  const Slip real{kIndex, 2, "positions may be real"};
  const auto shift = [](const char* advice) {
    return Slip{"position/shift-lost", 2, advice};
  };
  return {
      offset("position + 1", "Dao-AILab/flash-attention@f266fc72",
             takes_position([](double x) { return x + 1; })),
      offset("position - 1", "of: position + 1",
             takes_position([](double x) { return x - 1; })),
      arrives("position always 0", "Blaizzy/mlx-vlm#1983",
              takes_position([](double) { return 0.0; })),
      arrives("position always 1", "of: position always 0",
              takes_position([](double) { return 1.0; })),
      shift("look for an offset that is added twice, a second rotation")(
          "position doubled", "lablup/mlxcel#1324",
          takes_position([](double x) { return 2 * x; })),
      {"position halved", "of: position doubled", kIndex, 2,
       "look for a count of pairs that should be one of channels",
       takes_position([](double x) { return x / 2; })},
      shift("a position is rotated by +p theta")(
          "position negated", "of: direction reversed",
          takes_position([](double x) { return -x; })),
      // Without it no simple rule tells where its mutant strikes.
      shift("positions may be negative")(
          "sign of the position lost", "",
          takes_position([](double x) { return std::abs(x); })),
      real("position cut to a whole number", "huggingface/transformers#48669",
           takes_position([](double x) { return std::trunc(x); })),
      real("position rounded to a whole number",
           "of: position cut to a whole number",
           takes_position([](double x) { return std::nearbyint(x); }))};
}

Mutations counters() {
  constexpr const char* kIndex = "position/wrong-index";
  const Slip given{"position/shared-across-batch", 6,
                   "use the positions that the problem gives"};
  const Slip axes{"shape/axes-confused", 6,
                  "dimensions are [batch, seq, heads, head_dim]"};
  return {given("positions 0, 1, 2, ... whatever is given",
                "huggingface/transformers#22161",
                counts([](auto& at) { return at.token; })),
          given("positions 1, 2, 3, ... whatever is given",
                "vllm-project/speculators#703",
                counts([](auto& at) { return at.token + 1; })),
          given("positions count on from the first of each batch row",
                "PaddlePaddle/PaddleNLP#6616",
                counts_from([](PairIndex& at) { at.token = 0; })),
          given("positions count on from the first of batch row 0",
                "of: positions count on from the first of each batch row",
                counts_from([](PairIndex& at) { at.token = at.batch = 0; })),
          {"positions less the first of each batch row",
           "RobertCsordas/moeut#6", "position/offset-lost", 6, given.advice,
           changes_positions([](const auto& f, PairIndex at) {
             const double own = f(at);
             at.token = 0;
             return own - f(at);
           })},
          {"number of the row taken as position", "turboderp/exllama#101",
           kIndex, 6, given.advice,
           counts([](auto& at) { return at.batch * at.p.seq + at.token; })},
          axes("head taken as position", "mlfoundations/open_lm#4",
               counts([](auto& at) { return at.head; })),
          axes("batch row taken as position", "of: head taken as position",
               counts([](auto& at) { return at.batch; })),
          {"head added to the position", "elixir-nx/emlx#121", kIndex, 6,
           "heads of a token share its position",
           adds([](auto& at) { return at.head; })},
          {"token added to the position", "of: head added to the position",
           kIndex, 6, "positions already count the tokens",
           adds([](auto& at) { return at.token; })},
          {"batch row added to the position", "of: head added to the position",
           kIndex, 6, "positions already say where a batch row begins",
           adds([](auto& at) { return at.batch; })}};
}

// Number i of the positions, read as 32-bit integers, low half first.
double half_of(const AbiProblem& p, std::int64_t i) {
  const auto both = static_cast<std::uint64_t>(p.positions[i / 2]);
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(i % 2 == 0 ? both : both >> 32));
}

// Positions held in an integer type.
template <class Kept>
auto holds_in() {
  return takes_position([](double x) {
    return static_cast<double>(static_cast<Kept>(static_cast<std::int64_t>(x)));
  });
}

Mutations types() {
  constexpr const char* kOf32 = "of: positions cut to 32 bits, signed";
  const Slip integer{"position/int64-as-int32", 2,
                     "positions are 64-bit integers"};
  const TypedSlip rounded{
      {"angle/rounded-to-f32", 2,
       "f32 holds whole numbers to 2^24: form the angle in binary64"},
      {"position/rounded-to-half", 2,
       "keep positions as integers or in f32, whatever the model's dtype"}};
  Mutations all;
  for (const Format format : kNarrowFormats) {
    all.push_back(rounded(
        format, "positions rounded to ", "of: positions rounded to bf16",
        "huggingface/transformers#28685", "huggingface/diffusers#13920",
        takes_position([=](double x) { return round_to(format, x); })));
  }
  return joined(
      {all,
       {integer("positions cut to 32 bits, signed",
                "of: 64-bit positions read as 32-bit ones",
                holds_in<std::int32_t>()),
        integer("positions cut to 32 bits, unsigned", kOf32,
                holds_in<std::uint32_t>()),
        integer("positions cut to 16 bits, signed", kOf32,
                holds_in<std::int16_t>()),
        integer("positions cut to 16 bits, unsigned", kOf32,
                holds_in<std::uint16_t>()),
        integer("positions cut to 8 bits, signed", kOf32,
                holds_in<std::int8_t>()),
        integer("positions cut to 8 bits, unsigned", kOf32,
                holds_in<std::uint8_t>()),
        {"64-bit positions read as 32-bit ones", "flashinfer-ai/flashinfer#697",
         integer.bug, 6, integer.advice,
         changes_position([](double x, const PairIndex& at) {
           const AbiProblem& p = at.p;
           if (p.positions == nullptr || p.axis_weights != nullptr) return x;
           const std::int64_t axis =
               p.axis_of_pair == nullptr ? 0 : p.axis_of_pair[at.j];
           return half_of(p, axis * p.position_axis_stride +
                                 at.batch * p.position_batch_stride + at.token);
         })}}});
}

// A table of so many rows.
Mutations short_tables() {
  constexpr const char* kLastRow = " on taken for the last row of a table";
  constexpr std::int64_t kMet = 4096;
  const Slip table{"table/too-short", 2,
                   "make the table longer, or refuse the call"};
  const std::string others = "of: positions from 4096" + std::string(kLastRow);
  Mutations all;
  for (std::int64_t count = 1 << 7; count <= 1 << 24; count *= 2) {
    const auto rows = static_cast<double>(count);
    const std::string at = std::to_string(count);
    all.push_back(
        table("positions from " + at + kLastRow,
              count == kMet ? "pegainfer-project/pegainfer#220" : others,
              takes_position([=](double x) { return std::min(x, rows - 1); })));
    all.push_back(
        table("positions modulo " + at, others, takes_position([=](double x) {
                const double rest = std::fmod(x, rows);
                return rest < 0 ? rest + rows : rest;
              })));
  }
  return all;
}

}  // namespace

Mutations position_mutations() {
  return joined({shifts(), counters(), types(), short_tables()});
}

}  // namespace ropeproof::conformance::wrong
