// readings.h -- what is read of a kernel, beside its map and its frequencies: a
// finding for each.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conformance/check/variations.h"
#include "conformance/identify/angles.h"

namespace ropeproof::conformance::identify {

using MakeReader =
    std::function<std::optional<RotationReader>(const cases::Case&)>;

// Reads a finding and a spectrum for each scaling that the kernel computes and
// whose frequencies no length decides. `plain` has one token.
std::vector<Finding> read_scalings(Prober& prober, const MakeReader& reader_for,
                                   const cases::Case& plain,
                                   double max_position,
                                   std::vector<Spectrum>& spectra);

// Reads by how much rotations are stretched where an amplitude is asked for,
// beside what the reader sees.
Finding read_amplitude(const MakeReader& reader_for, RotationReader& reader);

// Reads which positions a kernel rotates by beside those given: of one token
// alone, near powers of 2, as far as the kernel goes; of several batch rows,
// tokens and heads, in no order. `c` has them; its positions are replaced.
Finding read_positions(RotationReader& reader, const Speeds& speeds,
                       double max_position);
Finding read_rows(Prober& prober, cases::Case c, const ChannelMap& map,
                  const Speeds& speeds, double max_position);

// Reads in which type positions and frequencies are multiplied: `theta` of each
// pair is as it was read.
struct AngleReading {
  Finding finding;
  // The frequencies are exact: what powers of 2 showed was the angle's
  // rounding.
  bool is_of_exact = false;
};
std::optional<AngleReading> read_angle(RotationReader& reader,
                                       const std::vector<double>& theta,
                                       const Speeds& speeds,
                                       double max_position);

// Reads which type's numbers cos and sin are, of f32 and f64 tensors.
std::optional<Finding> read_table_type(RotationReader& reader);

// Reads in which order results are rounded, and whether multiply-adds are. `c`
// has one token and one head.
Finding read_roundings(Prober& prober, std::uint32_t operation,
                       const cases::Case& c, const ChannelMap& map);

// Reads what a kernel keeps from one call to the next, and should not: calls A,
// B, A for each field that it takes in two values, and B, A with bases that no
// call had before. What is right once and wrong another time is kept.
Finding read_kept(Prober& prober, std::uint32_t operation,
                  std::span<const check::Variation> variations);

}  // namespace ropeproof::conformance::identify
