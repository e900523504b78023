#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/explain/measured.h"
#include "conformance/explain/rotations.h"
#include "conformance/identify/readings.h"
#include "conformance/text/format.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

// Positions that were given, and by which the kernel rotated.
class Seen {
 public:
  explicit Seen(const Speeds& speeds) : speeds_(speeds) {}

  // Adds a token or head, of which angle(pair) says how far a pair went.
  template <class Angle>
  void add(double given, const Angle& angle) {
    std::vector<explain::Multiple> multiples;
    for (const PairFrequency& pair : speeds_.pairs) {
      if (const std::optional<double> phi = angle(pair.pair)) {
        multiples.push_back({pair.measured, *phi});
      }
    }
    const std::optional<double> used = solved(multiples, given);
    ++all_;
    as_given_ += used == given ? 1 : 0;
    lost_ += used ? 0 : 1;
    if (used) used_.emplace(given, *used);
  }

  Finding finding(const char* subject, const std::string& what) const {
    if (all_ == 0) {
      return {Standing::kUnseen, subject, "no call was answered", ""};
    }
    const std::string evidence = text::part_of(as_given_, all_) + " " + what;
    if (as_given_ == all_) {
      return {Standing::kDeclared, subject, "as given", evidence};
    }
    // Rough angles: some are taken for other positions.
    if (lost_ + as_given_ == all_ || 4 * lost_ >= all_) {
      return {Standing::kMeasured, subject,
              std::to_string(lost_) +
                  " rotations fit no position: angles are inexact, or of "
                  "another kind",
              evidence + " as given"};
    }
    std::vector<explain::PositionUsed> used;
    for (const auto& [given, by] : used_) used.push_back({given, by});
    return {Standing::kDiffers, subject, explain::positions_text(used),
            evidence + " as given"};
  }

 private:
  // The position that all pairs agree on; none: a rotation of another kind.
  std::optional<double> solved(const std::vector<explain::Multiple>& multiples,
                               double given) const {
    const double limit = std::max(4 * std::abs(given), 0x1p17);
    const auto found = explain::solve(
        multiples, limit, explain::rotation_noise(speeds_.format), given);
    constexpr double kWithin = 0.25;
    if (!found || found->error > kWithin) return std::nullopt;
    return found->whole().value_or(found->x);
  }

  const Speeds& speeds_;
  std::int64_t all_ = 0, as_given_ = 0, lost_ = 0;
  std::set<std::pair<double, double>> used_;
};

}  // namespace

Finding read_positions(RotationReader& reader, const Speeds& speeds,
                       double max_position) {
  Seen seen(speeds);
  double furthest = 0;
  for (const double given :
       {0.0,     1.0,     2.0,     5.0,     16.0,    100.0,   257.0,
        513.0,   1023.0,  1025.0,  2047.0,  2049.0,  4095.0,  4096.0,
        4097.0,  5001.0,  8191.0,  8193.0,  16383.0, 16385.0, 32767.0,
        32769.0, 65535.0, 65537.0, 131071.0}) {
    if (given > max_position) break;
    const auto rotations = reader.at(given);
    if (!rotations) continue;
    seen.add(given, [&](std::int64_t j) {
      return std::optional(angle_of(reference::at(*rotations, j)));
    });
    furthest = given;
  }
  return seen.finding("positions",
                      "positions, 0 to " + text::format("%.6g", furthest));
}

Finding read_rows(Prober& prober, cases::Case c, const ChannelMap& map,
                  const Speeds& speeds, double max_position) {
  const std::vector<double> wanted = {3, 0, 17, 259, 5, 9, 2, 1, 101, 31};
  cases::Problem& p = c.problem;
  p.positions.clear();
  for (std::int64_t i = 0; i < p.tokens(); ++i) {
    p.positions.push_back(
        std::min(reference::at(wanted, i % std::ssize(wanted)), max_position));
  }
  const char* const subject = "rows and heads";
  if (!prober.takes(ROPEPROOF_ROPE, c)) {
    return {Standing::kUnseen, subject, "the kernel takes one row alone", ""};
  }
  const auto pairs = pairs_in_order(map, p.spec);
  form(c, [&](std::int64_t, std::int64_t, std::int64_t t) {
    return std::ranges::any_of(
               pairs, [=](const auto& pair) { return pair && pair->u == t; })
               ? 1.0
               : 0.0;
  });
  const auto output = prober.ask(ROPEPROOF_ROPE, c);
  if (!output) return {Standing::kUnseen, subject, "the call failed", ""};
  Seen seen(speeds);
  for (std::int64_t row = 0; row < p.tokens() * p.q_heads; ++row) {
    const auto value = [&](std::int64_t channel) {
      return decode(
          p.dtype,
          reference::at(output->q, row * p.spec.layout.head_dim + channel));
    };
    seen.add(p.position(0, row / p.q_heads),
             [&](std::int64_t j) -> std::optional<double> {
               const auto& pair = reference::at(pairs, j);
               if (!pair) return std::nullopt;
               return std::atan2(value(pair->to_v), value(pair->to_u));
             });
  }
  return seen.finding(subject, "heads of " + std::to_string(p.batch) +
                                   " rows x " + std::to_string(p.seq) +
                                   " tokens x " + std::to_string(p.q_heads));
}

}  // namespace ropeproof::conformance::identify
