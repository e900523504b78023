// Which channels are a pair, and how a pair rotates.
#include <utility>

#include "conformance/wrong/mutation_lists.h"
#include "reference/rope.h"

namespace ropeproof::conformance::wrong {
namespace {

using reference::Direction;
using reference::Layout;
using reference::Pair;
using reference::Pairing;
using reference::Spec;

constexpr CosSin kUnturned{1, 0};

Spec with(Spec spec, Pairing pairing) {
  spec.layout.pairing = pairing;
  return spec;
}

bool reads_interleaved(const Spec& spec) {
  return spec.layout.pairing == Pairing::kInterleaved ||
         (spec.layout.pairing == Pairing::kInterleavedToHalf &&
          spec.direction == Direction::kForward);
}
bool writes_interleaved(const Spec& spec) {
  return spec.layout.pairing == Pairing::kInterleaved ||
         (spec.layout.pairing == Pairing::kInterleavedToHalf &&
          spec.direction != Direction::kForward);
}

Pair plain_pair(const Spec& spec, bool is_interleaved, std::int64_t j) {
  const Pairing pairing =
      is_interleaved ? Pairing::kInterleaved : Pairing::kHalfSplit;
  return reference::pair_of(with(spec, pairing).layout, j);
}

Pair read_in_the_other(const Spec& spec, std::int64_t j) {
  return plain_pair(spec, !reads_interleaved(spec), j);
}
Pair written_in_the_other(const Spec& spec, std::int64_t j) {
  return plain_pair(spec, !writes_interleaved(spec), j);
}

// Pairs of a kernel whose tile has so many channels, half split each.
auto pairs_in_tiles(std::int64_t channels) {
  return set(&Pipeline::pair, [=](Spec spec, std::int64_t j) {
    Layout& layout = spec.layout;
    if (layout.pairing == Pairing::kHalfSplit && layout.pair_distance == 0 &&
        layout.rotary_dim % channels == 0) {
      layout.pairing = Pairing::kNestedHalfSplit;
      layout.blocks = layout.rotary_dim / channels;
    }
    return reference::source_pair(spec, j);
  });
}

Mutations pairs() {
  constexpr const char* kAdvice =
      "half split (j, j + r/2), interleaved (2j, 2j + 1)";
  constexpr const char* kOf = "of: pairs of the other layout";
  const Slip swapped{"layout/pairs-swapped", 3, kAdvice};
  return {
      swapped("pairs of the other layout", "huggingface/candle#3411",
              [](Pipeline& pipeline) {
                pipeline.pair = read_in_the_other;
                pipeline.target = [](const Spec& spec, std::int64_t j) {
                  return spec.layout.pairing == Pairing::kInterleavedToHalf
                             ? reference::target_pair(spec, j)
                             : read_in_the_other(spec, j);
                };
              }),
      swapped("input read in the other layout, output written in the right one",
              kOf,
              [](Pipeline& pipeline) {
                pipeline.target = pipeline.pair;
                pipeline.pair = read_in_the_other;
              }),
      {"output written in the other layout", "vllm-project/vllm-metal#44",
       "layout/output-of-other-pairing", 3,
       "write each pair to the channels that it was read from, or declare "
       "interleaved_to_half, which transformers computes for DeepSeek",
       set(&Pipeline::target, written_in_the_other)},
      {"output written in the layout of the input",
       "of: output written in the other layout",
       "layout/output-of-other-pairing", 3,
       "interleaved_to_half writes (j, j + r/2)",
       set(&Pipeline::target, reference::source_pair)},
      {"blocks of a nested pairing ignored", kOf, swapped.bug, 3,
       "pairs lie half a block apart, not half a window",
       set(&Pipeline::pair,
           [](const Spec& spec, auto j) {
             return spec.layout.pairing == Pairing::kNestedHalfSplit
                        ? plain_pair(spec, false, j)
                        : reference::source_pair(spec, j);
           })},
      swapped("each 64 channels half split", kOf, pairs_in_tiles(64)),
      swapped("each 128 channels half split", kOf, pairs_in_tiles(128)),
      {"table laid out for the other pairing",
       "raiyanyahya/how-to-train-your-gpt#6", "layout/table-of-other-pairing",
       3,
       "repeat cos and sin [c0, c1, .., c0, c1, ..] for half split, [c0, c0, "
       "c1, c1, ..] for interleaved",
       set(&Pipeline::entry,
           [](const Spec& spec, auto t) {
             return writes_interleaved(spec) ? t % (spec.layout.rotary_dim / 2)
                                             : t / 2;
           })},
      {"pairs of the other layout, under the table of this one",
       "of: table laid out for the other pairing",
       "layout/table-of-other-pairing", 3, kAdvice,
       [](Pipeline& pipeline) {
         pipeline.pair = pipeline.target = read_in_the_other;
         pipeline.entry = [](const Spec& spec, auto t) {
           return writes_interleaved(spec) ? t / 2
                                           : t % (spec.layout.rotary_dim / 2);
         };
       }},
      {"pairs in reverse order", "of: exponent +2j/r, sign lost", swapped.bug,
       3, "pair 0 rotates fastest",
       changes_frequency([](double, const AbiProblem& p, auto j) {
         return due_frequency(p, p.rotary_dim / 2 - 1 - j);
       })}};
}

Mutations rotations() {
  constexpr const char* kSigns =
      "y_u = x_u cos - x_v sin, y_v = x_u sin + x_v cos";
  const Slip sign{"rotation/direction-reversed", 4, kSigns};
  const Slip one_channel{"memory/aliasing", 4, kSigns};
  return {
      sign("direction reversed", "karpathy/nanochat#489",
           for_all([](CosSin& r) { r.s = -r.s; })),
      {"adjoint ignored", "ngxson/llama.cpp#59", "rotation/backward-wrong", 4,
       "the adjoint rotates by -phi: negate the sine",
       set(&Pipeline::ignores_direction, true)},
      sign("minus sign of the sine lost", "of: direction reversed",
           set(&Pipeline::adjust_channels, [](auto& u, auto&) { u.s = -u.s; })),
      sign("minus sign of the sine on both channels", "of: direction reversed",
           set(&Pipeline::adjust_channels, [](auto&, auto& v) { v.s = -v.s; })),
      {"sine lost", "vllm-project/vllm-ascend#12723", "rotation/sine-lost", 4,
       "look where the sines are read: offset, half of the cache, type",
       for_all([](CosSin& r) { r.s = 0; })},
      {"cosine lost", "of: sine lost", "rotation/sine-lost", 4,
       "look where the cosines are read", for_all([](CosSin& r) { r.c = 0; })},
      {"cosine and sine exchanged", "rasbt/LLMs-from-scratch#381",
       "rotation/sine-lost", 4,
       "a cache may hold cosines before sines, or the reverse",
       for_all([](CosSin& r) { std::swap(r.c, r.s); })},
      {"cosine taken for the sine", "vllm-project/vllm-ascend#5664",
       "rotation/sine-lost", 4, "look where the sines are read",
       for_all([](CosSin& r) { r.s = r.c; })},
      {"sine taken for the cosine", "of: cosine taken for the sine",
       "rotation/sine-lost", 4, "look where the cosines are read",
       for_all([](CosSin& r) { r.c = r.s; })},
      {"y_v formed from y_u", "google/gemma.cpp#608", "memory/aliasing", 4,
       "read both channels of a pair before either is written",
       set(&Pipeline::overwrites_input, true)},
      one_channel("only the first channel of each pair rotated",
                  "of: not rotated",
                  set(&Pipeline::adjust_channels,
                      [](auto&, auto& v) { v = kUnturned; })),
      one_channel("only the second channel of each pair rotated",
                  "of: not rotated",
                  set(&Pipeline::adjust_channels,
                      [](auto& u, auto&) { u = kUnturned; })),
      {"not rotated", "linkedin/Liger-Kernel#342", "rotation/sine-lost", 4,
       "look whether the rotation runs here at all, and whether the "
       "frequencies are not still 0",
       for_all([](CosSin& r) { r = kUnturned; }), false, true},
      {"rotated twice", "NeuraLegion/shainet#110", "position/shift-lost", 4,
       "look for a second call, for keys that are rotated again in a cache",
       for_all([](CosSin& r) {
         r = {r.c * r.c - r.s * r.s, 2 * r.c * r.s};
       })},
      {"set to 0", "paiml/aprender#2079", "value/altered", 4,
       "look whether this part is computed, and written back",
       for_all([](CosSin& r) {
         r = {0, 0};
       })}};
}

}  // namespace

Mutations layout_mutations() { return joined({pairs(), rotations()}); }

}  // namespace ropeproof::conformance::wrong
