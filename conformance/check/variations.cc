#include "conformance/check/variations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "conformance/cases/families/family.h"
#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/former.h"
#include "conformance/check/variation_bases.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Problem;
using reference::Pairing;

// What a model decides: dtype, pairing, direction.
void add_kinds(Former& former) {
  const Problem& a = former.base();
  for (const auto& [dtype, word] : text::kFormatWords) {
    if (dtype == a.dtype) continue;
    former.add("dtype (" + std::string(word) + ")", false, {[=](Problem& c) {
                 for (cases::Bits* bits : {&c.q, &c.k}) {
                   for (std::uint64_t& x : *bits)
                     x = encode(dtype, decode(c.dtype, x));
                 }
                 c.dtype = dtype;
               }});
  }
  for (const auto& [pairing, word] : text::kPairingWords) {
    if (pairing == a.spec.layout.pairing) continue;
    former.add("pairing (" + std::string(word) + ")", false, {[=](Problem& c) {
                 c.spec.layout.pairing = pairing;
                 c.spec.layout.pair_distance = 0;
                 const bool is_nested = pairing == Pairing::kNestedHalfSplit;
                 c.spec.layout.blocks = is_nested && c.pairs() % 2 == 0 ? 2 : 1;
               }});
  }
  former.add("direction", false, {[](Problem& c) {
               c.spec.direction =
                   c.spec.direction == reference::Direction::kForward
                       ? reference::Direction::kAdjoint
                       : reference::Direction::kForward;
             }});
}

// Sizes, layout, memory.
void add_shapes(Former& former) {
  const Problem& a = former.base();
  std::vector<std::int64_t> all(static_cast<std::size_t>(a.tokens()));
  std::iota(all.begin(), all.end(), 0);
  if (a.batch > 1) {
    const std::vector<std::int64_t> row(all.begin(), all.begin() + a.seq);
    former.add("batch", false, {[=](Problem& c) {
                 c = pick_tokens(c, row, 1, c.seq);
                 c = cases::with_length(std::move(c));
               }});
  }
  if (a.seq > 1) {
    std::vector<std::int64_t> tokens;
    for (const std::int64_t t : all) {
      if (t % a.seq != 0) tokens.push_back(t);
    }
    former.add("seq", false, {[=](Problem& c) {
                 c = pick_tokens(c, tokens, c.batch, c.seq - 1);
                 c = cases::with_length(std::move(c));
               }});
  }
  if (a.batch != a.seq) {
    former.add("batch and seq", false,
               {[=](Problem& c) { c = pick_tokens(c, all, c.seq, c.batch); }});
  }
  if (a.q_heads > 1) {
    former.add("q.heads", false, {[](Problem& c) {
                 c = first_heads(c, c.q_heads - 1, c.k_heads);
               }});
  }
  if (a.k_heads > 0) {
    former.add("k.heads", false, {[](Problem& c) {
                 c = first_heads(c, c.q_heads, c.k_heads - 1);
               }});
    former.add("contents of k", false,
               {[](Problem& c) { std::ranges::reverse(c.k); }});
  }
  former.add("contents of q", false,
             {[](Problem& c) { std::ranges::reverse(c.q); }});
  former.add("strides", false,
             {[](Problem& c) { c.storage = cases::kStrided; }});
  former.add("in place", false,
             {[](Problem& c) { c.storage = cases::kInPlace; }});

  const std::int64_t step = 2 * a.spec.layout.blocks;
  const auto widen = [](std::int64_t by, std::int64_t rotary_by) {
    return [=](Problem& c) {
      resize_heads(c, c.spec.layout.head_dim + by);
      c.spec.layout.rotary_dim += rotary_by;
    };
  };
  const std::int64_t d = a.spec.layout.head_dim;
  // A head that rotates whole, where the kernel has no others.
  former.add("head_dim", false,
             {widen(2, 0), widen(d, 0), widen(step, step), widen(d, d),
              widen(-d / 2, -d / 2)});
  former.add("rotary_dim", true,
             {widen(0, -step), widen(0, step),
              widen(0, -a.spec.layout.rotary_dim / 2)});
  former.add_number(
      "rotary_offset", false, static_cast<double>(a.spec.layout.rotary_offset),
      [](Problem& c, double offset) {
        c.spec.layout.rotary_offset = static_cast<std::int64_t>(offset);
      });
  if (a.spec.layout.pairing == Pairing::kNestedHalfSplit) {
    former.add_number(
        "pairing_blocks", false, static_cast<double>(a.spec.layout.blocks),
        [](Problem& c, double blocks) {
          c.spec.layout.blocks = static_cast<std::int64_t>(blocks);
        });
  }
  if (a.spec.layout.pairing != Pairing::kHalfSplit) return;
  const std::int64_t distance = a.spec.layout.pair_distance == 0
                                    ? a.pairs()
                                    : a.spec.layout.pair_distance;
  former.add_number("pair_distance", false, static_cast<double>(distance),
                    [](Problem& c, double other) {
                      c.spec.layout.pair_distance =
                          static_cast<std::int64_t>(other);
                    });
}

