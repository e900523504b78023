// What the position of a token is taken for.
#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/text/word_tables.h"
#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Format;

// change(position)
template <class Change>
Mutation position(std::string name, std::string source, const char* bug,
                  const char* advice, Change change) {
  return {std::move(name),
          std::move(source),
          bug,
          2,
          advice,
          changes_position([=](double x, const AbiProblem&, const HeadIndex&,
                               std::int64_t) { return change(x); })};
}

// Positions held in an integer type.
template <class Kept>
Mutation held_in(const char* name, const char* source) {
  return position(name, source, "position/int64-as-int32",
                  "positions are 64-bit integers", [](double x) {
                    return static_cast<double>(
                        static_cast<Kept>(static_cast<std::int64_t>(x)));
                  });
}

// at(problem, index), whatever is given.
template <class At>
Mutation instead(const char* name, const char* source, const char* bug,
                 const char* advice, At at) {
  return {name,
          source,
          bug,
          6,
          advice,
          set(&Pipeline::position,
              [=](const AbiProblem& p, const HeadIndex& index, std::int64_t) {
                return static_cast<double>(at(p, index));
              })};
}

Mutations shifts() {
  constexpr const char* kBug = "position/offset-lost";
  constexpr const char* kOne =
      "the first token has position 0, unless positions say otherwise";
  return {
      position("position + 1", "Dao-AILab/flash-attention@f266fc72", kBug, kOne,
               [](double x) { return x + 1; }),
      position("position - 1", "of: position + 1", kBug, kOne,
               [](double x) { return x - 1; }),
      position("position always 0", "Blaizzy/mlx-vlm#1983",
               "position/wrong-index",
               "look whether positions arrive at this path",
               [](double) { return 0.0; }),
      position("position always 1", "of: position always 0",
               "position/wrong-index",
               "look whether positions arrive at this path",
               [](double) { return 1.0; }),
      position("position doubled", "lablup/mlxcel#1324", "position/shift-lost",
               "look for an offset that is added twice, a second rotation",
               [](double x) { return 2 * x; }),
      position("position halved", "of: position doubled",
               "position/wrong-index",
               "look for a count of pairs that should be one of channels",
               [](double x) { return x / 2; }),
      position("position negated", "of: direction reversed",
               "position/shift-lost", "a position is rotated by +p theta",
               [](double x) { return -x; }),
      position("sign of the position lost", "none: a mutant of selftest",
               "position/shift-lost", "positions may be negative",
               [](double x) { return std::abs(x); }),
      position("position cut to a whole number",
               "huggingface/transformers#48669", "position/wrong-index",
               "positions may be real", [](double x) { return std::trunc(x); }),
      position("position rounded to a whole number",
               "of: position cut to a whole number", "position/wrong-index",
               "positions may be real",
               [](double x) { return std::nearbyint(x); })};
}

Mutations counters() {
  constexpr const char* kShared = "position/shared-across-batch";
  constexpr const char* kIndex = "position/wrong-index";
  constexpr const char* kGiven = "use the positions that the problem gives";
  const auto row = [](const AbiProblem& p, const HeadIndex& i) {
    return i.batch * p.seq + i.token;
  };
  return {
      instead("positions 0, 1, 2, ... whatever is given",
              "huggingface/transformers#22161", kShared, kGiven,
              [](const AbiProblem&, const HeadIndex& i) { return i.token; }),
      instead(
          "positions 1, 2, 3, ... whatever is given",
          "vllm-project/speculators#703", kShared, kGiven,
          [](const AbiProblem&, const HeadIndex& i) { return i.token + 1; }),
      {"positions count on from the first of each batch row",
       "PaddlePaddle/PaddleNLP#6616", kShared, 6, kGiven,
       changes_positions(
           [](const auto& f, const AbiProblem& p, HeadIndex i, std::int64_t j) {
             const auto token = static_cast<double>(i.token);
             i.token = 0;
             return f(p, i, j) + token;
           })},
      {"positions count on from the first of batch row 0",
       "of: positions count on from the first of each batch row", kShared, 6,
       kGiven,
       changes_positions(
           [](const auto& f, const AbiProblem& p, HeadIndex i, std::int64_t j) {
             const auto token = static_cast<double>(i.token);
             i.token = i.batch = 0;
             return f(p, i, j) + token;
           })},
      {"positions less the first of each batch row", "RobertCsordas/moeut#6",
       "position/offset-lost", 6, kGiven,
       changes_positions(
           [](const auto& f, const AbiProblem& p, HeadIndex i, std::int64_t j) {
             const double own = f(p, i, j);
             i.token = 0;
             return own - f(p, i, j);
           })},
      instead("number of the row taken as position", "turboderp/exllama#101",
              kIndex, kGiven, row),
      instead("head taken as position", "mlfoundations/open_lm#4",
              "shape/axes-confused",
              "dimensions are [batch, seq, heads, head_dim]",
              [](const AbiProblem&, const HeadIndex& i) { return i.head; }),
      instead("batch row taken as position", "of: head taken as position",
              "shape/axes-confused",
              "dimensions are [batch, seq, heads, head_dim]",
              [](const AbiProblem&, const HeadIndex& i) { return i.batch; }),
      {"head added to the position", "elixir-nx/emlx#121", kIndex, 6,
       "heads of a token share its position",
       changes_position(
           [](double x, const AbiProblem&, const HeadIndex& i, std::int64_t) {
             return x + static_cast<double>(i.head);
           })},
      {"token added to the position", "of: head added to the position", kIndex,
       6, "positions already count the tokens",
       changes_position(
           [](double x, const AbiProblem&, const HeadIndex& i, std::int64_t) {
             return x + static_cast<double>(i.token);
           })},
      {"batch row added to the position", "of: head added to the position",
       kIndex, 6, "positions already say where a batch row begins",
       changes_position(
           [](double x, const AbiProblem&, const HeadIndex& i, std::int64_t) {
             return x + static_cast<double>(i.batch);
           })}};
}

