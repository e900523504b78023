#include "conformance/check/variations.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "conformance/cases/families/family.h"
#include "conformance/cases/smaller.h"
#include "conformance/check/change_finder.h"
#include "conformance/check/variation_bases.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Problem;
using reference::Frequencies, reference::Layout, reference::Pairing;

// Other values of a field, the likeliest to be taken first; of a list those
// with another entry in the middle, or at the beginning.
std::vector<double> others(double x) {
  if (x == 0) return {1, 0.5};
  return {x * 2, x / 2, x * 1.5, x * 0.75, x * 4, x + 1, x * 64};
}

std::vector<std::int64_t> others(std::int64_t n) {
  const std::vector<double> all = others(static_cast<double>(n));
  return {all.begin(), all.end()};
}

std::vector<bool> others(bool is) { return {!is}; }

std::vector<reference::Exponent> others(const reference::Exponent& e) {
  return {{e.numerator + 1, e.denominator},
          {e.numerator + 2, e.denominator},
          {e.numerator - 2, e.denominator}};
}

std::vector<std::optional<double>> others(const std::optional<double>& x) {
  const std::vector<double> all = others(x.value_or(1));
  return {all.begin(), all.end()};
}

std::vector<std::vector<double>> others(const std::vector<double>& list) {
  std::vector<std::vector<double>> all;
  for (const std::size_t i : {list.size() / 2, std::size_t{0}}) {
    for (const double x : others(list[i])) {
      all.push_back(list);
      all.back()[i] = x;
    }
  }
  return all;
}

// Adds another value of the field that `get` finds in a problem.
template <class Get>
void add_value(ChangeFinder& finder, const std::string& field, ChangeOf of,
               const Get& get) {
  std::vector<Edit> edits;
  for (const auto& other : others(get(finder.base()))) {
    edits.push_back([=](Problem& p) { get(p) = other; });
  }
  finder.add(field, of, edits);
}

template <class Value>
auto of_layout(Value Layout::*field) {
  return [=](auto& p) -> auto& { return p.spec.layout.*field; };
}
template <class Value>
auto of_xpos(Value reference::XPos::*field) {
  return [=](auto& p) -> auto& { return (*p.spec.frequencies.xpos).*field; };
}
template <class Value>
auto of_frequencies(Value Frequencies::*field) {
  return [=](auto& p) -> auto& { return p.spec.frequencies.*field; };
}

// What a model decides: dtype, pairing, direction.
void add_kinds(ChangeFinder& finder) {
  const Problem& a = finder.base();
  for (const auto& [dtype, word] : text::kFormatWords) {
    if (dtype == a.dtype) continue;
    finder.add("dtype (" + std::string(word) + ")", ChangeOf::kOther,
               {[=](Problem& p) { p = cases::converted(p, dtype); }});
  }
  for (const auto& [pairing, word] : text::kPairingWords) {
    if (pairing == a.spec.layout.pairing) continue;
    finder.add("pairing (" + std::string(word) + ")", ChangeOf::kOther,
               {[=](Problem& p) {
                 p.spec.layout.pairing = pairing;
                 p.spec.layout.pair_distance = 0;
                 const bool is_nested = pairing == Pairing::kNestedHalfSplit;
                 p.spec.layout.blocks = is_nested && p.pairs() % 2 == 0 ? 2 : 1;
               }});
  }
  finder.add("direction", ChangeOf::kOther, {[](Problem& p) {
               p.spec.direction =
                   p.spec.direction == reference::Direction::kForward
                       ? reference::Direction::kAdjoint
                       : reference::Direction::kForward;
             }});
}

void add_shapes(ChangeFinder& finder) {
  const Problem& a = finder.base();
  const cases::Indices all = cases::all_of(a.tokens());
  if (a.batch > 1) {
    finder.add("batch", ChangeOf::kOther, {[](Problem& p) {
                 p = cases::with_length(
                     pick_tokens(p, cases::all_of(p.seq), 1, p.seq));
               }});
  }
  if (a.seq > 1) {
    cases::Indices tokens = all;
    std::erase_if(tokens, [&](std::int64_t t) { return t % a.seq == 0; });
    finder.add(
        "seq", ChangeOf::kOther, {[=](Problem& p) {
          p = cases::with_length(pick_tokens(p, tokens, p.batch, p.seq - 1));
        }});
  }
  if (a.batch != a.seq) {
    finder.add("batch and seq", ChangeOf::kOther,
               {[=](Problem& p) { p = pick_tokens(p, all, p.seq, p.batch); }});
  }
  if (a.q_heads > 1) {
    finder.add("q.heads", ChangeOf::kOther, {[](Problem& p) {
                 p = first_heads(p, p.q_heads - 1, p.k_heads);
               }});
  }
  if (a.k_heads > 0) {
    finder.add("k.heads", ChangeOf::kOther, {[](Problem& p) {
                 p = first_heads(p, p.q_heads, p.k_heads - 1);
               }});
    finder.add("contents of k", ChangeOf::kOther,
               {[](Problem& p) { std::ranges::reverse(p.k); }});
  }
  finder.add("contents of q", ChangeOf::kOther,
             {[](Problem& p) { std::ranges::reverse(p.q); }});
  finder.add("strides", ChangeOf::kOther,
             {[](Problem& p) { p.storage = cases::kStrided; }});
  finder.add("in place", ChangeOf::kOther,
             {[](Problem& p) { p.storage = cases::kInPlace; }});
}

