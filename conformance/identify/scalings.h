// scalings.h -- what a kernel makes of a scaling, and of an amplitude.
#ifndef ROPEPROOF_CONFORMANCE_IDENTIFY_SCALINGS_H_
#define ROPEPROOF_CONFORMANCE_IDENTIFY_SCALINGS_H_

#include <functional>
#include <optional>
#include <vector>

#include "conformance/identify/angles.h"
#include "conformance/identify/finding.h"

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

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_SCALINGS_H_
