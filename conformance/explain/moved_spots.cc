#include "conformance/explain/moved_spots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "conformance/judge/codec.h"

namespace ropeproof::conformance::explain {
namespace {

// The numbers of a tensor, and where they stand.
class Places {
 public:
  void add(double value) { values_.push_back(value); }
  void sort() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] != 0 && std::isfinite(values_[i])) {
        sorted_.emplace_back(values_[i], static_cast<std::int64_t>(i));
      }
    }
    std::ranges::sort(sorted_);
  }
  // Whether the number stands among `count` from the first.
  bool have(double x, std::int64_t first, std::int64_t count,
            double within) const {
    for (std::int64_t i = first; i < first + count; ++i) {
      if (std::abs(reference::at(values_, i) - x) <= within) return true;
    }
    return false;
  }
  // Whether the number stands somewhere but at `own`.
  bool have(double x, std::int64_t own, double within) const {
    if (x == 0) return false;
    auto i = std::ranges::lower_bound(sorted_,
                                      std::pair(x - within, std::int64_t{-1}));
    if (i != sorted_.end() && i->second == own) ++i;
    return i != sorted_.end() && i->first <= x + within;
  }
  // Whether the two numbers of a pair stand as far from each other somewhere
  // else.
  bool have(Complex z, const reference::Pair& own, double within) const {
    if (z.real() == 0 || z.imag() == 0) return false;
    constexpr int kMostTries = 64;
    auto i = std::ranges::lower_bound(
        sorted_, std::pair(z.real() - within, std::int64_t{-1}));
    for (int tries = 0; i != sorted_.end() && tries < kMostTries;
         ++i, ++tries) {
      if (i->first > z.real() + within) return false;
      const std::int64_t v = i->second + own.v - own.u;
      if (i->second == own.u || v < 0 || v >= std::ssize(values_)) continue;
      if (std::abs(reference::at(values_, v) - z.imag()) <= within) return true;
    }
    return false;
  }

 private:
  std::vector<double> values_;
  std::vector<std::pair<double, std::int64_t>> sorted_;
};

}  // namespace

void MovedSpots::Found::see(bool is_found, bool is_by_chance) {
  ++all;
  count += is_found ? 1 : 0;
  by_chance += is_by_chance ? 1 : 0;
}

void MovedSpots::Found::add(const Found& of_answer) {
  if (8 * of_answer.by_chance > of_answer.all) return;
  near += of_answer.near;
  all += of_answer.all;
  count += of_answer.count;
  by_chance += of_answer.by_chance;
}

bool MovedSpots::Found::is_most() const {
  constexpr std::int64_t kFewest = 4, kRare = 32;
  return count >= kFewest && 4 * count >= all && kRare * count >= near &&
         4 * by_chance <= count;
}

void MovedSpots::add(const Answer& answer, const std::vector<Spot>& spots) {
  const cases::Problem& p = answer.asked->problem;
  if (p.elements() > std::int64_t{1} << 17) return;
  std::array<Places, 2> inputs, results;
  Places entries;  // cosines, then sines
  const bool is_given = answer.operation != ROPEPROOF_ROPE;
  for (const cases::Bits* bits :
       {&answer.asked->golden.cos, &answer.asked->golden.sin}) {
    for (const std::uint64_t x : *bits) entries.add(cases::value_of(x));
  }
  entries.sort();
  const std::int64_t size = p.tokens() * p.pairs(), d = p.spec.layout.head_dim;
  const double sense =
      p.spec.direction == reference::Direction::kAdjoint ? -1 : 1;
  for (const bool is_key : {false, true}) {
    const cases::Golden& golden = answer.asked->golden;
    Places& in = inputs[is_key ? 1 : 0];
    for (const std::uint64_t x : is_key ? p.k : p.q) {
      in.add(judge::fast_decode(p.dtype, x));
    }
    Places& out = results[is_key ? 1 : 0];
    for (const std::uint64_t y : is_key ? golden.k : golden.q) {
      out.add(cases::value_of(y));
    }
    in.sort(), out.sort();
  }
  Found reads, writes, reads_apart, writes_apart, lookups;
  for (const Spot& s : spots) {
    const bool is_far = std::abs(s.y - s.want) > 16 * s.bound;
    if (!s.is_finite || s.is_left || s.turn == 0.0) continue;
    if (!is_far) {
      for (Found* one : {&reads, &writes, &reads_apart, &writes_apart}) {
        one->see_near();
      }
      continue;
    }
    const Complex read = s.y / s.turn;
    const double longer = std::max(1.0, std::abs(s.y) / std::abs(s.want));
    const double within = 2 * s.bound * (std::isfinite(longer) ? longer : 1);
    // Numbers that have no reason: smaller ones are more often near others.
    const auto by_chance = [](const auto& is_found) {
      constexpr double kBeside = 1.375;
      return is_found(kBeside) || is_found(1 / kBeside);
    };
    const Places& in = inputs[s.is_key ? 1 : 0];
    const Places& out = results[s.is_key ? 1 : 0];
    const double read_within = within / std::abs(s.turn);
    // At another place, or at others of the same row.
    const auto are_read = [&](Complex z) {
      const std::int64_t row = s.from.u / d * d;
      return in.have(z, s.from, read_within) ||
             (in.have(z.real(), row, d, read_within) &&
              in.have(z.imag(), row, d, read_within));
    };
    // Each number that is not as it should be, in q or in k.
    const auto are_elsewhere = [&](const std::array<Places, 2>& places,
                                   Complex is, Complex due, double factor,
                                   const reference::Pair& own, double near) {
      const auto is_there = [&](double x, double right, std::int64_t i) {
        return std::abs(x - right) <= near ||
               places[s.is_key ? 1 : 0].have(factor * x, i, near) ||
               places[s.is_key ? 0 : 1].have(factor * x, -1, near);
      };
      return is_there(is.real(), due.real(), own.u) &&
             is_there(is.imag(), due.imag(), own.v);
    };
    const Complex turn = s.y / s.x;
    const std::int64_t entry = s.token * p.pairs() + s.pair;
    const auto is_entry = [&](Complex z) {
      return is_given &&
             entries.have({z.real(), sense * z.imag()}, {entry, entry + size},
                          within / std::abs(s.x));
    };
    reads.see(are_read(read),
              by_chance([&](double by) { return are_read(read * by); }));
    writes.see(out.have(s.y, s.to, within), by_chance([&](double by) {
                 return out.have(s.y * by, s.to, within);
               }));
    const auto see = [&](Found& found, const auto& places, Complex is,
                         Complex due, const reference::Pair& own, double near) {
      found.see(are_elsewhere(places, is, due, 1, own, near),
                by_chance([&](double by) {
                  return are_elsewhere(places, is, due, by, own, near);
                }));
    };
    see(reads_apart, inputs, read, s.x, s.from, read_within);
    see(writes_apart, results, s.y, s.want, s.to, within);
    // Another turn of the same length.
    lookups.see(is_entry(turn), is_entry(turn * std::polar(1.0, 0.375)));
  }
  read_.add(reads), written_.add(writes), entries_.add(lookups);
  read_apart_.add(reads_apart), written_apart_.add(writes_apart);
}

}  // namespace ropeproof::conformance::explain
