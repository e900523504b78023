// plot.h -- the frame of a picture: its size, axes and words for those who do
// not see it.
#pragma once

#include <cstdint>
#include <string>

namespace ropeproof::conformance::report {

// Units of a picture, which is as wide as its column: on a telephone one is
// three quarters of a pixel.
inline constexpr double kPlotWidth = 480, kPlotLeft = 58, kPlotRight = 474;

// "10<sup>k</sup>" for SVG, in two sizes.
std::string power_label(double x, double y, const std::string& base, int power,
                        const std::string& anchor);
// Text of class `label`; `anchor` as SVG has it.
std::string plot_label(double x, double y, const std::string& inner,
                       const std::string& anchor = "start",
                       const std::string& classes = "label");

// A figure: heading, picture and the sentence that says what to see. `id` names
// it within the page; `inner` is SVG; heading and sentence are plain text.
std::string plot_figure(const std::string& id, const std::string& heading,
                        double height, const std::string& inner,
                        const std::string& sentence);
// In place of a figure: why there is none.
std::string no_figure(const std::string& heading, const std::string& why);

// The range of pairs along a picture's width.
struct PairAxis {
  std::int64_t last = 1;

  double x(double pair) const {
    constexpr double kMargin = 8;
    return kPlotLeft + kMargin +
           pair / static_cast<double>(last) *
               (kPlotRight - kPlotLeft - 2 * kMargin);
  }
  std::string numbers(double bottom) const;
};

}  // namespace ropeproof::conformance::report
