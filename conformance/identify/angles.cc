#include "conformance/identify/angles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "conformance/explain/rotations.h"

namespace ropeproof::conformance::identify {
namespace {

using explain::in_half_circle;

// The upper one where two are in the middle: a value that was measured.
double upper_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

double angle_of(const wrong::CosSin& rotation) {
  return std::atan2(rotation.s, rotation.c);
}

reference::Format narrowest(const std::vector<double>& entries,
                            reference::Format format) {
  for (const reference::Format narrow :
       {reference::Format::kF32, reference::Format::kF16,
        reference::Format::kBF16}) {
    const auto is_one = [=](double x) { return round_to(narrow, x) == x; };
    const bool is_narrower = reference::traits(narrow).precision <
                             reference::traits(format).precision;
    if (is_narrower && std::ranges::all_of(entries, is_one)) format = narrow;
  }
  return format;
}

RotationReader::RotationReader(Prober& prober, cases::Case like,
                               std::optional<ChannelMap> map)
    : prober_(prober),
      like_(std::move(like)),
      map_(std::move(map)),
      format_(map_ ? like_.problem.dtype
                   : prober.table_of(ROPEPROOF_TABLE, like_)) {
  is_seen_.assign(static_cast<std::size_t>(like_.problem.pairs()), true);
  if (map_) choose_elements();
  find_format();
}

void RotationReader::choose_elements() {
  const auto found = pairs_in_order(*map_, like_.problem.spec);
  for (std::size_t j = 0; j < found.size(); ++j) {
    is_seen_[j] = found[j].has_value();
    pairs_.push_back(found[j].value_or(SeenPair{}));
  }
  set_elements(like_, [&](std::int64_t, std::int64_t, std::int64_t t) {
    for (std::size_t j = 0; j < pairs_.size(); ++j) {
      if (is_seen_[j] && pairs_[j].u == t) return 1.0;
    }
    return 0.0;
  });
}

void RotationReader::find_format() {
  std::vector<double> entries;
  for (const double position : {1.0, 2.0, 3.0}) {
    const auto rotations = at(position);
    if (!rotations) continue;
    for (const wrong::CosSin& rotation : *rotations) {
      entries.insert(entries.end(), {rotation.c, rotation.s});
    }
  }
  format_ = narrowest(entries, format_);
}

std::optional<std::vector<wrong::CosSin>> RotationReader::at(double position) {
  cases::Case c = like_;
  c.problem.positions.assign(1, position);
  const std::uint32_t operation = map_ ? ROPEPROOF_ROPE : ROPEPROOF_TABLE;
  if (!prober_.takes(operation, c)) return std::nullopt;
  const auto output = prober_.ask(operation, c);
  if (!output) return std::nullopt;
  std::vector<wrong::CosSin> rotations(is_seen_.size(), {1, 0});
  const reference::Format table = prober_.table_of(operation, c);
  for (std::size_t j = 0; j < rotations.size(); ++j) {
    if (!is_seen_[j]) continue;
    if (map_) {
      const auto value = [&](std::int64_t channel) {
        return decode(c.problem.dtype,
                      output->q[static_cast<std::size_t>(channel)]);
      };
      rotations[j] = {value(pairs_[j].to_u), value(pairs_[j].to_v)};
    } else {
      rotations[j] = {decode(table, output->cos[j]),
                      decode(table, output->sin[j])};
    }
  }
  return rotations;
}

bool Speeds::are_reversed() const {
  return std::ranges::all_of(
      pairs, [](const PairFrequency& p) { return p.measured < 0; });
}

std::vector<PairFrequency> Speeds::forward() const {
  std::vector<PairFrequency> all = pairs;
  const double sense = are_reversed() ? -1 : 1;
  for (PairFrequency& p : all) p.measured *= sense;
  return all;
}

namespace {

using Rotations = std::vector<wrong::CosSin>;

// Reads what is added to every position off what is left at position 1, in
// positions; of pairs that are slow enough to count and fast enough to be seen.
void read_offset(const Rotations& first, double noise, Speeds& speeds) {
  std::vector<double> offsets;
  const auto left_at_one = [&](const PairFrequency& pair) {
    return in_half_circle(angle_of(first[static_cast<std::size_t>(pair.pair)]) -
                          pair.measured);
  };
  for (const PairFrequency& pair : speeds.pairs) {
    const double speed = std::abs(pair.measured);
    if (speed > 64 * noise && speed < 0.5) {
      offsets.push_back(left_at_one(pair) / pair.measured);
    }
  }
  if (!offsets.empty()) speeds.offset = std::round(upper_median(offsets));
  for (const PairFrequency& pair : speeds.pairs) {
    const double off =
        in_half_circle(left_at_one(pair) - speeds.offset * pair.measured);
    if (std::abs(off) > (4 + std::abs(speeds.offset)) * 2 * noise) {
      speeds.has_offset_of_its_own = true;
    }
  }
}

// Follows the frequencies to positions twice as far each time, at which they
// show with half the error, while they agree with what is known.
void follow(RotationReader& reader, double max_position, Speeds& speeds) {
  const double noise = reader.noise();
  for (double used = 1; used - speeds.offset <= max_position; used *= 2) {
    const double given = used - speeds.offset;
    if (given < 0) continue;
    const auto rotations = reader.at(given);
    if (!rotations) break;
    std::vector<PairFrequency> next = speeds.pairs;
    bool agrees = true;
    for (PairFrequency& pair : next) {
      const double angle =
          angle_of((*rotations)[static_cast<std::size_t>(pair.pair)]);
      const double off = in_half_circle(angle - used * pair.measured);
      agrees = agrees && std::abs(off) <= used * pair.error + 2 * noise;
      pair.measured += off / used;
      pair.error = noise / used;
    }
    if (!agrees) {
      speeds.broken = given;
      break;
    }
    speeds.pairs = std::move(next);
  }
}

}  // namespace

std::optional<Speeds> read_speeds(RotationReader& reader, double max_position) {
  const auto first = reader.at(1), second = reader.at(2);
  if (!first || !second) return std::nullopt;
  Speeds speeds;
  speeds.format = reader.format();
  const cases::Case& c = reader.problem();
  for (std::size_t j = 0; j < first->size(); ++j) {
    if (!reader.is_seen()[j]) continue;
    speeds.pairs.push_back(
        {static_cast<std::int64_t>(j),
         std::bit_cast<double>(c.golden.inv_freq_hi[j]),
         in_half_circle(angle_of((*second)[j]) - angle_of((*first)[j])),
         2 * reader.noise()});
  }
  read_offset(*first, reader.noise(), speeds);
  if (!speeds.has_offset_of_its_own) follow(reader, max_position, speeds);
  return speeds;
}

}  // namespace ropeproof::conformance::identify
