// Where numbers are read and written, and which of them.
#include <algorithm>
#include <initializer_list>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

auto misreads(void (*change)(AbiProblem&)) {
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

Mutations strides() {
  constexpr const char* kBug = "memory/strides-ignored";
  constexpr const char* kAxes = "shape/axes-confused";
  constexpr const char* kOwn =
      "each tensor has strides of its own, for batch, token and head, in and "
      "out";
  const auto of = [&](const char* name, const char* source, const char* bug,
                      auto change) {
    return Mutation{name, source, bug,
                    6,    kOwn,   set(&Pipeline::misread, change)};
  };
  // change(problem, tensor), of q and of k.
  const auto of_each = [&](const char* name, const char* source,
                           const char* bug, auto change) {
    return of(name, source, bug, [=](AbiProblem& p) {
      change(p, p.q);
      change(p, p.k);
    });
  };
  // The strides that it takes, of what it reads and of what it writes.
  const auto laid = [&](const char* name, const char* source, const char* bug,
                        auto strides, bool reads, bool writes) {
    return of_each(name, source, bug, [=](const AbiProblem& p, Tensor& t) {
      if (reads) read_by(t, strides(p, t));
      if (writes) write_by(t, strides(p, t));
    });
  };
  return {
      laid("strides ignored: read and written densely",
           "ggml-org/llama.cpp#19338", kBug, token_major, true, true),
      laid("strides of inputs ignored: read densely",
           "of: strides ignored: read and written densely", kBug, token_major,
           true, false),
      laid("strides of outputs ignored: written densely",
           "of: strides ignored: read and written densely", kBug, token_major,
           false, true),
      laid("taken for [batch, heads, seq, head_dim]", "onnx/onnx#6767", kAxes,
           head_major, true, true),
      laid("read as [batch, heads, seq, head_dim]",
           "of: taken for [batch, heads, seq, head_dim]", kAxes, head_major,
           true, false),
      laid("written as [batch, heads, seq, head_dim]",
           "of: taken for [batch, heads, seq, head_dim]", kAxes, head_major,
           false, true),
      laid("taken for [seq, batch, heads, head_dim]",
           "of: taken for [batch, heads, seq, head_dim]", kAxes, sequence_major,
           true, true),
      of_each("output written with the input's strides", "ml-explore/mlx#1340",
              kBug,
              [](const AbiProblem&, Tensor& t) { write_by(t, of_inputs(t)); }),
      of_each("output written with the input's head stride",
              "of: output written with the input's strides", kBug,
              [](const AbiProblem&, Tensor& t) {
                t.out_head_stride = t.in_head_stride;
              }),
      of("k read and written with q's strides",
         "of: k read with q's head stride", kBug,
         [](AbiProblem& p) {
           read_by(p.k, of_inputs(p.q));
           write_by(p.k, of_outputs(p.q));
         }),
      of("k read with q's strides", "of: k read with q's head stride", kBug,
         [](AbiProblem& p) { read_by(p.k, of_inputs(p.q)); }),
      of("k written with q's strides", "of: k read with q's head stride", kBug,
         [](AbiProblem& p) { write_by(p.k, of_outputs(p.q)); }),
      of("k read with q's head stride", "sgl-project/sglang#20598", kBug,
         [](AbiProblem& p) { p.k.in_head_stride = p.q.in_head_stride; }),
      of("k written with q's head stride", "of: k read with q's head stride",
         kBug,
         [](AbiProblem& p) { p.k.out_head_stride = p.q.out_head_stride; }),
      of_each("a batch stride of 0 taken for a dense one", "ROCm/aiter#4531",
              kBug,
              [](const AbiProblem& p, Tensor& t) {
                if (p.batch > 1 && t.in_batch_stride == 0) {
                  t.in_batch_stride = p.seq * t.heads * p.head_dim;
                }
              }),
      of("batch stride ignored: all batch rows read from the first",
         "engine: lightllm, Qwen2-VL", kBug,
         [](AbiProblem& p) { p.q.in_batch_stride = p.k.in_batch_stride = 0; }),
      of("k taken to be in place because q is", "none: a mutant of selftest",
         "memory/aliasing", [](AbiProblem& p) {
           if (p.q.in == nullptr || p.q.in != p.q.out) return;
           p.k.in = p.k.out;
           read_by(p.k, of_outputs(p.k));
         })};
}

// Never larger than it is: a kernel that reads less stays in its memory.
void shrink(std::int64_t& stride, std::int64_t dense) {
  stride = std::min(stride, dense);
}

Mutations lists() {
  constexpr const char* kBug = "memory/strides-ignored";
  constexpr const char* kPositions =
      "positions[a * position_axis_stride + b * position_batch_stride + s]";
  constexpr const char* kTable =
      "tables at [b * table_batch_stride + s * table_token_stride + j]";
  return {
      {"batch stride of the positions or ids ignored",
       "of: positions of batch row 0 for all", kBug, 6, kPositions,
       misreads([](AbiProblem& p) { shrink(p.position_batch_stride, p.seq); })},
      {"positions or ids taken to lie densely, a row for each batch row",
       "of: strides ignored: read and written densely", kBug, 6, kPositions,
       misreads([](AbiProblem& p) {
         if (p.batch > 1) p.position_batch_stride = p.seq;
       })},
      {"axis stride of the positions ignored",
       "of: strides ignored: read and written densely", kBug, 6, kPositions,
       misreads([](AbiProblem& p) {
         shrink(p.position_axis_stride, p.batch * p.seq);
       })},
      {"strides of the positions ignored",
       "of: strides ignored: read and written densely", kBug, 6, kPositions,
       misreads([](AbiProblem& p) {
         shrink(p.position_batch_stride, p.seq);
         shrink(p.position_axis_stride, p.batch * p.seq);
       })},
      {"positions read as [batch, axes, seq]",
       "of: taken for [batch, heads, seq, head_dim]", "shape/axes-confused", 6,
       kPositions, misreads([](AbiProblem& p) {
         if (p.position_axes < 2 || p.position_batch_stride != p.seq) return;
         p.position_axis_stride = p.seq;
         p.position_batch_stride = p.position_axes * p.seq;
       })},
      {"batch stride of tables ignored", "linkedin/Liger-Kernel#477", kBug, 6,
       kTable, misreads([](AbiProblem& p) {
         shrink(p.table_batch_stride, p.seq * p.rotary_dim / 2);
       })},
      {"token stride of tables ignored", "XPU-Forces/mojo_opset#253", kBug, 6,
       kTable, misreads([](AbiProblem& p) {
         const bool is_wide = p.cache == ROPEPROOF_CACHE_DOUBLED ||
                              p.cache == ROPEPROOF_CACHE_SIDE_BY_SIDE;
         shrink(p.table_token_stride,
                is_wide ? p.rotary_dim : p.rotary_dim / 2);
       })},
      {"strides of tables ignored", "of: batch stride of tables ignored", kBug,
       6, kTable, misreads([](AbiProblem& p) {
         shrink(p.table_token_stride, p.rotary_dim / 2);
         shrink(p.table_batch_stride, p.seq * p.rotary_dim / 2);
       })},
      {"rows of a table of rotary_dim taken to have rotary_dim/2 entries",
       "onnx/onnx#7304", "layout/table-of-other-pairing", 6,
       "SIDE_BY_SIDE and DOUBLED caches have rotary_dim entries in a row",
       misreads([](AbiProblem& p) {
         if (p.operation == ROPEPROOF_LOOKUP) {
           shrink(p.table_token_stride, p.rotary_dim / 2);
         }
       })}};
}

Mutations tensors() {
  constexpr const char* kHeads = "shape/heads-miscounted";
  constexpr const char* kAll =
      "look at the grid of the kernel: every batch row, token and head, of q "
      "and k";
  // is(problem, index): not written.
  const auto unwritten = [&](const char* name, const char* source,
                             const char* bug, auto is) {
    return Mutation{name, source, bug, 6, kAll, set(&Pipeline::leaves, is)};
  };
  return {
      unwritten("not written", "kvcache-ai/sglang#66", kHeads,
                [](const AbiProblem&, const HeadIndex&) { return true; }),
      unwritten(
          "only batch row 0 written", "ml-explore/mlx#3795",
          "position/single-token-path",
          [](const AbiProblem&, const HeadIndex& i) { return i.batch > 0; }),
      unwritten(
          "only head 0 written", "paiml/aprender#2079", kHeads,
          [](const AbiProblem&, const HeadIndex& i) { return i.head > 0; }),
      unwritten(
          "only the first token written", "of: only batch row 0 written",
          "position/single-token-path",
          [](const AbiProblem&, const HeadIndex& i) { return i.token > 0; }),
      unwritten("last token not written", "of: last head not written", kHeads,
                [](const AbiProblem& p, const HeadIndex& i) {
                  return i.token == p.seq - 1;
                }),
      unwritten("last head not written", "NVIDIA/Megatron-LM#7103", kHeads,
                [](const AbiProblem& p, const HeadIndex& i) {
                  return i.head == (i.is_key ? p.k : p.q).heads - 1;
                }),
      unwritten("k not written", "kvcache-ai/sglang#66", "call/wrong-tensor",
                [](const AbiProblem&, const HeadIndex& i) { return i.is_key; }),
      unwritten(
          "q not written", "of: k not written", "call/wrong-tensor",
          [](const AbiProblem&, const HeadIndex& i) { return !i.is_key; }),
      unwritten("heads of k beyond q's not written",
                "of: last head not written", kHeads,
                [](const AbiProblem& p, const HeadIndex& i) {
                  return i.is_key && i.head >= p.q.heads;
                }),
      unwritten("heads of q beyond k's not written",
                "of: last head not written", kHeads,
                [](const AbiProblem& p, const HeadIndex& i) {
                  return !i.is_key && p.k.heads > 0 && i.head >= p.k.heads;
                }),
      {"k copied, not rotated", "linkedin/Liger-Kernel#342",
       "call/wrong-tensor", 6, "rotate q and k",
       skips([](const auto&, const auto& i) { return i.is_key; })},
      {"q copied, not rotated", "of: k copied, not rotated",
       "call/wrong-tensor", 6, "rotate q and k",
       skips([](const auto&, const auto& i) { return !i.is_key; })},
      {"heads of k beyond q's copied, not rotated",
       "of: heads of k beyond q's not written", kHeads, 6, kAll,
       skips([](const auto& p, const auto& i) {
         return i.is_key && i.head >= p.q.heads;
       })},
      {"heads of q beyond k's copied, not rotated",
       "of: heads of q beyond k's not written", kHeads, 6, kAll,
       skips([](const auto& p, const auto& i) {
         return !i.is_key && p.k.heads > 0 && i.head >= p.k.heads;
       })},
      {"adjoint ignored for k", "of: adjoint ignored",
       "rotation/backward-wrong", 4, "the adjoint rotates q and k by -phi",
       reverses([](const auto& p, const auto& i) {
         return p.direction < 0 && i.is_key;
       })},
      {"k rotated the other way", "huggingface/transformers#30900",
       "rotation/direction-reversed", 4, "q and k rotate alike",
       reverses([](const auto&, const auto& i) { return i.is_key; })},
      {"q read where k is wanted", "of: k not written", "call/wrong-tensor", 6,
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
  constexpr const char* kBug = "shape/32-bit-overflow";
  constexpr const char* kAdvice = "strides and offsets are 64-bit";
  const auto cuts_strides = [](auto cut_to) {
    return set(&Pipeline::misread, [=](AbiProblem& p) {
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
  Mutations all = {
      {"strides cut to 16 bits", "of: strides cut to 32 bits", kBug, 6, kAdvice,
       cuts_strides(cut<std::uint16_t>)},
      {"strides cut to 32 bits", "linkedin/Liger-Kernel#804", kBug, 6, kAdvice,
       cuts_strides(cut<std::int32_t>)},
      {"strides of tables cut to 16 bits", "of: strides cut to 16 bits", kBug,
       6, kAdvice, misreads([](AbiProblem& p) {
         p.table_token_stride = cut<std::uint16_t>(p.table_token_stride);
         p.table_batch_stride = cut<std::uint16_t>(p.table_batch_stride);
       })},
      {"offsets cut to 16 bits", "of: offsets cut to signed 32 bits", kBug, 6,
       kAdvice, set(&Pipeline::offset, cut<std::uint16_t>)},
      {"offsets cut to signed 32 bits", "vllm-project/vllm#52416", kBug, 6,
       kAdvice, set(&Pipeline::offset, cut<std::int32_t>)},
      {"offsets cut to unsigned 32 bits", "of: offsets cut to signed 32 bits",
       kBug, 6, kAdvice, set(&Pipeline::offset, cut<std::uint32_t>)}};
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
