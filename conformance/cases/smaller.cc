#include "conformance/cases/smaller.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "conformance/plugin/scalings.h"
#include "reference/rope.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Layout;
using reference::Pair;
using reference::Spec;

template <class T>
void pick(std::vector<T>& list, const Indices& kept) {
  if (list.empty()) return;
  std::vector<T> picked;
  for (const std::int64_t j : kept) {
    picked.push_back(list[static_cast<std::size_t>(j)]);
  }
  list = std::move(picked);
}

// The channels that no pair reads.
Indices outside(const Spec& spec) {
  std::vector<bool> is_read(static_cast<std::size_t>(spec.layout.head_dim));
  for (std::int64_t j = 0; j < spec.layout.rotary_dim / 2; ++j) {
    const Pair pair = source_pair(spec, j);
    is_read[static_cast<std::size_t>(pair.u)] = true;
    is_read[static_cast<std::size_t>(pair.v)] = true;
  }
  Indices channels;
  for (std::int64_t t = 0; t < spec.layout.head_dim; ++t) {
    if (!is_read[static_cast<std::size_t>(t)]) channels.push_back(t);
  }
  return channels;
}

// The problem without positions, q and k, which may be large.
Problem without_elements(const Problem& p) {
  Problem copy;
  copy.task = p.task;
  copy.dtype = p.dtype;
  copy.spec = p.spec;
  copy.batch = p.batch;
  copy.seq = p.seq;
  copy.q_heads = p.q_heads;
  copy.k_heads = p.k_heads;
  copy.storage = p.storage;
  copy.is_special = p.is_special;
  return copy;
}

// The elements of `count` heads of every token.
Bits heads_of(const Problem& p, const Bits& all, std::int64_t count,
              const Indices& heads) {
  Indices rows;
  for (std::int64_t token = 0; token < p.tokens(); ++token) {
    for (const std::int64_t head : heads) rows.push_back(token * count + head);
  }
  return pick_rows(all, rows, p.spec.layout.head_dim);
}

// The case of a part of its problem, whose golden has part(tensor, bits) of
// each tensor.
template <class Part>
Case with_parts(const Case& c, Problem problem, const Part& part) {
  Case picked{c.id, c.comment, c.targets, std::move(problem), {}, c.printed};
  picked.golden.precision_bits = c.golden.precision_bits;
  picked.golden.amplitude = c.golden.amplitude;
  for (const GoldenTensor& tensor : golden_tensors(c.problem)) {
    picked.golden.*tensor.bits = part(tensor, c.golden.*tensor.bits);
  }
  return picked;
}

}  // namespace

Indices all_of(std::int64_t count, std::int64_t but) {
  Indices all;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i != but) all.push_back(i);
  }
  return all;
}

Problem pick_tokens(const Problem& p, const Indices& tokens, std::int64_t batch,
                    std::int64_t seq) {
  const std::int64_t d = p.spec.layout.head_dim;
  Problem picked = without_elements(p);
  picked.batch = batch;
  picked.seq = seq;
  Indices on_all_axes;
  for (std::int64_t axis = 0; axis < p.spec.axes.count; ++axis) {
    for (const std::int64_t token : tokens) {
      on_all_axes.push_back(axis * p.tokens() + token);
    }
  }
  picked.positions = pick_rows(p.positions, on_all_axes, 1);
  picked.q = pick_rows(p.q, tokens, p.q_heads * d);
  picked.k = pick_rows(p.k, tokens, p.k_heads * d);
  return picked;
}

Case pick_tokens(const Case& c, const Indices& tokens, std::int64_t batch,
                 std::int64_t seq) {
  return with_parts(c, pick_tokens(c.problem, tokens, batch, seq),
                    [&](const GoldenTensor& tensor, const Bits& bits) {
                      return tensor.per_token == 0
                                 ? bits
                                 : pick_rows(bits, tokens,
                                             tensor.per_token * tensor.row);
                    });
}

Problem pick_heads(const Problem& p, const Indices& q_heads,
                   const Indices& k_heads) {
  Problem picked = without_elements(p);
  picked.positions = p.positions;
  picked.q_heads = std::ssize(q_heads);
  picked.k_heads = std::ssize(k_heads);
  picked.q = heads_of(p, p.q, p.q_heads, q_heads);
  picked.k = heads_of(p, p.k, p.k_heads, k_heads);
  return picked;
}

