// Which spots hold what belongs elsewhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "conformance/explain/spots.h"
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

// The numbers of an answer's problem, and which of its spots hold them.
class MoveCounter {
 public:
  using Found = MovedSpots::Found;

  explicit MoveCounter(const Answer& answer)
      : problem_(answer.asked->problem),
        is_table_given_(answer.operation != ROPEPROOF_ROPE) {
    const cases::Golden& golden = answer.asked->golden;
    for (const cases::Bits* bits : {&golden.cos, &golden.sin}) {
      for (const std::uint64_t x : *bits) entries_.add(cases::value_of(x));
    }
    entries_.sort();
    for (const bool is_key : {false, true}) {
      Places& in = inputs_[is_key ? 1 : 0];
      for (const std::uint64_t x : is_key ? problem_.k : problem_.q) {
        in.add(judge::fast_decode(problem_.dtype, x));
      }
      Places& out = results_[is_key ? 1 : 0];
      for (const std::uint64_t y : is_key ? golden.k : golden.q) {
        out.add(cases::value_of(y));
      }
      in.sort(), out.sort();
    }
  }

  void add(const Spot& s) {
    if (!s.is_finite || s.is_left || s.turn == 0.0) return;
    const bool is_far = std::abs(s.y - s.want) > 16 * s.bound;
    if (!is_far) {
      for (Found* one : {&reads, &writes, &reads_apart, &writes_apart}) {
        one->see_near();
      }
      return;
    }
    const double longer = std::max(1.0, std::abs(s.y) / std::abs(s.want));
    const double within = 2 * s.bound * (std::isfinite(longer) ? longer : 1);
    const double read_within = within / std::abs(s.turn);
    const Complex read = s.y / s.turn, turn = s.y / s.x;
    const Places& out = results_[s.is_key ? 1 : 0];
    // Numbers that have no reason: smaller ones are more often near others.
    const auto see = [](Found& found, const auto& is_found) {
      constexpr double kBeside = 1.375;
      found.see(is_found(1), is_found(kBeside) || is_found(1 / kBeside));
    };
    see(reads, [&](double by) { return are_read(s, read * by, read_within); });
    see(writes, [&](double by) { return out.have(s.y * by, s.to, within); });
    see(reads_apart, [&](double by) {
      return are_elsewhere(s.is_key, inputs_, {read, s.x, s.from}, by,
                           read_within);
    });
    see(writes_apart, [&](double by) {
      return are_elsewhere(s.is_key, results_, {s.y, s.want, s.to}, by, within);
    });
    // Another turn of the same length.
    lookups.see(is_entry(s, turn, within),
                is_entry(s, turn * std::polar(1.0, 0.375), within));
  }

  Found reads, writes, reads_apart, writes_apart, lookups;

 private:
  struct Numbers {
    Complex are, due;
    reference::Pair own;  // where they belong
  };

  // Whether an input stands at another place, or both numbers do at others of
  // the same row.
  bool are_read(const Spot& s, Complex z, double within) const {
    const Places& in = inputs_[s.is_key ? 1 : 0];
    const std::int64_t d = problem_.spec.layout.head_dim,
                       row = s.from.u / d * d;
    return in.have(z, s.from, within) || (in.have(z.real(), row, d, within) &&
                                          in.have(z.imag(), row, d, within));
  }
  // Whether each number that is not as it should be, times a factor, stands
  // elsewhere in q or in k.
  static bool are_elsewhere(bool is_key, const std::array<Places, 2>& places,
                            const Numbers& numbers, double factor,
                            double within) {
    const auto is_there = [&](double x, double right, std::int64_t i) {
      return std::abs(x - right) <= within ||
             places[is_key ? 1 : 0].have(factor * x, i, within) ||
             places[is_key ? 0 : 1].have(factor * x, -1, within);
    };
    const auto& [are, due, own] = numbers;
    return is_there(are.real(), due.real(), own.u) &&
           is_there(are.imag(), due.imag(), own.v);
  }
  // Whether a cosine and a sine stand elsewhere in a given table.
  bool is_entry(const Spot& s, Complex z, double within) const {
    const std::int64_t pairs = problem_.pairs(),
                       entry = s.token * pairs + s.pair,
                       size = problem_.tokens() * pairs;
    const double sense =
        problem_.spec.direction == reference::Direction::kAdjoint ? -1 : 1;
    return is_table_given_ &&
           entries_.have({z.real(), sense * z.imag()}, {entry, entry + size},
                         within / std::abs(s.x));
  }

  const cases::Problem& problem_;
  const bool is_table_given_;
  std::array<Places, 2> inputs_, results_;  // of q and of k
  Places entries_;                          // cosines, then sines
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
  if (answer.asked->problem.elements() > std::int64_t{1} << 17) return;
  MoveCounter seen(answer);
  for (const Spot& s : spots) seen.add(s);
  read_.add(seen.reads), written_.add(seen.writes);
  entries_.add(seen.lookups);
  read_apart_.add(seen.reads_apart), written_apart_.add(seen.writes_apart);
}

}  // namespace ropeproof::conformance::explain
