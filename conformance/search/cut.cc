#include "conformance/search/cut.h"

#include <algorithm>
#include <variant>

#include "reference/rope.h"

namespace ropeproof::conformance::search {
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

}  // namespace

Indices all_of(std::int64_t count, std::int64_t but) {
  Indices all;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i != but) all.push_back(i);
  }
  return all;
}

cases::RopeCase keys_as_queries(const cases::RopeCase& c) {
  cases::RopeCase cut = c;
  cut.q = c.k;
  cut.q_heads = c.k_heads;
  cut.k.clear();
  cut.k_heads = 0;
  return cut;
}

cases::RopeCase cut_axes(const cases::RopeCase& c, std::int64_t kept) {
  cases::RopeCase cut = c;
  cut.spec.axes.count = 1;
  cut.spec.axes.axis_of_pair.clear();
  if (!c.spec.axes.weights.empty()) {
    cut.spec.axes.weights.clear();
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      cut.spec.axes.weights.push_back(weight(c.spec.axes, c.pairs(), kept, j));
    }
  }
  const auto begin =
      c.positions.begin() + static_cast<std::ptrdiff_t>(kept * c.tokens());
  cut.positions.assign(begin, begin + c.tokens());
  return cut;
}

cases::RopeCase relaid(const cases::RopeCase& c, const Indices& kept,
                       const Layout& layout) {
  cases::RopeCase cut = c;
  cut.spec.layout = layout;
  reference::Frequencies& f = cut.spec.frequencies;
  pick(f.inv_freq, kept);
  pick(f.exponents, kept);
  pick(f.bases, kept);
  if (auto* s = std::get_if<reference::LongRope>(&f.scaling)) {
    pick(s->short_factor, kept);
    pick(s->long_factor, kept);
  }
  if (auto* s = std::get_if<reference::FrequencyFactors>(&f.scaling)) {
    pick(s->factors, kept);
  }
  pick(cut.spec.axes.axis_of_pair, kept);
  if (!cut.spec.axes.weights.empty()) {
    Indices entries;
    for (std::int64_t axis = 0; axis < c.spec.axes.count; ++axis) {
      for (const std::int64_t j : kept) entries.push_back(axis * c.pairs() + j);
    }
    pick(cut.spec.axes.weights, entries);
  }

  // Where each new channel's element comes from; -1: there is none.
  Indices source(static_cast<std::size_t>(layout.head_dim), -1);
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const Pair from = source_pair(c.spec, kept[j]);
    const Pair to = source_pair(cut.spec, static_cast<std::int64_t>(j));
    source[static_cast<std::size_t>(to.u)] = from.u;
    source[static_cast<std::size_t>(to.v)] = from.v;
  }
  const Indices old_outside = outside(c.spec), new_outside = outside(cut.spec);
  for (std::size_t i = 0; i < std::min(old_outside.size(), new_outside.size());
       ++i) {
    source[static_cast<std::size_t>(new_outside[i])] = old_outside[i];
  }
  const auto move = [&](const cases::Bits& x) {
    cases::Bits moved;
    const auto width = static_cast<std::size_t>(c.spec.layout.head_dim);
    for (std::size_t row = 0; row < x.size(); row += width) {
      for (const std::int64_t t : source) {
        moved.push_back(t < 0 ? 0 : x[row + static_cast<std::size_t>(t)]);
      }
    }
    return moved;
  };
  cut.q = move(c.q);
  cut.k = move(c.k);
  return cut;
}

std::int64_t window_width(const Layout& layout) {
  return layout.pair_distance == 0
             ? layout.rotary_dim
             : layout.rotary_dim / 2 + layout.pair_distance;
}

cases::RopeCase converted(const cases::RopeCase& c, reference::Format dtype) {
  cases::RopeCase cut = c;
  cut.dtype = dtype;
  for (cases::Bits* x : {&cut.q, &cut.k}) {
    for (std::uint64_t& bits : *x) {
      bits = encode(dtype, decode(c.dtype, bits));
    }
  }
  return cut;
}

}  // namespace ropeproof::conformance::search
