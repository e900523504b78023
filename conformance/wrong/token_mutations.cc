// Whose position, row of a table or id a head takes.
#include <algorithm>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

void take_row(const AbiProblem& p, HeadIndex& index, std::int64_t row) {
  row = std::clamp<std::int64_t>(row, 0, p.batch * p.seq - 1);
  index.batch = row / p.seq;
  index.token = row % p.seq;
}

// change(problem, index)
Mutation taken(const char* name, const char* source, const char* bug,
               const char* advice,
               void (*change)(const AbiProblem&, HeadIndex&)) {
  return {name,
          source,
          bug,
          6,
          advice,
          set(&Pipeline::taken_for, [=](const AbiProblem& p, HeadIndex index) {
            change(p, index);
            return index;
          })};
}

Mutations tokens() {
  constexpr const char* kIndex = "position/wrong-index";
  constexpr const char* kBatch = "position/shared-across-batch";
  constexpr const char* kAxes = "shape/axes-confused";
  constexpr const char* kOwn =
      "token s of batch row b has [b * position_batch_stride + s], or its row "
      "of the table";
  return {
      taken("positions of batch row 0 for all", "linkedin/Liger-Kernel#477",
            kBatch, kOwn, [](const AbiProblem&, HeadIndex& i) { i.batch = 0; }),
      taken("positions of the last batch row for all",
            "of: positions of batch row 0 for all", kBatch, kOwn,
            [](const AbiProblem& p, HeadIndex& i) { i.batch = p.batch - 1; }),
      taken("position of the first token for all",
            "Dao-AILab/flash-attention#1752", kIndex, kOwn,
            [](const AbiProblem&, HeadIndex& i) { i.token = 0; }),
      taken("position of the last token for all",
            "NVIDIA/TransformerEngine#536", kIndex, kOwn,
            [](const AbiProblem& p, HeadIndex& i) { i.token = p.seq - 1; }),
      taken("position of the next token", "of: position + 1",
            "position/offset-lost", kOwn,
            [](const AbiProblem& p, HeadIndex& i) {
              i.token = std::min(i.token + 1, p.seq - 1);
            }),
      taken("position of the token before", "of: position - 1",
            "position/offset-lost", kOwn,
            [](const AbiProblem&, HeadIndex& i) {
              i.token = std::max<std::int64_t>(i.token - 1, 0);
            }),
      taken("positions read as [seq, batch]",
            "of: read as [batch, heads, seq, head_dim]", kAxes, kOwn,
            [](const AbiProblem& p, HeadIndex& i) {
              take_row(p, i, i.token * p.batch + i.batch);
            }),
      taken("batch row taken for the token", "of: head taken for the token",
            kAxes, kOwn,
            [](const AbiProblem& p, HeadIndex& i) {
              i.token = std::min(i.batch, p.seq - 1);
            }),
      taken("head taken for the token", "facebookresearch/xformers#841", kAxes,
            "dimensions are [batch, seq, heads, head_dim]",
            [](const AbiProblem& p, HeadIndex& i) {
              i.token = std::min(i.head, p.seq - 1);
            }),
      taken("tokens of k counted with q's number of heads",
            "vllm-project/vllm#12729", "shape/heads-miscounted",
            "k has its own number of heads",
            [](const AbiProblem& p, HeadIndex& i) {
              if (!i.is_key || p.q.heads == 0) return;
              const std::int64_t row =
                  (i.batch * p.seq + i.token) * p.k.heads + i.head;
              take_row(p, i, row / p.q.heads);
            }),
      taken("tokens of q counted with k's number of heads",
            "of: tokens of k counted with q's number of heads",
            "shape/heads-miscounted", "k has its own number of heads",
            [](const AbiProblem& p, HeadIndex& i) {
              if (i.is_key || p.k.heads == 0) return;
              const std::int64_t row =
                  (i.batch * p.seq + i.token) * p.q.heads + i.head;
              take_row(p, i, row / p.k.heads);
            })};
}

// row(problem, index, id) of a cache.
template <class Row>
Mutation cached(const char* name, const char* source, const char* bug,
                const char* advice, Row row) {
  return {name,
          source,
          bug,
          6,
          advice,
          set(&Pipeline::row, [=](const AbiProblem& p, const HeadIndex& i) {
            const std::int64_t id =
                p.ids[i.batch * p.position_batch_stride + i.token];
            return std::clamp<std::int64_t>(row(p, i, id), 0, p.cache_rows - 1);
          })};
}

Mutations rows() {
  constexpr const char* kId = "row ids[b * position_batch_stride + s]";
  return {cached("ids ignored: row of the cache = token",
                 "microsoft/onnxruntime#29618", "position/wrong-index", kId,
                 [](const AbiProblem&, const HeadIndex& i, std::int64_t) {
                   return i.token;
                 }),
          cached("ids ignored: row of the cache = number of the token's row",
                 "of: number of the row taken as position",
                 "position/wrong-index", kId,
                 [](const AbiProblem& p, const HeadIndex& i, std::int64_t) {
                   return i.batch * p.seq + i.token;
                 }),
          cached("id + 1", "of: position + 1", "position/offset-lost",
                 "rows of a cache count from 0",
                 [](const AbiProblem&, const HeadIndex&, std::int64_t id) {
                   return id + 1;
                 }),
          cached("id - 1", "of: position - 1", "position/offset-lost",
                 "rows of a cache count from 0",
                 [](const AbiProblem&, const HeadIndex&, std::int64_t id) {
                   return id - 1;
                 }),
          cached("row 0 of the cache for all", "of: position always 0",
                 "position/wrong-index", kId,
                 [](const AbiProblem&, const HeadIndex&, std::int64_t) {
                   return std::int64_t{0};
                 }),
          cached("last row of the cache out of reach",
                 "of: positions from 4096 on taken for the last row of a table",
                 "table/row-clamped", "ids go to cache_rows - 1",
                 [](const AbiProblem& p, const HeadIndex&, std::int64_t id) {
                   return std::min(id, p.cache_rows - 2);
                 }),
          cached("ids modulo the number of tokens", "amd/IRON#188",
                 "table/row-clamped",
                 "a cache may have more rows than there are tokens",
                 [](const AbiProblem& p, const HeadIndex&, std::int64_t id) {
                   return id % p.seq;
                 }),
          cached("ids clamped to the number of tokens",
                 "of: positions from 4096 on taken for the last row of a table",
                 "table/row-clamped",
                 "a cache may have more rows than there are tokens",
                 [](const AbiProblem& p, const HeadIndex&, std::int64_t id) {
                   return std::min(id, p.seq - 1);
                 })};
}

}  // namespace

Mutations token_mutations() { return joined({tokens(), rows()}); }

}  // namespace ropeproof::conformance::wrong