Case pick_heads(const Case& c, const Indices& q_heads, const Indices& k_heads) {
  const Problem& p = c.problem;
  return with_parts(c, pick_heads(p, q_heads, k_heads),
                    [&](const GoldenTensor& tensor, const Bits& bits) {
                      return tensor.hi == &Golden::q
                                 ? heads_of(p, bits, p.q_heads, q_heads)
                             : tensor.hi == &Golden::k
                                 ? heads_of(p, bits, p.k_heads, k_heads)
                                 : bits;
                    });
}

Problem first_heads(const Problem& p, std::int64_t q_heads,
                    std::int64_t k_heads) {
  return pick_heads(p, all_of(q_heads), all_of(k_heads));
}

Case first_heads(const Case& c, std::int64_t q_heads, std::int64_t k_heads) {
  return pick_heads(c, all_of(q_heads), all_of(k_heads));
}

Problem keys_as_queries(const Problem& p) {
  Problem cut = p;
  cut.q = p.k;
  cut.q_heads = p.k_heads;
  cut.k.clear();
  cut.k_heads = 0;
  return cut;
}

Problem cut_axes(const Problem& p, std::int64_t kept) {
  Problem cut = p;
  cut.spec.axes.count = 1;
  cut.spec.axes.axis_of_pair.clear();
  if (!p.spec.axes.weights.empty()) {
    cut.spec.axes.weights.clear();
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      cut.spec.axes.weights.push_back(weight(p.spec.axes, p.pairs(), kept, j));
    }
  }
  const auto begin =
      p.positions.begin() + static_cast<std::ptrdiff_t>(kept * p.tokens());
  cut.positions.assign(begin, begin + p.tokens());
  return cut;
}

Problem relaid(const Problem& p, const Indices& kept, const Layout& layout) {
  Problem cut = p;
  cut.spec.layout = layout;
  reference::Frequencies& f = cut.spec.frequencies;
  pick(f.inv_freq, kept);
  pick(f.exponents, kept);
  pick(f.bases, kept);
  pick(f.pair_factors, kept);
  const auto pick_list = [&](const char*, auto& value, const auto&) {
    if constexpr (requires { value.data(); }) pick(value, kept);
  };
  std::visit([&](auto& s) { plugin::for_each_field(s, pick_list); }, f.scaling);
  pick(cut.spec.axes.axis_of_pair, kept);
  if (!cut.spec.axes.weights.empty()) {
    Indices entries;
    for (std::int64_t axis = 0; axis < p.spec.axes.count; ++axis) {
      for (const std::int64_t j : kept) entries.push_back(axis * p.pairs() + j);
    }
    pick(cut.spec.axes.weights, entries);
  }

  // Where each new channel's element comes from; -1: there is none.
  Indices source(static_cast<std::size_t>(layout.head_dim), -1);
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const Pair from = source_pair(p.spec, kept[j]);
    const Pair to = source_pair(cut.spec, static_cast<std::int64_t>(j));
    source[static_cast<std::size_t>(to.u)] = from.u;
    source[static_cast<std::size_t>(to.v)] = from.v;
  }
  const Indices old_outside = outside(p.spec), new_outside = outside(cut.spec);
  for (std::size_t i = 0; i < std::min(old_outside.size(), new_outside.size());
       ++i) {
    source[static_cast<std::size_t>(new_outside[i])] = old_outside[i];
  }
  const auto move = [&](const Bits& x) {
    Bits moved;
    const auto width = static_cast<std::size_t>(p.spec.layout.head_dim);
    for (std::size_t row = 0; row < x.size(); row += width) {
      for (const std::int64_t t : source) {
        moved.push_back(t < 0 ? 0 : x[row + static_cast<std::size_t>(t)]);
      }
    }
    return moved;
  };
  cut.q = move(p.q);
  cut.k = move(p.k);
  return cut;
}

std::int64_t window_width(const Layout& layout) {
  return layout.pair_distance == 0
             ? layout.rotary_dim
             : layout.rotary_dim / 2 + layout.pair_distance;
}

Problem converted(const Problem& p, reference::Format dtype) {
  Problem cut = p;
  cut.dtype = dtype;
  for (Bits* x : {&cut.q, &cut.k}) {
    for (std::uint64_t& bits : *x) {
      bits = encode(dtype, decode(p.dtype, bits));
    }
  }
  return cut;
}

}  // namespace ropeproof::conformance::cases
