// Where numbers are read and written, and which of them.
#include <algorithm>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

template <class Change>
auto misreads(Change change) {
  return set(&Pipeline::misread, change);
}

using Tensor = ropeproof_tensor;

struct Strides {
  std::int64_t batch, token, head;
};

Strides token_major(const AbiProblem& p, const Tensor& t) {
  return {p.seq * t.heads * p.head_dim, t.heads * p.head_dim, p.head_dim};
}
Strides head_major(const AbiProblem& p, const Tensor& t) {
  return {p.seq * t.heads * p.head_dim, p.head_dim, p.seq * p.head_dim};
}
Strides sequence_major(const AbiProblem& p, const Tensor& t) {
  const std::int64_t row = t.heads * p.head_dim;
  return {row, p.batch * row, p.head_dim};
}

void read_by(Tensor& t, const Strides& s) {
  t.in_batch_stride = s.batch;
  t.in_token_stride = s.token;
  t.in_head_stride = s.head;
}
void write_by(Tensor& t, const Strides& s) {
  t.out_batch_stride = s.batch;
  t.out_token_stride = s.token;
  t.out_head_stride = s.head;
}

Strides of_inputs(const Tensor& t) {
  return {t.in_batch_stride, t.in_token_stride, t.in_head_stride};
}
Strides of_outputs(const Tensor& t) {
  return {t.out_batch_stride, t.out_token_stride, t.out_head_stride};
}

// Takes change(problem, tensor) for q and for k.
template <class Change>
auto misreads_each(Change change) {
  return misreads([=](AbiProblem& p) {
    change(p, p.q);
    change(p, p.k);
  });
}

// Takes other strides for what it reads and for what it writes.
auto lies(Strides (*strides)(const AbiProblem&, const Tensor&),
          bool is_read = true, bool is_written = true) {
  return misreads_each([=](const AbiProblem& p, Tensor& t) {
    if (is_read) read_by(t, strides(p, t));
    if (is_written) write_by(t, strides(p, t));
  });
}

Mutations strides() {
  const Slip ignored{"memory/strides-ignored", 6,
                     "each tensor has strides of its own, for batch, token and "
                     "head, in and out"};
  const Slip axes{"shape/axes-confused", 6, ignored.advice};
  constexpr const char* kOfDense =
      "of: strides ignored: read and written densely";
  constexpr const char* kOfHeads =
      "of: taken for [batch, heads, seq, head_dim]";
  constexpr const char* kOfKeys = "of: k read with q's head stride";
  return {
      ignored("strides ignored: read and written densely",
              "ggml-org/llama.cpp#19338", lies(token_major)),
      ignored("strides of inputs ignored: read densely", kOfDense,
              lies(token_major, true, false)),
      ignored("strides of outputs ignored: written densely", kOfDense,
              lies(token_major, false, true)),
      axes("taken for [batch, heads, seq, head_dim]", "onnx/onnx#6767",
           lies(head_major)),
      axes("read as [batch, heads, seq, head_dim]", kOfHeads,
           lies(head_major, true, false)),
      axes("written as [batch, heads, seq, head_dim]", kOfHeads,
           lies(head_major, false, true)),
      axes("taken for [seq, batch, heads, head_dim]", kOfHeads,
           lies(sequence_major)),
      ignored(
          "output written with the input's strides", "ml-explore/mlx#1340",
          misreads_each([](auto&, Tensor& t) { write_by(t, of_inputs(t)); })),
      ignored("output written with the input's head stride",
              "of: output written with the input's strides",
              misreads_each([](auto&, Tensor& t) {
                t.out_head_stride = t.in_head_stride;
              })),
      ignored("k read and written with q's strides", kOfKeys,
              misreads([](AbiProblem& p) {
                read_by(p.k, of_inputs(p.q));
                write_by(p.k, of_outputs(p.q));
              })),
      ignored("k read with q's strides", kOfKeys,
              misreads([](AbiProblem& p) { read_by(p.k, of_inputs(p.q)); })),
      ignored("k written with q's strides", kOfKeys,
              misreads([](AbiProblem& p) { write_by(p.k, of_outputs(p.q)); })),
      ignored("k read with q's head stride", "sgl-project/sglang#20598",
              misreads([](AbiProblem& p) {
                p.k.in_head_stride = p.q.in_head_stride;
              })),
      ignored("k written with q's head stride", kOfKeys,
              misreads([](AbiProblem& p) {
                p.k.out_head_stride = p.q.out_head_stride;
              })),
      ignored("a batch stride of 0 taken for a dense one", "ROCm/aiter#4531",
              misreads_each([](const AbiProblem& p, Tensor& t) {
                if (p.batch > 1 && t.in_batch_stride == 0) {
                  t.in_batch_stride = p.seq * t.heads * p.head_dim;
                }
              })),
      ignored("batch stride ignored: all batch rows read from the first",
              "engine: lightllm, Qwen2-VL", misreads([](AbiProblem& p) {
                p.q.in_batch_stride = p.k.in_batch_stride = 0;
              })),
      // No other bug gives the numbers of its mutant.
      {"k taken to be in place because q is", "", "memory/aliasing", 6,
       ignored.advice, misreads([](AbiProblem& p) {
         if (p.q.in == nullptr || p.q.in != p.q.out) return;
         p.k.in = p.k.out;
         read_by(p.k, of_outputs(p.k));
       })}};
}

