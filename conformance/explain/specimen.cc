#include "conformance/explain/specimen.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "conformance/explain/measured.h"
#include "conformance/explain/rotations.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::int64_t kMostDrawnPairs = 128, kMostDrawn = 1 << 15;
// Beyond this an f32 angle may be off by more than can be told from a bug.
constexpr double kMostPosition = 4096;
// Of one head alone any output is some rotation: it must keep lengths.
constexpr double kLengthKept = 0x1p-6;

bool may_be_drawn(const cases::Problem& p, std::uint32_t operation) {
  return (operation == ROPEPROOF_ROPE || operation == ROPEPROOF_TABLE) &&
         !p.is_special && p.spec.axes.count == 1 &&
         p.spec.axes.weights.empty() &&
         p.spec.direction == reference::Direction::kForward && p.pairs() >= 2 &&
         p.pairs() <= kMostDrawnPairs && p.elements() <= kMostDrawn;
}

// The rotations of the token to draw: of those with most pairs, the one with
// the largest position.
std::vector<Rotation> best_token(const std::vector<Rotation>& all,
                                 bool must_keep_length) {
  std::map<std::int64_t, std::vector<Rotation>> tokens;
  for (const Rotation& r : all) {
    const double size = std::abs(r.position);
    const bool keeps_length = std::abs(r.stretch - 1) < kLengthKept;
    if (size == 0 || size > kMostPosition ||
        (must_keep_length && !keeps_length)) {
      continue;
    }
    tokens[r.token].push_back(r);
  }
  std::vector<Rotation> best;
  const auto rank = [](const std::vector<Rotation>& token) {
    return std::tuple(token.size(),
                      token.empty() ? 0 : std::abs(token[0].position));
  };
  for (const auto& [token, rotations] : tokens) {
    if (rank(rotations) > rank(best)) best = rotations;
  }
  return best;
}

}  // namespace

std::int64_t Specimen::known() const {
  return std::ranges::count_if(pairs, [](const SpecimenPair& p) {
    return p.ratio != SpecimenPair::kUnknown;
  });
}

bool Specimen::shows_another() const {
  return std::ranges::any_of(pairs, [](const SpecimenPair& p) {
    return p.ratio != 1 && p.ratio != SpecimenPair::kUnknown;
  });
}

bool Specimen::is_better_than(const Specimen& other) const {
  const auto rank = [](const Specimen& s) {
    return std::tuple(s.is_wrong, s.shows_another(), s.known(), s.pairs.size());
  };
  if (rank(*this) != rank(other)) return rank(*this) > rank(other);
  return std::tie(case_id, operation) <
         std::tie(other.case_id, other.operation);
}

void keep_better(std::optional<Specimen>& best, const cases::Case& asked,
                 std::uint32_t operation, const judge::Output& output,
                 reference::Format table, bool is_wrong) {
  const cases::Problem& problem = asked.problem;
  if (!may_be_drawn(problem, operation)) return;
  Specimen mine{asked.id, operation, is_wrong, 0, {}};
  // What it may be at most: the rest takes time.
  mine.pairs.assign(static_cast<std::size_t>(problem.pairs()),
                    SpecimenPair{0, 0, is_wrong ? 2.0 : 1.0, 0, 0, 0, 0});
  if (best && !mine.is_better_than(*best)) return;
  const cases::Golden& golden = asked.golden;
  const bool is_one_head =
      operation == ROPEPROOF_TABLE || problem.q_heads + problem.k_heads < 2;
  const std::vector<Rotation> token = best_token(
      rotations(problem, golden, operation, output, table), is_one_head);
  if (token.size() < 2) return;
  const Measured measured =
      measure(problem, golden, operation, output, table, true);
  mine.pairs.clear();
  mine.position = token[0].position;
  for (const Rotation& r : token) {
    const auto at =
        static_cast<std::size_t>(r.token * problem.pairs() + r.pair);
    const double length = r.stretch * golden.amplitude_of(r.token, r.pair);
    SpecimenPair pair{
        r.pair,
        cases::value_of(reference::at(golden.inv_freq_hi, r.pair)),
        SpecimenPair::kUnknown,
        length * std::cos(r.angle),
        length * std::sin(r.angle),
        cases::value_of(golden.cos[at]),
        cases::value_of(golden.sin[at])};
    for (const PairRatio& ratio : measured.frequency) {
      if (ratio.pair == r.pair) pair.ratio = ratio.ratio;
    }
    mine.pairs.push_back(pair);
  }
  if (!best || mine.is_better_than(*best)) best = std::move(mine);
}

}  // namespace ropeproof::conformance::explain