// Each position by itself, on each axis.
void add_positions(Former& former) {
  const Problem& a = former.base();
  if (a.has_real_positions()) {
    former.add("positions that are integers", true, {[](Problem& c) {
                 for (double& p : c.positions) p = std::floor(p);
               }});
  }
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    const double p = a.positions[i];
    const std::string number =
        (a.has_real_positions() ? "real position " : "position ") +
        std::to_string(i + 1) + " of " + std::to_string(a.positions.size());
    const auto to = [i](double other) {
      return [=](Problem& c) {
        c.positions[i] = other;
        c = cases::with_length(std::move(c));
      };
    };
    former.add(number, true, {to(p == 0 ? 1 : p - 1), to(p + 1), to(p + 2)});
    if (i != a.positions.size() / 2) continue;
    former.add("the sign of a position", true, {to(-p)});
  }
}

void add_base(Former& former) {
  const reference::Frequencies& f = former.base().spec.frequencies;
  if (f.inv_freq.empty() && f.bases.empty()) {
    former.add_number("base", true, f.base, [](Problem& c, double other) {
      c.spec.frequencies.base = other;
    });
  }
  former.add_number(
      "amplitude", true, f.amplitude,
      [](Problem& c, double other) { c.spec.frequencies.amplitude = other; });
}

// Every parameter of a scaling of type S, as plugin/fields.h lists them.
template <class S>
void add_parameters(Former& former, const S& scaling) {
  const std::string word =
      plugin::scaling_word(former.base().spec.frequencies.scaling);
  S s = scaling;
  plugin::for_each_field(
      s, [&](const std::string& name, auto& value, const auto&) {
        const std::string field = word + " " + name;
        using Value = std::remove_reference_t<decltype(value)>;
        const auto edit = [&](const Value& other) -> Edit {
          const Value kept = value;
          value = other;
          const S edited = s;
          value = kept;
          return [edited](Problem& c) { c.spec.frequencies.scaling = edited; };
        };
        std::vector<Edit> edits;
        if constexpr (std::is_same_v<Value, bool>) {
          edits = {edit(!value)};
        } else if constexpr (requires { value.has_value(); }) {
          for (const double x : others(value.value_or(1)))
            edits.push_back(edit(x));
        } else if constexpr (requires { value.size(); }) {
          for (const std::size_t i : {value.size() / 2, std::size_t{0}}) {
            for (const double x : others(value[i])) {
              Value list = value;
              list[i] = x;
              edits.push_back(edit(list));
            }
          }
        } else {
          for (const double x : others(static_cast<double>(value))) {
            edits.push_back(edit(static_cast<Value>(x)));
          }
        }
        former.add(field, true, edits);
      });
}

// The same scaling at other lengths; the first three in this order.
template <class S>
void add_lengths(Former& former, const S& scaling) {
  if constexpr (requires { scaling.seq_len; }) {
    std::int64_t trained = 0;
    if constexpr (requires { scaling.max_position; }) {
      trained = scaling.max_position;
    } else {
      trained = scaling.original_length;
    }
    const auto to = [](std::int64_t length) -> Edit {
      return [=](Problem& c) {
        const double last = *std::ranges::max_element(c.positions);
        for (double& p : c.positions) {
          p = std::floor(p * static_cast<double>(length - 1) / last);
        }
        c = cases::with_length(std::move(c));
      };
    };
    const std::string word =
        plugin::scaling_word(former.base().spec.frequencies.scaling);
    former.add("length (" + word + ", twice the trained one)", true,
               {to(2 * trained)});
    former.add("length (" + word + ", the trained one)", true, {to(trained)});
    former.add("length (" + word + ", half the trained one)", true,
               {to(trained / 2)});
    former.add("length (" + word + ", the trained one and 1)", true,
               {to(trained + 1)});
  }
}