// Never larger than it is: a kernel that reads less stays in its memory.
void shrink(std::int64_t& stride, std::int64_t dense) {
  stride = std::min(stride, dense);
}

Mutations lists() {
  const Slip positions{
      "memory/strides-ignored", 6,
      "positions[a * position_axis_stride + b * position_batch_stride + s]"};
  const Slip table{
      "memory/strides-ignored", 6,
      "tables at [b * table_batch_stride + s * table_token_stride + j]"};
  constexpr const char* kOfDense =
      "of: strides ignored: read and written densely";
  return {
      positions("batch stride of the positions or ids ignored",
                "of: positions of batch row 0 for all",
                misreads([](AbiProblem& p) {
                  shrink(p.position_batch_stride, p.seq);
                })),
      positions("positions or ids taken to lie densely, a row for each batch "
                "row",
                kOfDense, misreads([](AbiProblem& p) {
                  if (p.batch > 1) p.position_batch_stride = p.seq;
                })),
      positions("axis stride of the positions ignored", kOfDense,
                misreads([](AbiProblem& p) {
                  shrink(p.position_axis_stride, p.batch * p.seq);
                })),
      positions("strides of the positions ignored", kOfDense,
                misreads([](AbiProblem& p) {
                  shrink(p.position_batch_stride, p.seq);
                  shrink(p.position_axis_stride, p.batch * p.seq);
                })),
      {"positions read as [batch, axes, seq]",
       "of: taken for [batch, heads, seq, head_dim]", "shape/axes-confused", 6,
       positions.advice, misreads([](AbiProblem& p) {
         if (p.position_axes < 2 || p.position_batch_stride != p.seq) return;
         p.position_axis_stride = p.seq;
         p.position_batch_stride = p.position_axes * p.seq;
       })},
      table("batch stride of tables ignored", "linkedin/Liger-Kernel#477",
            misreads([](AbiProblem& p) {
              shrink(p.table_batch_stride, p.seq * p.rotary_dim / 2);
            })),
      table("token stride of tables ignored", "XPU-Forces/mojo_opset#253",
            misreads([](AbiProblem& p) {
              const bool is_wide = p.cache == ROPEPROOF_CACHE_DOUBLED ||
                                   p.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
              shrink(p.table_token_stride, p.rotary_dim / (is_wide ? 1 : 2));
            })),
      table("strides of tables ignored", "of: batch stride of tables ignored",
            misreads([](AbiProblem& p) {
              shrink(p.table_token_stride, p.rotary_dim / 2);
              shrink(p.table_batch_stride, p.seq * p.rotary_dim / 2);
            })),
      {"rows of a table of rotary_dim taken to have rotary_dim/2 entries",
       "onnx/onnx#7304", "layout/table-of-other-pairing", 6,
       "SIDE_BY_SIDE and DOUBLED caches have rotary_dim entries in a row",
       misreads([](AbiProblem& p) {
         if (p.operation == ROPEPROOF_LOOKUP) {
           shrink(p.table_token_stride, p.rotary_dim / 2);
         }
       })}};
}

// The heads that a bug strikes: is(problem, index).
bool is_any(const AbiProblem&, const HeadIndex&) { return true; }
bool is_key(const AbiProblem&, const HeadIndex& i) { return i.is_key; }
bool is_query(const AbiProblem&, const HeadIndex& i) { return !i.is_key; }
bool is_key_beyond_queries(const AbiProblem& p, const HeadIndex& i) {
  return i.is_key && i.head >= p.q.heads;
}
bool is_query_beyond_keys(const AbiProblem& p, const HeadIndex& i) {
  return !i.is_key && p.k.heads > 0 && i.head >= p.k.heads;
}