// Head, window and pairs.
void add_layouts(ChangeFinder& finder) {
  const Problem& a = finder.base();
  const Layout& l = a.spec.layout;
  const std::int64_t step = 2 * l.blocks;
  const auto widen = [](std::int64_t by, std::int64_t rotary_by) {
    return [=](Problem& p) {
      resize_heads(p, p.spec.layout.head_dim + by);
      p.spec.layout.rotary_dim += rotary_by;
    };
  };
  const std::int64_t d = l.head_dim;
  // A head that rotates whole, where the kernel has no others.
  finder.add("head_dim", ChangeOf::kOther,
             {widen(2, 0), widen(d, 0), widen(step, step), widen(d, d),
              widen(-d / 2, -d / 2)});
  finder.add("rotary_dim", ChangeOf::kAngles,
             {widen(0, -step), widen(0, step), widen(0, -l.rotary_dim / 2)});
  add_value(finder, "rotary_offset", ChangeOf::kOther,
            of_layout(&Layout::rotary_offset));
  if (l.pairing == Pairing::kNestedHalfSplit) {
    add_value(finder, "pairing_blocks", ChangeOf::kOther,
              of_layout(&Layout::blocks));
  }
  if (l.pairing != Pairing::kHalfSplit) return;
  std::vector<Edit> distances;
  for (const std::int64_t x :
       others(l.pair_distance == 0 ? a.pairs() : l.pair_distance)) {
    distances.push_back([=](Problem& p) { p.spec.layout.pair_distance = x; });
  }
  finder.add("pair_distance", ChangeOf::kOther, distances);
}

// Each position by itself, on each axis.
void add_positions(ChangeFinder& finder) {
  const Problem& a = finder.base();
  if (a.has_real_positions()) {
    finder.add("positions that are integers", ChangeOf::kAngles,
               {[](Problem& problem) {
                 for (double& p : problem.positions) p = std::floor(p);
               }});
  }
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    const double p = a.positions[i];
    const std::string number =
        (a.has_real_positions() ? "real position " : "position ") +
        std::to_string(i + 1) + " of " + std::to_string(a.positions.size());
    const auto to = [i](double other) {
      return [=](Problem& problem) {
        problem.positions[i] = other;
        problem = cases::with_length(std::move(problem));
      };
    };
    finder.add(number, ChangeOf::kAngles,
               {to(p == 0 ? 1 : p - 1), to(p + 1), to(p + 2)});
    if (i != a.positions.size() / 2) continue;
    finder.add("the sign of a position", ChangeOf::kAngles, {to(-p)});
  }
}

void add_base(ChangeFinder& finder, bool is_listed) {
  const Frequencies& f = finder.base().spec.frequencies;
  if (!is_listed && f.inv_freq.empty() && f.bases.empty()) {
    add_value(finder, "base", ChangeOf::kAngles,
              of_frequencies(&Frequencies::base));
  }
  add_value(finder, "amplitude", ChangeOf::kAngles,
            of_frequencies(&Frequencies::amplitude));
}

// Every parameter of a scaling of type S, as plugin/scalings.h lists them.
template <class S>
void add_parameters(ChangeFinder& finder, const S& scaling) {
  const std::string word =
      plugin::scaling_word(finder.base().spec.frequencies.scaling);
  S s = scaling;
  plugin::for_each_field(
      s, [&](const std::string& name, auto& value, const auto&) {
        const auto kept = value;
        std::vector<Edit> edits;
        for (const auto& other : others(kept)) {
          value = other;
          edits.push_back([edited = s](Problem& p) {
            p.spec.frequencies.scaling = edited;
          });
        }
        value = kept;
        finder.add(word + " " + name, ChangeOf::kAngles, edits);
      });
}

// Changes the length of a scaling; the first three in this order.
template <class S>
void add_lengths(ChangeFinder& finder, const S& scaling) {
  if constexpr (requires { scaling.seq_len; }) {
    std::int64_t trained = 0;
    if constexpr (requires { scaling.max_position; }) {
      trained = scaling.max_position;
    } else {
      trained = scaling.original_length;
    }
    const std::string word =
        plugin::scaling_word(finder.base().spec.frequencies.scaling);
    const std::pair<const char*, std::int64_t> lengths[] = {
        {"twice the trained one", 2 * trained},
        {"the trained one", trained},
        {"half the trained one", trained / 2},
        {"the trained one and 1", trained + 1}};
    for (const auto& [name, n] : lengths) {
      const auto last_position = static_cast<double>(n - 1);
      finder.add("length (" + word + ", " + name + ")", ChangeOf::kLength,
                 {[=](Problem& problem) {
                   const double last = std::ranges::max(problem.positions);
                   for (double& p : problem.positions) {
                     p = std::floor(p * last_position / last);
                   }
                   problem = cases::with_length(std::move(problem));
                 }});
    }
  }
}

