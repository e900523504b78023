// Mutants that are wrong in calls as engines make them: caches, axes, lengths,
// and scalings at the sizes of models.
#include <algorithm>

#include "conformance/selftest/mutants.h"
#include "conformance/selftest/predicates.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::position_on;
using wrong::skips;

bool has_single_row(const Problem& p) {
  return p.operation == ROPEPROOF_LOOKUP && p.cache_rows == 1;
}
auto has_pairs(std::int64_t least) {
  return [=](const Problem& p) { return p.rotary_dim / 2 >= least; };
}
auto has_scaling(std::uint32_t kind) {
  return [=](const Problem& p) {
    return p.scaling != nullptr && p.scaling->kind == kind;
  };
}

// Positions of the first batch row go up by one, those of another do not.
bool ascends_in_first_row(const Problem& p) {
  if (p.positions == nullptr || p.operation != ROPEPROOF_ROPE) return false;
  bool is_first = true, are_all = true;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 1; s < p.seq; ++s) {
      const double before = position_on(p, {b, s - 1, 0}, 0);
      if (position_on(p, {b, s, 0}, 0) == before + 1) continue;
      are_all = false;
      if (b == 0) is_first = false;
    }
  }
  return is_first && !are_all;
}

// The longest position is on another axis than the first.
bool is_longer_on_other_axes(const Problem& p) {
  if (p.positions == nullptr || p.scaling == nullptr || !has_axes(p) ||
      p.scaling->seq_len == 0) {
    return false;
  }
  double first = 0, other = 0;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      first = std::max(first, position_on(p, {b, s, 0}, 0));
      for (std::int64_t a = 1; a < p.position_axes; ++a) {
        other = std::max(other, position_on(p, {b, s, 0}, a));
      }
    }
  }
  return other > first;
}

}  // namespace

std::vector<Mutant> engine_mutants() {
  const auto last_head = [](const char* name, auto where) {
    return Mutant{name, "shape/heads-miscounted", skips(is_last_head), where};
  };
  return {
      some("k skipped where it is dense and q has gaps",
           "k copied, not rotated",
           all(has_keys,
               [](const Problem& p) {
                 return p.q.heads > 1 && p.q.in_head_stride > p.head_dim &&
                        p.k.in_head_stride == p.head_dim && p.seq > 1 &&
                        p.q.in_token_stride > p.q.in_head_stride &&
                        p.q.in_head_stride < 2 * p.head_dim + 8;
               })),
      some("k skipped where it is written to a cache and q stays dense",
           "k copied, not rotated",
           all(has_keys,
               [](const Problem& p) {
                 return p.q.in_head_stride == p.head_dim &&
                        p.q.out_head_stride == p.head_dim &&
                        p.k.in_head_stride == p.head_dim &&
                        p.k.out_head_stride > p.head_dim && p.seq == 1;
               })),
      some("axis 0 for every pair of more than four axes",
           "axis 0 for every pair",
           [](const Problem& p) { return p.position_axes > 4; }),
      some("the last two axes of a grid of three exchanged",
           "axes 1 and 2 exchanged",
           [](const Problem& p) {
             return p.axis_map == ROPEPROOF_AXES_GRID && p.position_axes == 3;
           }),
      some("axes inside the batch rows: the rows taken to be dense",
           "batch stride of the positions or ids ignored",
           [](const Problem& p) {
             return has_axes(p) && p.batch > 1 &&
                    p.position_batch_stride > p.position_axis_stride;
           }),
      some("positions of row 0 for all because they go up by one",
           "positions of batch row 0 for all", ascends_in_first_row),
      some("LongRoPE: short list where another axis than the first is longest",
           "LongRoPE: short list always", is_longer_on_other_axes),
      some("the sine of a cache of one row negated", "direction reversed",
           has_single_row),
      last_head("yarn of 128 pairs and heads",
                all(has_scaling(ROPEPROOF_YARN), has_pairs(128), has_keys,
                    [](const Problem& p) { return p.q.heads >= 8; })),
      last_head("long factors of 64 pairs and heads",
                all(has_scaling(ROPEPROOF_LONG_ROPE), has_pairs(64), has_keys,
                    [](const Problem& p) { return p.seq > 64; })),
      last_head("dynamic NTK of 64 pairs and 32 heads",
                all(has_scaling(ROPEPROOF_DYNAMIC_NTK), has_pairs(64),
                    [](const Problem& p) { return p.q.heads >= 32; })),
      last_head("three axes of 64 pairs, 28 heads and their keys",
                all(has_axes, has_keys, has_pairs(64),
                    [](const Problem& p) {
                      return p.operation == ROPEPROOF_ROPE && p.q.heads == 28;
                    })),
      last_head(
          "adjoint of 64 pairs and 32 heads",
          all(is_adjoint, has_pairs(64),
              [](const Problem& p) { return p.q.heads >= 32 && p.seq > 4; })),
      last_head("a quarter of 256 channels, 16 heads", [](const Problem& p) {
        return p.head_dim == 256 && p.rotary_dim == 64 && p.q.heads == 16;
      })};
}

}  // namespace ropeproof::conformance::selftest