void add_scaling(Former& former) {
  std::visit(
      [&](const auto& scaling) {
        add_lengths(former, scaling);
        add_parameters(former, scaling);
      },
      former.base().spec.frequencies.scaling);
}

// One entry in the middle of a list.
template <class List, class Get>
void add_entry(Former& former, const std::string& name, const List& list,
               const Get& get) {
  if (list.empty()) return;
  const std::size_t i = list.size() / 2;
  const auto value = [ i, get ](auto& c) -> auto& { return get(c)[i]; };
  std::vector<Edit> edits;
  if constexpr (requires { list[i].numerator; }) {
    for (const std::int64_t by : {1, 2, -2}) {
      edits.push_back([=](Problem& c) { value(c).numerator += by; });
    }
  } else {
    for (const double x : others(static_cast<double>(list[i]))) {
      edits.push_back([=](Problem& c) {
        value(c) = static_cast<typename List::value_type>(x);
      });
    }
  }
  former.add("entry " + std::to_string(i + 1) + " of " + name, true, edits);
}

void add_lists(Former& former) {
  const reference::Spec& spec = former.base().spec;
  const auto& f = spec.frequencies;
  add_entry(
      former, "inv_freq", f.inv_freq,
      [](auto& c) -> auto& { return c.spec.frequencies.inv_freq; });
  add_entry(
      former, "pair_bases", f.bases,
      [](auto& c) -> auto& { return c.spec.frequencies.bases; });
  add_entry(
      former, "exponents", f.exponents,
      [](auto& c) -> auto& { return c.spec.frequencies.exponents; });
  add_entry(
      former, "axis_weights", spec.axes.weights,
      [](auto& c) -> auto& { return c.spec.axes.weights; });
  if (f.xpos) {
    former.add_number(
        "xPos scale_base", true, f.xpos->scale_base,
        [](Problem& c, double x) { c.spec.frequencies.xpos->scale_base = x; });
    former.add_number(
        "xPos centre", true, f.xpos->centre,
        [last = former.base().positions.back()](Problem& c, double x) {
          c.spec.frequencies.xpos->centre = x * last;
        });
    former.add("xPos of keys", true, {[](Problem& c) {
                 bool& is_key = c.spec.frequencies.xpos->is_key;
                 is_key = !is_key;
               }});
  }
}

// The axis of one pair: each pair, since a kind of map may bind the others.
void add_axes(Former& former) {
  const reference::Axes& axes = former.base().spec.axes;
  std::vector<Edit> edits;
  for (std::size_t j = axes.axis_of_pair.size(); j-- > 0;) {
    for (std::int64_t axis = 0; axis < axes.count; ++axis) {
      if (axis == axes.axis_of_pair[j]) continue;
      edits.push_back([=](Problem& c) { c.spec.axes.axis_of_pair[j] = axis; });
    }
  }
  former.add("the axis of one pair", true, edits);
}

void add_all(Former& former, bool is_profile) {
  if (!is_profile) add_kinds(former);
  add_shapes(former);
  add_base(former);
  add_lists(former);
  add_axes(former);
  add_scaling(former);
  add_positions(former);
}

}  // namespace

std::vector<Variation> variations_of(plugin::Kernel& kernel,
                                     std::uint32_t operation,
                                     const cases::Case& like, bool is_profile) {
  std::vector<Variation> variations;
  std::set<std::string> known;
  for (const Problem& base :
       variation_bases(kernel, operation, like.problem, is_profile)) {
    Former former(kernel, operation, like.id, known);
    if (!former.begin(base)) continue;
    add_all(former, is_profile);
    Variation variation = former.take();
    if (!variation.changes.empty()) variations.push_back(std::move(variation));
  }
  return variations;
}

std::vector<Variation> offered_of(plugin::Kernel& kernel,
                                  std::uint32_t operation,
                                  std::span<const Variation> variations) {
  if (!forms_angles(operation) && !variations.empty()) {
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