// Number i of the positions, read as 32-bit integers, low half first.
double half_of(const AbiProblem& p, std::int64_t i) {
  const auto both = static_cast<std::uint64_t>(p.positions[i / 2]);
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(i % 2 == 0 ? both : both >> 32));
}

Mutations types() {
  constexpr Sources kSources = {"of: positions rounded to bf16",
                                "huggingface/transformers#28685",
                                "huggingface/diffusers#13920"};
  Mutations all;
  for (const auto& [format, word] : text::kFormatWords) {
    if (format == Format::kF64) continue;
    all.push_back(position(
        "positions rounded to " + std::string(word), kSources.of(format),
        format == Format::kF32 ? "angle/rounded-to-f32"
                               : "position/rounded-to-half",
        format == Format::kF32
            ? "f32 holds whole numbers to 2^24: form the angle in binary64"
            : "keep positions as integers or in f32, whatever the model's "
              "dtype",
        [format = format](double x) { return round_to(format, x); }));
  }
  all.push_back(
      held_in<std::int32_t>("positions cut to 32 bits, signed",
                            "of: 64-bit positions read as 32-bit ones"));
  all.push_back(held_in<std::int16_t>("positions cut to 16 bits, signed",
                                      "of: positions cut to 32 bits, signed"));
  all.push_back(held_in<std::uint16_t>("positions cut to 16 bits, unsigned",
                                       "of: positions cut to 32 bits, signed"));
  all.push_back(
      {"64-bit positions read as 32-bit ones", "flashinfer-ai/flashinfer#697",
       "position/int64-as-int32", 6, "positions are 64-bit integers",
       changes_position([](double x, const AbiProblem& p, const HeadIndex& i,
                           std::int64_t j) {
         if (p.positions == nullptr || p.axis_weights != nullptr) return x;
         const std::int64_t axis =
             p.axis_of_pair == nullptr ? 0 : p.axis_of_pair[j];
         return half_of(p, axis * p.position_axis_stride +
                               i.batch * p.position_batch_stride + i.token);
       })});
  return all;
}

// A table of so many rows.
Mutations short_tables() {
  constexpr const char* kLastRow = " on taken for the last row of a table";
  constexpr std::int64_t kMet = 4096;
  const std::string others = "of: positions from 4096" + std::string(kLastRow);
  Mutations all;
  for (int log2 = 10; log2 <= 17; ++log2) {
    const std::int64_t rows = std::int64_t{1} << log2;
    const auto last = static_cast<double>(rows - 1);
    const std::string at = std::to_string(rows);
    all.push_back(
        position("positions from " + at + kLastRow,
                 rows == kMet ? "pegainfer-project/pegainfer#220" : others,
                 "table/too-short", "make the table longer, or refuse the call",
                 [=](double x) { return std::min(x, last); }));
    all.push_back(
        position("positions modulo " + at, others, "table/too-short",
                 "make the table longer, or refuse the call", [=](double x) {
                   const double rest = std::fmod(x, static_cast<double>(rows));
                   return rest < 0 ? rest + static_cast<double>(rows) : rest;
                 }));
  }
  return all;
}

}  // namespace

Mutations position_mutations() {
  return joined({shifts(), counters(), types(), short_tables()});
}

}  // namespace ropeproof::conformance::wrong
