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

// Takes a head for another one: change(problem, index).
auto takes_head(void (*change)(const AbiProblem&, HeadIndex&)) {
  return set(&Pipeline::taken_for, change);
}

// Counts the tokens of k, or of q, with the other's number of heads.
auto counts_with_heads_of_the_other(bool of_k) {
  return set(&Pipeline::taken_for, [=](const AbiProblem& p, HeadIndex& i) {
    const std::int64_t own = (of_k ? p.k : p.q).heads,
                       other = (of_k ? p.q : p.k).heads;
    if (i.is_key != of_k || other == 0) return;
    take_row(p, i, ((i.batch * p.seq + i.token) * own + i.head) / other);
  });
}

Mutations tokens() {
  const Slip own{"position/wrong-index", 6,
                 "token s of batch row b has [b * position_batch_stride + s], "
                 "or its row of the table"};
  const Slip shared{"position/shared-across-batch", 6, own.advice};
  const Slip offset{"position/offset-lost", 6, own.advice};
  const Slip axes{"shape/axes-confused", 6, own.advice};
  const Slip heads{"shape/heads-miscounted", 6,
                   "k has its own number of heads"};
  return {
      shared("positions of batch row 0 for all", "linkedin/Liger-Kernel#477",
             takes_head([](auto&, HeadIndex& i) { i.batch = 0; })),
      shared("positions of the last batch row for all",
             "of: positions of batch row 0 for all",
             takes_head([](auto& p, HeadIndex& i) { i.batch = p.batch - 1; })),
      own("position of the first token for all",
          "Dao-AILab/flash-attention#1752",
          takes_head([](auto&, HeadIndex& i) { i.token = 0; })),
      own("position of the last token for all", "NVIDIA/TransformerEngine#536",
          takes_head([](auto& p, HeadIndex& i) { i.token = p.seq - 1; })),
      offset("position of the next token", "of: position + 1",
             takes_head([](auto& p, HeadIndex& i) {
               i.token = std::min(i.token + 1, p.seq - 1);
             })),
      offset("position of the token before", "of: position - 1",
             takes_head([](auto&, HeadIndex& i) {
               i.token = std::max<std::int64_t>(i.token - 1, 0);
             })),
      axes("positions read as [seq, batch]",
           "of: read as [batch, heads, seq, head_dim]",
           takes_head([](auto& p, HeadIndex& i) {
             take_row(p, i, i.token * p.batch + i.batch);
           })),
      axes("batch row taken for the token", "of: head taken for the token",
           takes_head([](auto& p, HeadIndex& i) {
             i.token = std::min(i.batch, p.seq - 1);
           })),
      {"head taken for the token", "facebookresearch/xformers#841", axes.bug, 6,
       "dimensions are [batch, seq, heads, head_dim]",
       takes_head([](auto& p, HeadIndex& i) {
         i.token = std::min(i.head, p.seq - 1);
       })},
      heads("tokens of k counted with q's number of heads",
            "vllm-project/vllm#12729", counts_with_heads_of_the_other(true)),
      heads("tokens of q counted with k's number of heads",
            "of: tokens of k counted with q's number of heads",
            counts_with_heads_of_the_other(false))};
}

// Takes row(problem, index, id) of a cache.
template <class Row>
auto takes_row(Row row) {
  return set(&Pipeline::row, row);
}

Mutations rows() {
  constexpr const char* kOfTable =
      "of: positions from 4096 on taken for the last row of a table";
  const Slip index{"position/wrong-index", 6,
                   "row ids[b * position_batch_stride + s]"};
  const Slip offset{"position/offset-lost", 6, "rows of a cache count from 0"};
  const Slip clamped{"table/row-clamped", 6,
                     "a cache may have more rows than there are tokens"};
  return {
      index("ids ignored: row of the cache = token",
            "microsoft/onnxruntime#29618",
            takes_row([](auto&, auto& i, auto) { return i.token; })),
      index("ids ignored: row of the cache = number of the token's row",
            "of: number of the row taken as position",
            takes_row([](auto& p, auto& i, auto) {
              return i.batch * p.seq + i.token;
            })),
      offset("id + 1", "of: position + 1",
             takes_row([](auto&, auto&, auto id) { return id + 1; })),
      offset("id - 1", "of: position - 1",
             takes_row([](auto&, auto&, auto id) { return id - 1; })),
      index("row 0 of the cache for all", "of: position always 0",
            takes_row([](auto&, auto&, auto) { return 0; })),
      {"last row of the cache out of reach", kOfTable, clamped.bug, 6,
       "ids go to cache_rows - 1", takes_row([](auto& p, auto&, auto id) {
         return std::min(id, p.cache_rows - 2);
       })},
      clamped("ids modulo the number of tokens", "amd/IRON#188",
              takes_row([](auto& p, auto&, auto id) { return id % p.seq; })),
      clamped("ids from 4096 on taken for row 4095 of the cache", kOfTable,
              takes_row([](auto&, auto&, auto id) {
                return std::min<std::int64_t>(id, 4095);
              })),
      clamped("ids modulo 4096", kOfTable,
              takes_row([](auto&, auto&, auto id) { return id % 4096; })),
      clamped("ids clamped to the number of tokens", kOfTable,
              takes_row([](auto& p, auto&, auto id) {
                return std::min(id, p.seq - 1);
              }))};
}

}  // namespace

Mutations token_mutations() { return joined({tokens(), rows()}); }

}  // namespace ropeproof::conformance::wrong