void add_scaling(ChangeFinder& finder) {
  std::visit(
      [&](const auto& scaling) {
        add_lengths(finder, scaling);
        add_parameters(finder, scaling);
      },
      finder.base().spec.frequencies.scaling);
}

// One entry in the middle of a list.
template <class Get>
void add_entry(ChangeFinder& finder, const std::string& name, const Get& get) {
  const auto& list = get(finder.base());
  if (list.empty()) return;
  const std::size_t i = list.size() / 2;
  add_value(
      finder, "entry " + std::to_string(i + 1) + " of " + name,
      ChangeOf::kAngles, [=](auto& p) -> auto& { return get(p)[i]; });
}

void add_lists(ChangeFinder& finder) {
  add_entry(finder, "inv_freq", of_frequencies(&Frequencies::inv_freq));
  add_entry(finder, "pair_bases", of_frequencies(&Frequencies::bases));
  add_entry(finder, "exponents", of_frequencies(&Frequencies::exponents));
  add_entry(
      finder, "axis_weights",
      [](auto& p) -> auto& { return p.spec.axes.weights; });
}

void add_xpos(ChangeFinder& finder) {
  const auto& xpos = finder.base().spec.frequencies.xpos;
  if (!xpos) return;
  add_value(finder, "xPos scale_base", ChangeOf::kAngles,
            of_xpos(&reference::XPos::scale_base));
  std::vector<Edit> centres;
  for (const double x : others(xpos->centre)) {
    centres.push_back([=](Problem& p) {
      p.spec.frequencies.xpos->centre = x * p.positions.back();
    });
  }
  finder.add("xPos centre", ChangeOf::kAngles, centres);
  add_value(finder, "xPos of keys", ChangeOf::kAngles,
            of_xpos(&reference::XPos::is_key));
}

// The axis of one pair: each pair, since a kind of map may bind the others.
void add_axes(ChangeFinder& finder) {
  const reference::Axes& axes = finder.base().spec.axes;
  std::vector<Edit> edits;
  for (std::size_t j = axes.axis_of_pair.size(); j-- > 0;) {
    for (std::int64_t axis = 0; axis < axes.count; ++axis) {
      if (axis == axes.axis_of_pair[j]) continue;
      edits.push_back([=](Problem& p) { p.spec.axes.axis_of_pair[j] = axis; });
    }
  }
  finder.add("the axis of one pair", ChangeOf::kAngles, edits);
}

// A model's axes, and its frequencies where lists say them, stay: a kernel that
// holds them sees no list before a call, and cannot decline.
void add_all(ChangeFinder& finder, bool is_profile) {
  const bool is_listed =
      is_profile && !plugin::follows_base(finder.base().spec.frequencies);
  if (!is_profile) add_kinds(finder);
  add_shapes(finder);
  add_layouts(finder);
  add_base(finder, is_listed);
  if (!is_listed) add_lists(finder);
  add_xpos(finder);
  if (!is_profile) add_axes(finder);
  if (!is_listed) add_scaling(finder);
  add_positions(finder);
}

}  // namespace

std::vector<Variation> variations_of(plugin::Kernel& kernel,
                                     std::uint32_t operation,
                                     const cases::Case& like, bool is_profile) {
  std::vector<Variation> variations;
  std::set<std::string> known;
  for (const Problem& base :
       variation_bases(kernel, operation, like.problem, is_profile)) {
    ChangeFinder finder(kernel, operation, like.id, known);
    if (!finder.begin(base)) continue;
    add_all(finder, is_profile);
    Variation variation = finder.take();
    if (!variation.changes.empty()) variations.push_back(std::move(variation));
  }
  return variations;
}

std::vector<Variation> offered_of(plugin::Kernel& kernel,
                                  std::uint32_t operation,
                                  std::span<const Variation> variations) {
  if ((operation & plugin::kAngles) == 0 && !variations.empty()) {
    variations = variations.first(1);
  }
  std::vector<Variation> offered;
  for (const Variation& variation : variations) {
    if (!takes(kernel, operation, variation.base)) continue;
    Variation taken{variation.base, {}};
    for (const Change& change : variation.changes) {
      if (takes(kernel, operation, change.c)) taken.changes.push_back(change);
    }
    if (!taken.changes.empty()) offered.push_back(std::move(taken));
  }
  return offered;
}

}  // namespace ropeproof::conformance::check
