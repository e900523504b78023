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

bool MovedSpots::Found::is_most_of(std::int64_t all) const {
  constexpr std::int64_t kFewest = 4;
  return count >= kFewest && 4 * count >= all && 4 * by_chance <= count;
}

void MovedSpots::add(const Answer& answer, const std::vector<Spot>& spots) {
  const cases::Problem& p = answer.asked->problem;
  if (p.elements() > std::int64_t{1} << 17) return;
  std::array<Places, 2> inputs, results;
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
  for (const Spot& s : spots) {
    const bool is_far = std::abs(s.y - s.want) > 16 * s.bound;
    if (!s.is_finite || s.is_left || !is_far || s.turn == 0.0) continue;
    const Complex read = s.y / s.turn;
    const double longer = std::max(1.0, std::abs(s.y) / std::abs(s.want));
    const double within = 2 * s.bound * (std::isfinite(longer) ? longer : 1);
    const double beside = 1.375;  // a number that has no reason
    const Places& in = inputs[s.is_key ? 1 : 0];
    const Places& out = results[s.is_key ? 1 : 0];
    const double read_within = within / std::abs(s.turn);
    ++far_;
    read_.count += in.have(read, s.from, read_within) ? 1 : 0;
    read_.by_chance += in.have(read * beside, s.from, read_within) ? 1 : 0;
    written_.count += out.have(s.y, s.to, within) ? 1 : 0;
    written_.by_chance += out.have(s.y * beside, s.to, within) ? 1 : 0;
  }
}

}  // namespace ropeproof::conformance::explain
