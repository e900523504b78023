#include "conformance/search/shrink.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

#include "conformance/cases/smaller.h"
#include "reference/spec.h"

namespace ropeproof::conformance::search {
namespace {

using cases::all_of;
using cases::Indices;
using cases::window_width;
using reference::Direction;
using reference::Format;
using reference::Layout;
using reference::Pairing;

bool is_valid(const cases::Problem& c) {
  try {
    reference::validate(c.spec);
    for (const double p : c.positions) {
      reference::validate_position(p);
      reference::validate_position(c.spec, p);
    }
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

class Shrinker {
 public:
  Shrinker(const cases::Problem& c, const StillFails& fails)
      : c_(c), fails_(fails) {}

  Shrunk run() {
    do {
      is_smaller_ = false;
      drop_tokens();
      drop_heads();
      drop_features();
      drop_pairs();
      drop_channels();
      shrink_positions();
      simplify_elements();
    } while (is_smaller_ && tries_ < kMaxTries);
    return {std::move(c_), tries_};
  }

 private:
  // Goes on with `candidate` if it fails too.
  bool take(cases::Problem candidate) {
    if (tries_ >= kMaxTries || !is_valid(candidate)) return false;
    ++tries_;
    if (!fails_(candidate)) return false;
    c_ = std::move(candidate);
    is_smaller_ = true;
    return true;
  }

  // Makes a change in place; nothing is tried if it changes nothing.
  template <class T, class Change>
  bool set(T cases::Problem::*member, const Change& change) {
    cases::Problem candidate = c_;
    change(candidate.*member);
    return take(std::move(candidate));
  }

  // Drops one after the other of what `count` counts, but for the last one.
  template <class Count, class Without>
  void drop_each(const Count& count, const Without& without) {
    for (std::int64_t i = 0;
         std::invoke(count, c_) > 1 && i < std::invoke(count, c_);) {
      if (!take(without(i))) ++i;
    }
  }

  // One token; else without a batch row, without a place of the sequence.
  void drop_tokens() {
    for (std::int64_t t = 0; c_.tokens() > 1 && t < c_.tokens(); ++t) {
      if (take(cases::pick_tokens(c_, {t}, 1, 1))) return;
    }
    const auto kept_if = [this](const auto& is_kept) {
      Indices kept = all_of(c_.tokens());
      std::erase_if(kept, std::not_fn(is_kept));
      return kept;
    };
    drop_each(&cases::Problem::batch, [&](std::int64_t b) {
      return cases::pick_tokens(
          c_, kept_if([&](auto t) { return t / c_.seq != b; }), c_.batch - 1,
          c_.seq);
    });
    drop_each(&cases::Problem::seq, [&](std::int64_t s) {
      return cases::pick_tokens(
          c_, kept_if([&](auto t) { return t % c_.seq != s; }), c_.batch,
          c_.seq - 1);
    });
  }

  void drop_heads() {
    if (c_.k_heads > 0) {
      if (!take(cases::pick_heads(c_, all_of(c_.q_heads), {}))) {
        take(cases::keys_as_queries(c_));
      }
    }
    drop_each(&cases::Problem::q_heads, [this](std::int64_t h) {
      return cases::pick_heads(c_, all_of(c_.q_heads, h), all_of(c_.k_heads));
    });
    drop_each(&cases::Problem::k_heads, [this](std::int64_t h) {
      return cases::pick_heads(c_, all_of(c_.q_heads), all_of(c_.k_heads, h));
    });
  }

  // One by one, what makes a specification more than the plain one.
  void drop_features() {
    if (c_.storage != cases::kDense) {
      set(&cases::Problem::storage,
          [](cases::Storage& s) { s = cases::kDense; });
    }
    for (std::int64_t a = 0; c_.spec.axes.count > 1 && a < c_.spec.axes.count;
         ++a) {
      take(cases::cut_axes(c_, a));
    }
    const auto drop = [this](bool is_there, const auto& change) {
      if (is_there) set(&cases::Problem::spec, change);
    };
    const reference::Spec& spec = c_.spec;
    using reference::Spec;
    drop(!spec.axes.weights.empty() && spec.axes.count == 1,
         [](Spec& s) { s.axes.weights.clear(); });
    drop(spec.direction != Direction::kForward,
         [](Spec& s) { s.direction = Direction::kForward; });
    drop(spec.frequencies.xpos.has_value(),
         [](Spec& s) { s.frequencies.xpos.reset(); });
    drop(spec.frequencies.amplitude != 1,
         [](Spec& s) { s.frequencies.amplitude = 1; });
    drop(spec.frequencies.scaling.index() != 0,
         [](Spec& s) { s.frequencies.scaling = reference::Default{}; });
    drop(!spec.frequencies.inv_freq.empty(),
         [](Spec& s) { s.frequencies.inv_freq.clear(); });
    drop(!spec.frequencies.exponents.empty(),
         [](Spec& s) { s.frequencies.exponents.clear(); });
    drop(!spec.frequencies.bases.empty(),
         [](Spec& s) { s.frequencies.bases.clear(); });
    drop(spec.frequencies.base != 10000,
         [](Spec& s) { s.frequencies.base = 10000; });
    lay_out_plainly();
    for (const Format dtype : {Format::kF32, Format::kBF16, Format::kF16}) {
      if (c_.dtype == dtype || take(cases::converted(c_, dtype))) break;
    }
  }

  // The two pairings that every kernel has one of, and no distance.
  void lay_out_plainly() {
    Layout layout = c_.spec.layout;
    const std::int64_t outside = layout.head_dim - window_width(layout);
    layout.blocks = 1;
    layout.pair_distance = 0;
    layout.head_dim = layout.rotary_dim + outside;
    layout.rotary_offset = std::min(layout.rotary_offset, outside);
    for (const Pairing pairing : {Pairing::kHalfSplit, Pairing::kInterleaved}) {
      const Layout& now = c_.spec.layout;
      if (now.pairing == pairing && now.pair_distance == 0) return;
      layout.pairing = pairing;
      if (take(cases::relaid(c_, all_of(c_.pairs()), layout))) return;
    }
  }

  // The pairs `kept`, and as many channels outside the window as there are.
  cases::Problem with_pairs(const Indices& kept) const {
    Layout layout = c_.spec.layout;
    const std::int64_t outside = layout.head_dim - window_width(layout);
    layout.rotary_dim = 2 * static_cast<std::int64_t>(kept.size());
    while (layout.rotary_dim / 2 % layout.blocks != 0) --layout.blocks;
    layout.head_dim = window_width(layout) + outside;
    return cases::relaid(c_, kept, layout);
  }

  // The fewest leading pairs, then the fewest trailing ones; then one at a
  // time.
  void drop_pairs() {
    for (const bool is_leading : {true, false}) {
      for (std::int64_t count = 1; count < c_.pairs(); ++count) {
        Indices kept = all_of(count);
        for (std::int64_t& j : kept) {
          if (!is_leading) j += c_.pairs() - count;
        }
        if (take(with_pairs(kept))) break;
      }
    }
    drop_each(&cases::Problem::pairs, [this](std::int64_t j) {
      return with_pairs(all_of(c_.pairs(), j));
    });
  }

  // Channels outside the window, its offset, and the pairs' distance.
  void drop_channels() {
    // The least of first, first + 1, ... now - 1 that will do.
    const auto lessen = [this](std::int64_t first, std::int64_t now,
                               const auto& set_to) {
      for (; first < now; ++first) {
        Layout layout = c_.spec.layout;
        set_to(layout, first);
        if (take(cases::relaid(c_, all_of(c_.pairs()), layout))) return;
      }
    };
    const Layout& now = c_.spec.layout;
    lessen(0, now.head_dim - window_width(now), [](Layout& layout, auto n) {
      layout.head_dim = window_width(layout) + n;
      layout.rotary_offset = std::min(layout.rotary_offset, n);
    });
    lessen(0, now.rotary_offset,
           [](Layout& layout, auto n) { layout.rotary_offset = n; });
    lessen(c_.pairs(), now.pair_distance, [](Layout& layout, auto n) {
      const std::int64_t outside = layout.head_dim - window_width(layout);
      layout.pair_distance = n;
      layout.head_dim = window_width(layout) + outside;
    });
  }

  bool set_position(std::size_t i, double p) {
    if (c_.positions[i] == p) return false;
    return set(&cases::Problem::positions,
               [&](std::vector<double>& all) { all[i] = p; });
  }

  // Whole, then not below zero, then as small as a bisection finds: the failure
  // is there at `high` and not at `low`.
  void shrink_positions() {
    for (std::size_t i = 0; i < c_.positions.size(); ++i) {
      set_position(i, std::trunc(c_.positions[i]));
      set_position(i, std::abs(c_.positions[i]));
      if (c_.positions[i] == 0 || set_position(i, 0)) continue;
      if (c_.positions[i] == 1 || set_position(i, 1)) continue;
      const double sign = c_.positions[i] < 0 ? -1 : 1;
      double low = 1, high = std::abs(c_.positions[i]);
      while (high - low > 1) {
        const double middle = std::floor(low + (high - low) / 2);
        (set_position(i, sign * middle) ? high : low) = middle;
      }
    }
  }

  // All but one element 0; else as many as can be. Those that stay are 1 if
  // that does.
  void simplify_elements() {
    const std::uint64_t one = encode(c_.dtype, 1);
    for (cases::Bits cases::Problem::*x :
         {&cases::Problem::q, &cases::Problem::k}) {
      for (std::size_t i = 0; i < (c_.*x).size(); ++i) {
        cases::Problem candidate = c_;
        std::fill(candidate.q.begin(), candidate.q.end(), 0);
        std::fill(candidate.k.begin(), candidate.k.end(), 0);
        (candidate.*x)[i] = one;
        const bool is_so_now = candidate.q == c_.q && candidate.k == c_.k;
        if (is_so_now || take(std::move(candidate))) return;
      }
    }
    for (cases::Bits cases::Problem::*x :
         {&cases::Problem::q, &cases::Problem::k}) {
      for (std::size_t i = 0; i < (c_.*x).size(); ++i) {
        for (const std::uint64_t bits : {std::uint64_t{0}, one}) {
          if ((c_.*x)[i] == bits) break;
          if (set(x, [&](cases::Bits& all) { all[i] = bits; })) break;
        }
      }
    }
  }

  cases::Problem c_;
  const StillFails& fails_;
  std::int64_t tries_ = 0;
  bool is_smaller_ = false;
};

}  // namespace

Shrunk shrink(const cases::Problem& c, const StillFails& fails) {
  return Shrinker(c, fails).run();
}

}  // namespace ropeproof::conformance::search