Mutations tensors() {
  constexpr const char* kPath = "position/single-token-path";
  const Slip heads{"shape/heads-miscounted", 6,
                   "look at the grid of the kernel: every batch row, token and "
                   "head, of q and k"};
  const Slip tensor{"call/wrong-tensor", 6, heads.advice};
  const Slip copied{tensor.bug, 6, "rotate q and k"};
  const auto leaves = [](auto is) { return set(&Pipeline::leaves, is); };
  return {
      heads("not written", "kvcache-ai/sglang#66", leaves(is_any)),
      {"only batch row 0 written", "ml-explore/mlx#3795", kPath, 6,
       heads.advice, leaves([](auto&, auto& i) { return i.batch > 0; })},
      heads("only head 0 written", "paiml/aprender#2079",
            leaves([](auto&, auto& i) { return i.head > 0; })),
      {"only the first token written", "of: only batch row 0 written", kPath, 6,
       heads.advice, leaves([](auto&, auto& i) { return i.token > 0; })},
      heads("last token not written", "of: last head not written",
            leaves([](auto& p, auto& i) { return i.token == p.seq - 1; })),
      heads("last head not written", "NVIDIA/Megatron-LM#7103",
            leaves([](auto& p, auto& i) {
              return i.head == (i.is_key ? p.k : p.q).heads - 1;
            })),
      {"done twice, in place over what it has written", "of: rotated twice",
       "memory/aliasing", 6,
       "look for a tail that goes back to whole tiles, for a loop in a loop",
       set(&Pipeline::repeats, true)},
      tensor("k not written", "kvcache-ai/sglang#66", leaves(is_key)),
      tensor("q not written", "of: k not written", leaves(is_query)),
      heads("heads of k beyond q's not written", "of: last head not written",
            leaves(is_key_beyond_queries)),
      heads("heads of q beyond k's not written", "of: last head not written",
            leaves(is_query_beyond_keys)),
      copied("k copied, not rotated", "linkedin/Liger-Kernel#342",
             skips(is_key)),
      copied("q copied, not rotated", "of: k copied, not rotated",
             skips(is_query)),
      heads("heads of k beyond q's copied, not rotated",
            "of: heads of k beyond q's not written",
            skips(is_key_beyond_queries)),
      heads("heads of q beyond k's copied, not rotated",
            "of: heads of q beyond k's not written",
            skips(is_query_beyond_keys)),
      {"adjoint ignored for k", "of: adjoint ignored",
       "rotation/backward-wrong", 4, "the adjoint rotates q and k by -phi",
       reverses([](auto& p, auto& i) { return p.direction < 0 && i.is_key; })},
      {"k rotated the other way", "huggingface/transformers#30900",
       "rotation/direction-reversed", 4, "q and k rotate alike",
       reverses(is_key)},
      {"q read where k is wanted", "of: k not written", tensor.bug, 6,
       "k has a buffer of its own", misreads([](AbiProblem& p) {
         if (p.k.heads == 0 || p.k.heads > p.q.heads) return;
         p.k.in = p.q.in;
         read_by(p.k, of_inputs(p.q));
       })}};
}

template <class Integer>
std::int64_t cut(std::int64_t x) {
  return std::int64_t{static_cast<Integer>(x)};
}

// Integers that are too narrow.
Mutations integers() {
  const Slip narrow{"shape/32-bit-overflow", 6,
                    "strides and offsets are 64-bit"};
  const auto cuts_strides = [](std::int64_t (*cut_to)(std::int64_t)) {
    return misreads([=](AbiProblem& p) {
      for (Tensor* t : {&p.q, &p.k}) {
        for (std::int64_t* stride :
             {&t->in_batch_stride, &t->in_token_stride, &t->in_head_stride,
              &t->out_batch_stride, &t->out_token_stride,
              &t->out_head_stride}) {
          *stride = cut_to(*stride);
        }
      }
    });
  };
  constexpr const char* kOfOffsets = "of: offsets cut to signed 32 bits";
  Mutations all = {
      narrow("strides cut to 16 bits", "of: strides cut to 32 bits",
             cuts_strides(cut<std::uint16_t>)),
      narrow("strides cut to 32 bits", "linkedin/Liger-Kernel#804",
             cuts_strides(cut<std::int32_t>)),
      narrow("strides of tables cut to 16 bits", "of: strides cut to 16 bits",
             misreads([](AbiProblem& p) {
               for (std::int64_t* stride :
                    {&p.table_token_stride, &p.table_batch_stride}) {
                 *stride = cut<std::uint16_t>(*stride);
               }
             })),
      narrow("offsets cut to signed 16 bits", kOfOffsets,
             set(&Pipeline::offset, cut<std::int16_t>)),
      narrow("offsets cut to unsigned 16 bits", kOfOffsets,
             set(&Pipeline::offset, cut<std::uint16_t>)),
      narrow("offsets cut to signed 32 bits", "vllm-project/vllm#52416",
             set(&Pipeline::offset, cut<std::int32_t>)),
      narrow("offsets cut to unsigned 32 bits", kOfOffsets,
             set(&Pipeline::offset, cut<std::uint32_t>))};
  for (Mutation& one : all) {
    one.change = both(one.change, set(&Pipeline::needs_distance, true));
  }
  return all;
}

}  // namespace

Mutations memory_mutations() {
  return joined({strides(), lists(), tensors(), integers()});
}

}  // namespace ropeproof::conformance::wrong
