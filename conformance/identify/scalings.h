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

// A finding and a spectrum for each scaling that the kernel computes and whose
// frequencies no length decides. `plain` has one token.
std::vector<Finding> read_scalings(Prober& prober, const MakeReader& reader,
                                   const std::optional<cases::Case>& plain,
                                   double max_position,
                                   std::vector<Spectrum>& spectra);

// By how much cosines and sines are stretched where an amplitude is asked for.
Finding read_amplitude(Prober& prober, const cases::Case& plain,
                       RotationReader& reader,
                       const std::optional<ChannelMap>& map);

}  // namespace ropeproof::conformance::identify

#endif  // ROPEPROOF_CONFORMANCE_IDENTIFY_SCALINGS_H_
